package io.berth.operator.http;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/**
 * The level of Berth's own log, which can be changed while it runs. Libraries log from WARN,
 * whatever the level.
 */
public enum LogLevel {
  ERROR,
  WARN,
  INFO,
  DEBUG,
  TRACE;

  private static final String BERTH = "io.berth";

  /** Returns the level with this name, in any case; empty if there is none. */
  public static Optional<LogLevel> named(String name) {
    return Arrays.stream(values()).filter(each -> each.name().equalsIgnoreCase(name)).findFirst();
  }

  /** Returns the names of all levels, separated by commas. */
  static String names() {
    return Arrays.stream(values()).map(LogLevel::lowerCase).collect(Collectors.joining(", "));
  }

  /** Returns the current level; INFO where the log is not Berth's. */
  public static LogLevel current() {
    return LoggerFactory.getILoggerFactory() instanceof LoggerContext context
        ? named(context.getLogger(BERTH).getEffectiveLevel().toString()).orElse(INFO)
        : INFO;
  }

  /** Logs from this level on. */
  public void use() {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    if (factory instanceof LoggerContext context) {
      context.getLogger(BERTH).setLevel(Level.toLevel(name()));
    }
  }

  String lowerCase() {
    return name().toLowerCase(Locale.ROOT);
  }
}
