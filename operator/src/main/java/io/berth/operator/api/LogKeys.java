package io.berth.operator.api;

import io.berth.engine.model.PodRef;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The subject of a log line: JSON logs contain it as keys of their own, so that the lines about a
 * pod or a node, or with an error code, can be found. The text of the line names it as well, for
 * text logs.
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

  /** Returns the keys of a line with an error code. */
  public static LogKeys code(ErrorCode code) {
    return new LogKeys().with("code", code.id());
  }

  /**
   * Returns the keys of a line about any object: those of a pod, a node, or a SchedulingPolicy;
   * none for other kinds.
   */
  public static LogKeys object(String kind, @Nullable String namespace, String name) {
    LogKeys keys = new LogKeys();
    return switch (kind) {
      case "Pod" -> keys.with("pod", namespace + "/" + name);
      case "Node" -> keys.with("node", name);
      case "SchedulingPolicy" -> keys.with("policy", name);
      default -> keys;
    };
  }

  /** Returns the keys of a line about any object. */
  public static LogKeys object(HasMetadata object) {
    ObjectMeta metadata = object.getMetadata();
    return object(object.getKind(), metadata.getNamespace(), metadata.getName());
  }

  /** Adds the node that the line is about as well. */
  public LogKeys andNode(String name) {
    return with("node", name);
  }

  /** Adds the SchedulingPolicy that the line is about as well. */
  public LogKeys andPolicy(String name) {
    return with("policy", name);
  }

  /** Adds the codes of the problems that the line lists. */
  public LogKeys andCodes(Collection<Problem> problems) {
    return with(
        "code",
        problems.stream()
            .map(problem -> problem.code().id())
            .distinct()
            .collect(Collectors.joining(", ")));
  }

  private LogKeys with(String key, String value) {
    keys.put(key, value);
    return this;
  }

  /** Returns what logs a text with these keys for debugging. */
  public Consumer<String> debug(Logger log) {
    return text -> write(log.atDebug(), text);
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
