package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.policy.CardChoice;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.PodModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * GPU pods whose annotations and labels change while they are assumed: each is scheduled once, and
 * no card is counted twice, in whatever order the update, the answer to the Binding and the bound
 * pod arrive.
 */
class AssumedCardsTest {
  private final GpuCluster gpus = new GpuCluster(CardChoice.LEAST_FRAGMENTATION);

  private PodModel assumed(Pods pods) {
    PodModel pod = pods.build();
    gpus.put(pod);
    return pod;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update confirm show",
        "confirm update show",
        "update show confirm",
        "show update confirm",
        "confirm show update",
        "show confirm update"
      })
  void inEveryOrderOfEvents_thePodIsScheduledOnce_andItsCardIsCountedOnce(String order) {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(2, "T4")).build());
    PodModel pod = assumed(GpuCluster.share("p", 400));
    Decision.Placed placed = gpus.cluster.placed();
    PodModel bound = GpuCluster.bound(pod, placed);
    boolean shown = false;
    for (String event : order.split(" ")) {
      switch (event) {
        case "update" ->
            gpus.put(Pods.from(shown ? bound : pod).label("agent", "has-been-here").build());
        case "confirm" -> gpus.cluster.apply(new ClusterEvent.BindingConfirmed(pod.ref()));
        default -> {
          gpus.put(bound);
          shown = true;
        }
      }
      assertThat(gpus.cluster.next()).as("after " + event).isInstanceOf(Idle.class);
      assertThat(gpus.used()).as("after " + event).containsEntry("n", List.of(400, 0));
    }
    assertThat(gpus.cluster.engine.nominations().isEmpty()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterAFailedBinding_theCardsAreFree_andTheNextAttemptCountsThemOnce(boolean updatedBefore) {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(1, "T4")).build());
    PodModel pod = assumed(GpuCluster.whole("p", 1));
    gpus.cluster.placed();
    PodModel updated = Pods.from(pod).label("agent", "x").build();
    if (updatedBefore) {
      gpus.put(updated);
    }
    gpus.cluster.apply(new ClusterEvent.BindingFailed(pod.ref(), "conflict", true));
    assertThat(gpus.used()).containsEntry("n", List.of(0));
    if (!updatedBefore) {
      gpus.put(updated);
    }

    gpus.cluster.later(Duration.ofSeconds(30));
    gpus.cluster.placed();

    assertThat(gpus.used()).containsEntry("n", List.of(1_000));
  }

  @Test
  void theCardsThatTheBoundPodNames_areTheTruth() {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(2, "T4")).build());
    PodModel pod = assumed(GpuCluster.share("p", 400));
    gpus.cluster.placed();

    gpus.put(
        Pods.from(pod)
            .on("n")
            .givenCards(Optional.of(new CardAssignment(Map.of("main", List.of("1")))))
            .build());

    assertThat(gpus.used()).containsEntry("n", List.of(0, 400));
  }

  @Test
  void aNodeWhoseCardsAreDescribedAgain_keepsWhatItsPodsHold() {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(2, "T4")).build());
    gpus.bind(GpuCluster.whole("p", 1).build());

    gpus.put(GpuCluster.node("n", GpuCluster.cards(4, "T4")).build());

    assertThat(gpus.used()).containsEntry("n", List.of(1_000, 0, 0, 0));
  }

  @Test
  void afterTenThousandPods_theCardsAreTheSums_andARestartFindsTheSame() {
    Random random = new Random(7);
    for (int i = 0; i < 20; i++) {
      gpus.put(GpuCluster.node("n" + i, GpuCluster.cards(1 + i % 8, "T4")).build());
    }
    Map<String, PodModel> running = new HashMap<>();
    int scheduled = 0;
    for (int i = 0; i < 10_000; i++) {
      Pods pods =
          random.nextBoolean()
              ? GpuCluster.share("p" + i, 100 + 100 * random.nextInt(9))
              : GpuCluster.whole("p" + i, 1 + random.nextInt(3));
      PodModel pod = assumed(pods.milliCpu(10));
      if (gpus.cluster.decision() instanceof Decision.Placed placed) {
        scheduled++;
        gpus.put(Pods.from(pod).label("seen", "by-agent").build());
        if (random.nextInt(10) == 0) {
          gpus.cluster.apply(new ClusterEvent.BindingFailed(pod.ref(), "gone", false));
        } else {
          gpus.cluster.apply(new ClusterEvent.BindingConfirmed(pod.ref()));
          PodModel bound = GpuCluster.bound(pod, placed);
          gpus.put(bound);
          running.put(pod.ref().uid(), bound);
        }
      } else {
        gpus.cluster.apply(new ClusterEvent.PodRemoved(pod.ref()));
        List<PodModel> all = new ArrayList<>(running.values());
        for (int gone = 0; gone < 5 && !all.isEmpty(); gone++) {
          PodModel victim = all.remove(random.nextInt(all.size()));
          running.remove(victim.ref().uid());
          gpus.cluster.apply(new ClusterEvent.PodRemoved(victim.ref()));
        }
      }
    }

    GpuCluster restarted = new GpuCluster(CardChoice.LEAST_FRAGMENTATION);
    running.values().forEach(restarted::put);
    for (int i = 0; i < 20; i++) {
      restarted.put(GpuCluster.node("n" + i, GpuCluster.cards(1 + i % 8, "T4")).build());
    }
    assertThat(scheduled).isGreaterThan(1_000);
    assertThat(gpus.used()).isEqualTo(restarted.used());
    assertThat(gpus.used().values())
        .allSatisfy(
            cards -> assertThat(cards).allSatisfy(used -> assertThat(used).isBetween(0, 1_000)));
  }

  @Test
  void anEngineThatReplacesAnother_countsTheCardsOfTheDecision() {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(2, "T4")).build());
    PodModel pod = assumed(GpuCluster.share("p", 400));
    gpus.cluster.apply(
        new ClusterEvent.PodAssumed(
            pod.ref(), "n", List.of(), List.of(new CardAssignment(Map.of("main", List.of("1"))))));

    assertThat(gpus.used()).containsEntry("n", List.of(0, 400));
    gpus.cluster.apply(new ClusterEvent.BindingFailed(pod.ref(), "conflict", true));
    assertThat(gpus.used()).containsEntry("n", List.of(0, 0));
  }
}
