package io.berth.demo.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/**
 * Reports every error and every stack trace in the log of this process, until it is closed. The log
 * itself is not written meanwhile: the faults of a simulation cause thousands of warnings.
 */
final class LogWatch implements AutoCloseable {
  private final Logger root;
  private final List<Appender<ILoggingEvent>> others = new ArrayList<>();
  private final AppenderBase<ILoggingEvent> appender;

  LogWatch(Consumer<String> onProblem) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
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

  @Override
  public void close() {
    root.detachAppender(appender);
    others.forEach(root::addAppender);
    appender.stop();
  }
}
