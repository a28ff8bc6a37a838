package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** The log levels of libraries. */
class LogSetupTest {
  private final LoggerContext context = new LoggerContext();

  @Test
  void warningsOfLibraries_areLogged_butNotThoseAboutWhatBerthReportsItselfOrIntends() {
    new LogSetup().configure(context);

    Logger library = context.getLogger("io.javaoperatorsdk.operator.Operator");
    assertThat(library.isWarnEnabled()).isTrue();
    assertThat(library.isInfoEnabled()).isFalse();
    for (String name :
        List.of("api.config.ExecutorServiceManager", "processing.event.EventProcessor")) {
      Logger known = context.getLogger("io.javaoperatorsdk.operator." + name);
      assertThat(known.isWarnEnabled()).as(name).isFalse();
      assertThat(known.isErrorEnabled()).as(name).isTrue();
    }
  }
}
