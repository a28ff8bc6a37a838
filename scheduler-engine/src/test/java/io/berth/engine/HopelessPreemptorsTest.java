package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.Idle;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Preemptors that fit nowhere: dry runs are not repeated for them or for similar pods, even with
 * filters whose verdict does not depend on evictions.
 */
class HopelessPreemptorsTest {
  private static final int NODES = 50;

  private final TestCluster cluster = new TestCluster();

  private static Pod victim(int number) {
    return TestCluster.bound(TestCluster.pod("low-" + number, "3", 0), "n" + number);
  }

  /**
   * Returns a pod that does not fit even after evictions, because pods of its own priority stay.
   */
  private static Pod hopeless(String name) {
    return TestCluster.pod(name, "3", 100);
  }

  private void fullNodes() {
    for (int i = 0; i < NODES; i++) {
      cluster.upsert(TestCluster.node("n" + i, "4"));
      cluster.upsert(victim(i));
      cluster.upsert(TestCluster.bound(TestCluster.pod("equal-" + i, "2", 100), "n" + i));
    }
  }

  private long dryRuns() {
    return cluster.engine.preemption().dryRuns();
  }

  @Test
  void thePodsLikeIt_andItsFurtherAttempts_tryOutNothingAgain() {
    fullNodes();
    cluster.upsert(hopeless("first"));
    assertThat(cluster.unschedulable().message()).contains("50 Insufficient cpu");
    long afterFirst = dryRuns();
    assertThat(afterFirst).isEqualTo(NODES);

    cluster.upsert(hopeless("second"));
    cluster.unschedulable();
    cluster.later(Duration.ofMinutes(6));
    cluster.unschedulable();
    cluster.unschedulable();

    assertThat(dryRuns()).isEqualTo(afterFirst);
  }

  @Test
  void aNodeThatChanged_isTriedOutAlone() {
    fullNodes();
    cluster.upsert(hopeless("first"));
    cluster.unschedulable();
    long before = dryRuns();

    cluster.upsert(TestCluster.bound(TestCluster.pod("more", "1", 100), "n7"));
    cluster.later(Duration.ofMinutes(6));
    cluster.unschedulable();

    assertThat(dryRuns() - before).isEqualTo(1);
  }

  @Test
  void aNodeThatASettledFilterRejects_isNoCandidate_andIsNotTriedOutAgain() {
    for (int i = 0; i < NODES; i++) {
      cluster.upsert(TestCluster.node("n" + i, "4"));
      cluster.upsert(victim(i));
    }
    Pod elsewhere =
        new PodBuilder(hopeless("elsewhere"))
            .editSpec()
            .withNodeSelector(Map.of("disk", "none-has-it"))
            .endSpec()
            .build();
    cluster.upsert(elsewhere);
    assertThat(cluster.unschedulable().message()).contains("Preemption is not helpful");
    cluster.later(Duration.ofMinutes(6));
    cluster.unschedulable();

    assertThat(dryRuns()).isZero();
  }

  @Test
  void whereNoPodHasALowerPriority_nothingIsTriedOut() {
    fullNodes();
    cluster.upsert(TestCluster.pod("lowest", "3", 0));

    assertThat(cluster.unschedulable().message())
        .contains("50 No preemption victims found for incoming pod");
    assertThat(dryRuns()).isZero();
  }

  @Test
  void podsThatLeave_wakeThoseThatFitThenWithoutTheLowerOnes_andNobodyElse() {
    for (int i = 0; i < NODES; i++) {
      cluster.upsert(TestCluster.node("n" + i, "4"));
      cluster.upsert(TestCluster.bound(TestCluster.pod("equal-" + i, "2", 100), "n" + i));
    }
    cluster.upsert(hopeless("first"));
    cluster.unschedulable();
    Pod small = TestCluster.pod("small", "100m", 0);
    cluster.upsert(small);
    String node = cluster.placed().nodeName();
    cluster.later(Duration.ofSeconds(30));

    cluster.remove(small);
    assertThat(cluster.next()).isInstanceOf(Idle.class);

    cluster.remove(TestCluster.pod(node.replace("n", "equal-"), "2", 100));
    assertThat(cluster.placed().nodeName()).isEqualTo(node);
  }
}
