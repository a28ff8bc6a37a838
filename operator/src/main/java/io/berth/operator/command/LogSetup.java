package io.berth.operator.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.berth.operator.http.LogLevel;
import java.io.Console;
import java.util.Optional;
import net.logstash.logback.encoder.LogstashEncoder;
import net.logstash.logback.fieldnames.LogstashCommonFieldNames;
import net.logstash.logback.fieldnames.LogstashFieldNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs to standard error: Berth's own lines from the {@linkplain LogLevel level} that is set, those
 * of libraries from WARN.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {

  private static final String PATTERN = "%d{yyyy-MM-dd HH:mm:ss.SSS} %-5level %-18logger{0} %msg%n";

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    configure(context, LogFormat.AUTO);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /** Switches to this format, and to the level INFO. */
  public static void use(LogFormat format) {
    use(format, LogLevel.INFO);
  }

  /** Switches to this format, and logs Berth's own lines from this level on. */
  public static void use(LogFormat format, LogLevel level) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.reset();
      configure(context, format);
      level.use();
    }
  }

  private static void configure(LoggerContext context, LogFormat format) {
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setContext(context);
    console.setTarget("System.err");
    console.setEncoder(encoder(context, format));
    console.start();
    var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    root.addAppender(console);
    context.getLogger("io.berth").setLevel(Level.INFO);
    // The feed reports a failing watch once; the informer would report each attempt, with a stack
    // trace.
    context.getLogger("io.fabric8.kubernetes.client.informers.impl.cache").setLevel(Level.OFF);
    context.getLogger("io.fabric8.kubernetes.client.dsl.internal").setLevel(Level.ERROR);
    // A term that ends while the reconcilers are starting interrupts them, which is no problem; the
    // SDK would write a stack trace for each.
    context
        .getLogger("io.javaoperatorsdk.operator.api.config.ExecutorServiceManager")
        .setLevel(Level.ERROR);
    // The reconcilers report a status that could not be written themselves, in one line.
    context
        .getLogger("io.javaoperatorsdk.operator.processing.event.EventProcessor")
        .setLevel(Level.ERROR);
  }

  private static LogstashFieldNames fieldNames() {
    LogstashFieldNames names = new LogstashFieldNames();
    names.setTimestamp("time");
    names.setVersion(LogstashCommonFieldNames.IGNORE_FIELD_INDICATOR);
    names.setLevelValue(LogstashCommonFieldNames.IGNORE_FIELD_INDICATOR);
    names.setLogger("logger");
    names.setThread("thread");
    names.setStackTrace("stack");
    return names;
  }

  static Encoder<ILoggingEvent> encoder(LoggerContext context, LogFormat format) {
    boolean terminal = Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    boolean text = format == LogFormat.TEXT || (format == LogFormat.AUTO && terminal);
    if (text) {
      PatternLayoutEncoder lines = new PatternLayoutEncoder();
      lines.setContext(context);
      lines.setPattern(PATTERN);
      lines.start();
      return lines;
    }
    LogstashEncoder json = new LogstashEncoder();
    json.setContext(context);
    json.setFieldNames(fieldNames());
    json.setTimeZone("UTC");
    json.start();
    return json;
  }
}
