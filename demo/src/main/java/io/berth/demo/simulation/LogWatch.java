package io.berth.demo.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.LoggerFactory;

/**
 * Reports every error, every stack trace, and every flood of warnings in the log of this process,
 * until it is closed. The log itself is not written meanwhile.
 */
final class LogWatch implements AutoCloseable {
  /** The maximum number of warnings per minute, whatever tenants and faults do. */
  private static final int MOST_WARNINGS = 60;

  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final Logger root;
  private final List<Appender<ILoggingEvent>> others = new ArrayList<>();
  private final AppenderBase<ILoggingEvent> appender;

  private long minute;
  private int warnings;

  /**
   * @param nanoTime the time of the process whose log it is
   */
  LogWatch(Consumer<String> onProblem, LongSupplier nanoTime) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.WARN) && isFlood(nanoTime.getAsLong())) {
              onProblem.accept(
                  "more than %d warnings in a minute, such as %s: %s"
                      .formatted(
                          MOST_WARNINGS, event.getLoggerName(), event.getFormattedMessage()));
            }
            if (event.getLevel().isGreaterOrEqual(Level.ERROR)
                || event.getThrowableProxy() != null) {
              String cause =
                  event.getThrowableProxy() == null
                      ? ""
                      : ": "
                          + event.getThrowableProxy().getClassName()
                          + ": "
                          + event.getThrowableProxy().getMessage();
              onProblem.accept(
                  "%s in the log of %s: %s%s"
                      .formatted(
                          event.getLevel(),
                          event.getLoggerName(),
                          event.getFormattedMessage(),
                          cause));
            }
          }
        };
    root.iteratorForAppenders().forEachRemaining(others::add);
    others.forEach(root::detachAppender);
    appender.setContext(context);
    appender.start();
    root.addAppender(appender);
  }

  private boolean isFlood(long now) {
    if (now / MINUTE != minute) {
      minute = now / MINUTE;
      warnings = 0;
    }
    return ++warnings == MOST_WARNINGS + 1;
  }

  @Override
  public void close() {
    root.detachAppender(appender);
    others.forEach(root::addAppender);
    appender.stop();
  }
}
