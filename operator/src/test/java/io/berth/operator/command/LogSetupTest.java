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
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
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
    LogKeys.policy("batch")
        .andCodes(
            List.of(
                new Problem(ErrorCode.POLICY_INVALID, "spec", "no"),
                new Problem(ErrorCode.POLICY_BROKEN, "spec", "no"),
                new Problem(ErrorCode.POLICY_INVALID, "spec", "no")))
        .error(log, "broken", new IllegalStateException("why"));
    LogKeys.code(ErrorCode.POLICY_INVALID)
        .warn(log)
        .accept(ErrorCode.POLICY_INVALID.id() + " at spec: no");

    JsonNode first = new ObjectMapper().readTree(encoder.encode(lines.list.getFirst()));
    assertThat(first.path("message").asText()).startsWith("Binding of team/web-0 to node-1");
    assertThat(first.path("level").asText()).isEqualTo("WARN");
    assertThat(first.path("pod").asText()).isEqualTo("team/web-0");
    assertThat(first.path("node").asText()).isEqualTo("node-1");
    assertThat(Instant.parse(first.path("time").asText()))
        .isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
    JsonNode second = new ObjectMapper().readTree(encoder.encode(lines.list.get(1)));
    assertThat(second.path("policy").asText()).isEqualTo("batch");
    assertThat(second.path("code").asText())
        .isEqualTo(ErrorCode.POLICY_INVALID.id() + ", " + ErrorCode.POLICY_BROKEN.id());
    assertThat(second.path("stack").asText()).contains("IllegalStateException: why");
    JsonNode third = new ObjectMapper().readTree(encoder.encode(lines.list.getLast()));
    assertThat(third.path("code").asText()).isEqualTo(ErrorCode.POLICY_INVALID.id());
  }

  @Test
  void anyObject_hasTheKeyOfItsKind() {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    ch.qos.logback.classic.Logger log = context.getLogger("io.berth.operator.Example");
    log.addAppender(lines);

    LogKeys.object("Pod", "team", "web-0").warn(log).accept("a pod");
    LogKeys.object("Node", null, "node-1").warn(log).accept("a node");
    LogKeys.object("SchedulingPolicy", null, "batch").warn(log).accept("a policy");
    LogKeys.object("PersistentVolume", null, "pv-1").warn(log).accept("another");

    assertThat(lines.list)
        .extracting(line -> String.valueOf(line.getKeyValuePairs()))
        .containsExactly("[pod=\"team/web-0\"]", "[node=\"node-1\"]", "[policy=\"batch\"]", "null");
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
