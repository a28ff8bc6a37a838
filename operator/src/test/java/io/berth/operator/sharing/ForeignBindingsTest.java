package io.berth.operator.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.PodRef;
import io.berth.operator.MovedClock;
import io.berth.operator.feed.FedPod;
import io.berth.operator.feed.FedPods;
import io.berth.operator.record.BerthMetrics;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ForeignBindingsTest {
  private final BerthMetrics metrics = new BerthMetrics(List.of("berth", "volcano"));
  private final Set<PodRef> placedHere = new HashSet<>();
  private final MovedClock clock = new MovedClock();
  private final ForeignBindings bindings =
      new ForeignBindings(Set.of("berth", "volcano"), placedHere::contains, metrics, clock);

  @BeforeEach
  void theTermHasLastedForAWhile() {
    clock.move(ForeignBindings.LAST_TERM);
  }

  @AfterEach
  void stop() {
    metrics.close();
  }

  private static FedPod pod(String scheduler, String nodeName) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("team")
            .withName("p")
            .withUid("uid-p")
            .endMetadata()
            .withNewSpec()
            .withSchedulerName(scheduler)
            .withNodeName(nodeName.isEmpty() ? null : nodeName)
            .endSpec()
            .build();
    return FedPods.of(pod, new KubeEvents().upserted(pod));
  }

  private void isBound(String scheduler) {
    bindings.changed(pod(scheduler, ""), pod(scheduler, "node"));
  }

  @Test
  void podsThatSomebodyElseBinds_areCounted_byTheirScheduler() {
    isBound("volcano");
    isBound("volcano");
    isBound("berth");

    assertThat(metrics.page())
        .contains("berth_foreign_bindings_total{scheduler=\"volcano\"} 2.0")
        .contains("berth_foreign_bindings_total{scheduler=\"berth\"} 1.0");
  }

  @Test
  void podsThatWerePlacedHere_areNot() {
    placedHere.add(new PodRef("team", "p", "uid-p"));

    isBound("volcano");

    assertThat(metrics.page()).doesNotContainPattern("berth_foreign_bindings_total\\{.*} [1-9]");
  }

  @Test
  void podsOfOtherSchedulers_andPodsThatWereBoundBefore_areNot() {
    isBound("default-scheduler");
    bindings.changed(pod("berth", "node"), pod("berth", "node"));

    assertThat(metrics.page()).doesNotContainPattern("berth_foreign_bindings_total\\{.*} [1-9]");
  }

  @Test
  void podsThatTheLastLeaderBound_areNot() {
    clock.move(Duration.ofSeconds(1).negated());

    isBound("berth");

    assertThat(metrics.page()).doesNotContainPattern("berth_foreign_bindings_total\\{.*} [1-9]");
  }
}
