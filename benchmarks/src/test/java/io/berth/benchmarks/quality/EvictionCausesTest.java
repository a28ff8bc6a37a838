package io.berth.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.benchmarks.quality.TeamDay.Job;
import io.berth.engine.fixtures.Pods;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The number of evictions that no choice of victims and nodes avoids. */
class EvictionCausesTest {
  private static final int NODES = TeamDay.NODES;
  private final EvictionCauses causes = new EvictionCauses();
  private final List<Job> running = new ArrayList<>();

  private void fill(int node, long milliCpu) {
    String name = "p" + running.size();
    running.add(
        new Job(
            new TeamJobs.Pod(0, 0, name, milliCpu, 600),
            Pods.pod(name).on(TeamDay.nodeName(node)).build(),
            0));
  }

  private int unavoidable(int pods, long milliCpu) {
    causes.begin(running);
    for (int i = 0; i < pods; i++) {
      causes.startedWithinGuarantee(milliCpu);
    }
    causes.end();
    return causes.unavoidable();
  }

  @Test
  void podsThatFitIntoFreeRoom_needNoEviction() {
    assertThat(unavoidable(4 * NODES, 8_000)).isZero();
    assertThat(unavoidable(32 * NODES, 1_000)).isZero();
  }

  @Test
  void eachEviction_makesRoomForOneOfTheLargestPods() {
    assertThat(unavoidable(4 * NODES + 3, 8_000)).isEqualTo(3);
  }

  @Test
  void eachEviction_makesRoomForSeveralSmallPods() {
    assertThat(unavoidable(16 * NODES + 5, 2_000)).isEqualTo(2);
  }

  /** Seven CPUs that are free on each node are no room for a pod that requests eight. */
  @Test
  void roomThatIsTooSmall_doesNotCount() {
    for (int node = 0; node < NODES; node++) {
      fill(node, 25_000);
    }

    assertThat(unavoidable(10, 8_000)).isEqualTo(10);
    assertThat(unavoidable(10, 4_000)).isEqualTo(10); // one place on each node, and no more lacking
  }

  @Test
  void largePods_takePlacesOfSmallOnes() {
    for (int node = 0; node < NODES; node++) {
      fill(node, 28_000);
    }
    causes.begin(running);
    for (int i = 0; i < NODES; i++) {
      causes.startedWithinGuarantee(4_000);
    }
    causes.startedWithinGuarantee(8_000);
    causes.end();

    assertThat(causes.unavoidable()).isEqualTo(1);
  }

  @Test
  void evictions_areCountedByCause_andIfTheyHitTheSamePodAgain() {
    fill(0, 1_000);
    fill(0, 1_000);

    causes.evicted(running.get(0), true);
    causes.evicted(running.get(1), false);
    causes.evicted(running.get(0), false);

    assertThat(causes.forGuarantees()).isEqualTo(1);
    assertThat(causes.forShares()).isEqualTo(2);
    assertThat(causes.again()).isEqualTo(1);
  }
}
