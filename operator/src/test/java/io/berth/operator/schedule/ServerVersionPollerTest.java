package io.berth.operator.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.ClusterEvent.ServerVersionSeen;
import io.berth.operator.RecordedCalls;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @Test
  void closedPoller_tellsNothing() {
    poller.start();
    poller.close();
    api.answerVersion("37");
    api.runLater();

    assertThat(events).isEmpty();
  }
}
