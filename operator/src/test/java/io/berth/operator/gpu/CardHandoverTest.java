package io.berth.operator.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.model.Assignment;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.HttpApiCalls;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import io.berth.operator.bind.VolumePreparation;
import io.berth.operator.record.EventRecorder;
import io.fabric8.kubernetes.api.model.Node;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The handover of a pod's cards to the agent of its node, around the Binding. */
class CardHandoverTest {
  private static final PodRef POD = new PodRef("team", "pod", "uid-pod");
  private static final Map<String, String> LABELS = Map.of("hami.io/vgpu-node", "n");

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private volatile String minor = "34";
  private volatile Node node = GpuObjects.hamiNode("n", 2);
  private ScriptedServer server;
  private CardHandover handover;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer(this::answer);
    HttpApiCalls api = server.api();
    handover = handover(api, true);
  }

  private CardHandover handover(HttpApiCalls api, boolean patchesLabels) {
    return new CardHandover(
        api,
        new NodeLocks(api, VolumePreparation.none(), Clock.systemUTC(), (pod, reason) -> {}),
        new CardHandover.Cluster() {
          @Override
          public Optional<Node> node(String name) {
            return Optional.of(node);
          }

          @Override
          public Optional<GpuPod> pod(PodRef pod) {
            return CardProtocols.podOf(
                GpuObjects.pod("pod", GpuObjects.container("c", Map.of(Hami.COUNT, "1"))));
          }
        },
        new EventRecorder(
            api, subject -> "berth", "test", Clock.systemUTC(), () -> false, () -> {}),
        patchesLabels,
        Clock.systemUTC());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Reply answer(String path, JsonNode body) {
    asked.add(path + (body.isMissingNode() ? "" : " " + body));
    return path.equals("/version")
        ? new Reply(
            minor.isEmpty() ? 500 : 200, "{\"major\":\"1\",\"minor\":\"%s\"}".formatted(minor))
        : new Reply(200, "{}");
  }

  private static Placed placed(Map<String, String> labels, Assignment... assignments) {
    return new Placed(
        POD,
        new Attempt(1, Instant.EPOCH),
        "n",
        List.of(assignments),
        Map.of(),
        labels,
        List.of(),
        Optional.empty(),
        new CycleRecord.Untried("policy", "", 1, ""));
  }

  /**
   * Versions before 1.35 copy only a Binding's annotations; an unknown version may be one of them.
   */
  @ParameterizedTest
  @ValueSource(strings = {"34", "33+", "9", ""})
  void labelThatTheApiServerDidNotCopy_isPatchedAfterTheBinding(String version) {
    minor = version;

    handover.bound(placed(LABELS));

    await()
        .untilAsserted(
            () ->
                assertThat(asked)
                    .containsExactly(
                        "/version",
                        "/api/v1/namespaces/team/pods/pod"
                            + " {\"metadata\":{\"uid\":\"uid-pod\","
                            + "\"labels\":{\"hami.io/vgpu-node\":\"n\"}}}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"35", "36+", "40"})
  void labelThatTheApiServerCopied_isNotPatched_andTheVersionIsReadOnce(String version) {
    minor = version;

    handover.bound(placed(LABELS));
    await().until(() -> asked.size() == 1);
    handover.bound(placed(LABELS));
    handover.bound(placed(Map.of()));

    await().during(Duration.ofMillis(200)).until(() -> asked.equals(List.of("/version")));
  }

  @Test
  void labelThatMayNotBePatched_isLoggedOnce_onlyIfTheApiServerIsKnownNotToCopyIt() {
    handover = handover(server.api(), false);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(CardHandover.class);
    logger.addAppender(log);
    try {
      minor = "";
      handover.bound(placed(LABELS));
      await().until(() -> asked.size() == 1);
      await().during(Duration.ofMillis(200)).until(log.list::isEmpty);
      minor = "34";
      await()
          .untilAsserted(
              () -> {
                handover.bound(placed(LABELS));
                assertThat(log.list).isNotEmpty();
              });
      handover.bound(placed(LABELS));
    } finally {
      logger.detachAppender(log);
    }

    assertThat(asked).containsOnly("/version").hasSize(2);
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .singleElement()
        .asString()
        .contains("this API server does not copy them");
  }

  @Test
  void podWithoutLabels_asksNothing_andGetsTheWordsOfItsAgent() {
    Placed decided = placed(Map.of(), new CardAssignment(Map.of("c", List.of("GPU-n-1"))));

    Placed written = handover.written(decided).orElseThrow();

    assertThat(written.annotations())
        .containsEntry(Hami.TO_ALLOCATE, "GPU-n-1,NVIDIA,32768,0:;")
        .doesNotContainKey(CardAssignment.ANNOTATION);
    assertThat(written.labels()).isEqualTo(LABELS);
    assertThat(written.preBind()).containsExactly(new NodeLockStep(POD, "n"));
    handover.bound(decided);
    assertThat(asked).isEmpty();
  }

  @Test
  void cardsThatAreOthersByNow_areNotHandedOut() {
    Placed decided = placed(Map.of(), new CardAssignment(Map.of("c", List.of("GPU-n-1"))));

    node = GpuObjects.hamiNode("n", 1);
    assertThat(handover.written(decided)).isEmpty();

    node = GpuObjects.gpuManagerNode("n", 2);
    assertThat(handover.written(decided)).isEmpty();
  }
}
