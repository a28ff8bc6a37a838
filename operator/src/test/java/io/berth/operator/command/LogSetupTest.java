package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.LogKeys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** The log levels of libraries, and the formats of log lines. */
class LogSetupTest {
  private final LoggerContext context = new LoggerContext();

  LogSetupTest() {
    context.setMDCAdapter(new LogbackMDCAdapter());
  }

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

  @Test
  void jsonLines_haveKeysForWhatTheyAreAbout() throws IOException {
    Encoder<ILoggingEvent> encoder = LogSetup.encoder(context, LogFormat.JSON);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    ch.qos.logback.classic.Logger log = context.getLogger("io.berth.operator.Example");
    log.addAppender(lines);

    LogKeys.pod(new PodRef("team", "web-0", "uid-1"))
        .andNode("node-1")
        .warn(log)
        .accept("Binding of team/web-0 to node-1 was refused: no");
    LogKeys.policy("batch").error(log, "broken", new IllegalStateException("why"));

    JsonNode first = new ObjectMapper().readTree(encoder.encode(lines.list.getFirst()));
    assertThat(first.path("message").asText()).startsWith("Binding of team/web-0 to node-1");
    assertThat(first.path("level").asText()).isEqualTo("WARN");
    assertThat(first.path("pod").asText()).isEqualTo("team/web-0");
    assertThat(first.path("node").asText()).isEqualTo("node-1");
    assertThat(Instant.parse(first.path("time").asText()))
        .isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
    JsonNode second = new ObjectMapper().readTree(encoder.encode(lines.list.getLast()));
    assertThat(second.path("policy").asText()).isEqualTo("batch");
    assertThat(second.path("stack").asText()).contains("IllegalStateException: why");
  }

  @Test
  void textLines_haveADate() throws IOException {
    Encoder<ILoggingEvent> encoder = LogSetup.encoder(context, LogFormat.TEXT);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    ch.qos.logback.classic.Logger log = context.getLogger("io.berth.operator.Example");
    log.addAppender(lines);

    log.warn("late");

    assertThat(new String(encoder.encode(lines.list.getFirst()), StandardCharsets.UTF_8))
        .matches("\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}\\.\\d{3} WARN  Example +late\\R");
  }
}
