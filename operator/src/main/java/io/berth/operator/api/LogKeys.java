package io.berth.operator.api;

import io.berth.engine.model.PodRef;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The subject of a log line: JSON logs contain it as keys of their own, so that the lines about a
 * pod or a node can be found. The text of the line names it as well, for text logs.
 */
public final class LogKeys {
  private final Map<String, String> keys = new TreeMap<>();

  private LogKeys() {}

  /** Returns the keys of a line about a pod: {@code pod} is its namespace and name. */
  public static LogKeys pod(PodRef pod) {
    return new LogKeys().with("pod", pod.namespace() + "/" + pod.name());
  }

  /** Returns the keys of a line about a node. */
  public static LogKeys node(String name) {
    return new LogKeys().with("node", name);
  }

  /** Returns the keys of a line about a SchedulingPolicy. */
  public static LogKeys policy(String name) {
    return new LogKeys().with("policy", name);
  }

  /** Adds the node that the line is about as well. */
  public LogKeys andNode(String name) {
    return with("node", name);
  }

  private LogKeys with(String key, String value) {
    keys.put(key, value);
    return this;
  }

  /** Returns what logs a text with these keys as a warning. */
  public Consumer<String> warn(Logger log) {
    return text -> write(log.atWarn(), text);
  }

  /** Returns what logs a text with these keys for information. */
  public Consumer<String> info(Logger log) {
    return text -> write(log.atInfo(), text);
  }

  /** Logs an error with its stack trace. */
  public void error(Logger log, String text, Throwable cause) {
    write(log.atError().setCause(cause), text);
  }

  private void write(LoggingEventBuilder line, String text) {
    LoggingEventBuilder built = line;
    for (Map.Entry<String, String> key : keys.entrySet()) {
      built = built.addKeyValue(key.getKey(), key.getValue());
    }
    built.log(text);
  }
}
