package io.berth.operator.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.engine.api.TogetherStep;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PreBindStep;
import io.berth.engine.volume.VolumeStep;
import io.berth.operator.Placements;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods that start together: none is bound before the volumes of all are prepared. */
class GroupPreparationTest {
  private static final TogetherStep TOGETHER =
      new TogetherStep("uid-a at noon", List.of(ref("a"), ref("b")));

  private final Map<String, Runnable> ready = new HashMap<>();
  private final Map<String, Consumer<String>> failed = new HashMap<>();
  private final List<String> outcomes = new CopyOnWriteArrayList<>();
  private final Set<String> pending = ConcurrentHashMap.newKeySet();
  private final Set<String> givenUp = ConcurrentHashMap.newKeySet();
  private ScriptedServer server;
  private GroupPreparation preparation;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer((path, body) -> new Reply(200, "{}"));
    pending.addAll(List.of("a", "b", "single"));
    preparation =
        new GroupPreparation(
            server.api(),
            (placed, wanted, prepared, broken) -> {
              assertThat(placed.preBind()).noneMatch(TogetherStep.class::isInstance);
              if (placed.preBind().isEmpty()) {
                prepared.run();
              } else {
                ready.put(placed.pod().name(), prepared);
                failed.put(placed.pod().name(), broken);
              }
            },
            pod -> pending.contains(pod.name()));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static PodRef ref(String pod) {
    return new PodRef("team", pod, "uid-" + pod);
  }

  private void place(String pod, PreBindStep... steps) {
    preparation.prepare(
        Placements.placed(ref(pod), "node-1", steps),
        () -> !givenUp.contains(pod),
        () -> outcomes.add(pod + " ready"),
        why -> outcomes.add(pod + " failed: " + why));
  }

  private static VolumeStep volume() {
    return new VolumeStep.Provision("team", "data", "node-1", "7");
  }

  private void awaitOutcomes(int count) {
    await().atMost(Duration.ofSeconds(20)).until(() -> outcomes.size() == count);
  }

  @Test
  void podWithoutVolumes_waitsForTheVolumesOfTheOther() {
    place("a", TOGETHER);
    place("b", volume(), TOGETHER);
    assertThat(outcomes).isEmpty();

    ready.get("b").run();

    assertThat(outcomes).containsExactlyInAnyOrder("a ready", "b ready");
  }

  @Test
  void podWhosePlacementHasNotComeYet_isWaitedFor() {
    place("a", volume(), TOGETHER);
    ready.get("a").run();
    assertThat(outcomes).isEmpty();

    place("b", TOGETHER);

    assertThat(outcomes).containsExactlyInAnyOrder("a ready", "b ready");
  }

  @Test
  void volumesThatCannotBePrepared_keepAllPodsFromBeingBound() {
    place("a", TOGETHER);
    place("b", volume(), TOGETHER);

    failed.get("b").accept("no capacity in the zone");

    assertThat(outcomes)
        .containsExactlyInAnyOrder(
            "a failed: pod b: no capacity in the zone", "b failed: pod b: no capacity in the zone");
  }

  @Test
  void placementThatComesAfterTheFailure_failsToo() {
    place("a", volume(), TOGETHER);
    failed.get("a").accept("no capacity");

    place("b", TOGETHER);

    assertThat(outcomes)
        .containsExactly("a failed: pod a: no capacity", "b failed: pod a: no capacity");
  }

  @Test
  void podThatIsGone_beforeItsPlacementComes_holdsUpNobody() {
    place("a", TOGETHER);

    pending.remove("b");
    awaitOutcomes(1);

    assertThat(outcomes)
        .containsExactly("a failed: pod b of the same group is gone or its placement was canceled");
  }

  @Test
  void podThatIsGivenUp_makesTheOthersFail() {
    place("a", TOGETHER);
    place("b", volume(), TOGETHER);

    givenUp.add("b");
    awaitOutcomes(2);

    assertThat(outcomes)
        .allMatch(outcome -> outcome.contains("is gone or its placement was canceled"));
  }

  @Test
  void podByItself_isPreparedByItself() {
    place("single", volume());
    ready.get("single").run();

    assertThat(outcomes).containsExactly("single ready");
  }
}
