package io.berth.operator.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.ClusterEvent.ServerVersionSeen;
import io.berth.operator.RecordedCalls;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** The version of the API server, as engines hear of it. */
class ServerVersionPollerTest {
  private final RecordedCalls api = new RecordedCalls();
  private final List<ClusterEvent> events = new ArrayList<>();
  private final ServerVersionPoller poller = new ServerVersionPoller(api, events::add);

  @ParameterizedTest
  @CsvSource({"36, 36, false", "37+, 37, true", "38, 38, true"})
  void version_isSentToEngines(String minor, int sent, boolean scoresStorage) {
    api.answerVersion(minor);
    poller.start();

    ServerVersionSeen seen = new ServerVersionSeen(sent);
    assertThat(events).containsExactly(seen);
    assertThat(seen.scoresStorage()).isEqualTo(scoresStorage);
  }

  @Test
  void version_isSentAgain_onlyWhenItHasChanged() {
    api.answerVersion("36");
    poller.start();
    api.runLater();
    api.answerVersion("37");
    api.runLater();

    assertThat(events).containsExactly(new ServerVersionSeen(36), new ServerVersionSeen(37));
  }

  @Test
  void serverThatDoesNotAnswer_isAskedAgain() {
    poller.start();
    assertThat(events).isEmpty();
    api.answerVersion("37");
    api.runLater();

    assertThat(events).containsExactly(new ServerVersionSeen(37));
  }

  /** Returns what the poller logs meanwhile. */
  private static List<ILoggingEvent> logged(Runnable meanwhile) {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(ServerVersionPoller.class);
    logger.addAppender(log);
    try {
      meanwhile.run();
    } finally {
      logger.detachAppender(log);
    }
    return log.list;
  }

  @Test
  void failures_areLoggedOnce_withTheVersionWhoseRulesApply_untilTheServerAnswersAgain() {
    List<ILoggingEvent> lines =
        logged(
            () -> {
              poller.start();
              api.runLater();
              api.answerVersion("37");
              api.runLater();
              api.answerVersion("");
              api.runLater();
              api.runLater();
              api.answerVersion("beta");
              api.runLater();
            });

    assertThat(lines)
        .extracting(ILoggingEvent::getLevel, ILoggingEvent::getFormattedMessage)
        .containsExactly(
            tuple(
                Level.WARN,
                "The API server did not say at /version which version it is: HTTP 404: {}. Until it"
                    + " does, nodes are scored by their free storage or not as in Kubernetes 1.36."
                    + " It is asked again every 10 s"),
            tuple(Level.INFO, "The API server says which version it is: 1.37"),
            tuple(
                Level.WARN,
                "The API server did not say at /version which version it is: HTTP 404: {}. Until it"
                    + " does, nodes are scored by their free storage or not as in Kubernetes 1.37."
                    + " It is asked again every 10 s"));
  }

  @Test
  void answerWithoutAMinorVersion_isLoggedAsSuch() {
    List<ILoggingEvent> lines =
        logged(
            () -> {
              api.answerVersion("beta");
              poller.start();
            });

    assertThat(lines)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .asString()
        .contains("its answer has no minor version");
    assertThat(events).isEmpty();
  }

  @Test
  void closedPoller_tellsNothing() {
    poller.start();
    poller.close();
    api.answerVersion("37");
    api.runLater();

    assertThat(events).isEmpty();
  }
}
