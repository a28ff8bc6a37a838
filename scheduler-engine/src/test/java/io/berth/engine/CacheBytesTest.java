package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import org.junit.jupiter.api.Test;

/**
 * Memory accounting of cached data: it is charged for its current size, and stays within the limit.
 */
class CacheBytesTest {
  private static final int NODES = 5_000;
  private static final int SHAPES = 3_000;
  private static final long BOUND = 40L << 20;
  private static final String HOST = "kubernetes.io/hostname";
  private static final String ZONE = "topology.kubernetes.io/zone";

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withCacheBytes(BOUND));

  private static long heapInUse() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      memory.gc();
      least = Math.min(least, memory.getHeapMemoryUsage().getUsed());
    }
    return least;
  }

  private void addNodes(int from, int to) {
    for (int i = from; i < to; i++) {
      cluster.upsert(
          new NodeBuilder(TestCluster.node("n" + i, "4"))
              .editMetadata()
              .addToLabels(ZONE, "z" + i % 3)
              .endMetadata()
              .build());
    }
  }

  /** Returns a pod of a unique kind, in its own namespace. */
  private Pod pod(int number) {
    String team = "team-" + number;
    PodBuilder pod =
        new PodBuilder(TestCluster.pod("p" + number, "100m", number % 7))
            .editMetadata()
            .withNamespace(team)
            .addToLabels("app", "app-" + number)
            .endMetadata();
    switch (number % 5) {
      case 0 -> avoidItself(pod, number);
      case 1 -> {
        claim(team);
        pod.editSpec()
            .addNewVolume()
            .withName("data")
            .withNewPersistentVolumeClaim("data", false)
            .endVolume()
            .endSpec();
      }
      case 2 -> spread(pod, number);
      case 3 ->
          pod.editSpec()
              .addToTolerations(
                  new TolerationBuilder().withKey("k" + number).withOperator("Exists").build())
              .addToNodeSelector("kubernetes.io/hostname", "n" + number)
              .endSpec();
      default ->
          pod.editSpec()
              .editFirstContainer()
              .editResources()
              .addToRequests("cpu", new Quantity(100 + number + "m"))
              .endResources()
              .endContainer()
              .endSpec();
    }
    return pod.build();
  }

  private static void avoidItself(PodBuilder pod, int number) {
    pod.editSpec()
        .withNewAffinity()
        .withNewPodAntiAffinity()
        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withTopologyKey(HOST)
        .withNewLabelSelector()
        .addToMatchLabels("app", "app-" + number)
        .endLabelSelector()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endPodAntiAffinity()
        .endAffinity()
        .endSpec();
  }

  private static void spread(PodBuilder pod, int number) {
    for (String key : new String[] {HOST, ZONE}) {
      pod.editSpec()
          .addNewTopologySpreadConstraint()
          .withMaxSkew(1)
          .withTopologyKey(key)
          .withWhenUnsatisfiable(number % 2 == 0 ? "DoNotSchedule" : "ScheduleAnyway")
          .withNewLabelSelector()
          .addToMatchLabels("app", "app-" + number)
          .endLabelSelector()
          .endTopologySpreadConstraint()
          .endSpec();
    }
  }

  private void claim(String team) {
    cluster.upsert(
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withName("data")
            .withNamespace(team)
            .withUid("uid-" + team)
            .endMetadata()
            .withNewSpec()
            .withStorageClassName("made")
            .withAccessModes("ReadWriteOnce")
            .withNewResources()
            .addToRequests("storage", new Quantity("1Gi"))
            .endResources()
            .endSpec()
            .withNewStatus()
            .withPhase("Pending")
            .endStatus()
            .build());
  }

  private void decideOnAll(int from, int to) {
    for (int i = from; i < to; i++) {
      cluster.upsert(pod(i));
      cluster.placed();
    }
  }

  @Test
  void whatIsRemembered_isChargedForTheHeapItTakes_andStaysWithinTheBound() {
    cluster.upsert(StorageObjects.storageClass("made", "example.com/disks"));
    addNodes(0, 100);
    decideOnAll(0, 50);
    // Answers that were computed for a few nodes grow with the cluster.
    addNodes(100, NODES);
    decideOnAll(50, SHAPES);

    long charged = cluster.engine.state().answers().bytes();
    assertThat(charged).isBetween(BOUND / 2, BOUND * 5 / 4);
    long with = heapInUse();
    cluster.engine.plans().forgetAll();
    long taken = with - heapInUse();

    assertThat(cluster.engine.state().answers().bytes()).isZero();
    assertThat(taken).isBetween(charged / 2, charged * 5 / 4);
    assertThat(cluster.engine.state().pods().size()).isEqualTo(SHAPES);
  }

  @Test
  void whatPreemptionRemembers_isCharged_andLetGoWithItsPlans() {
    addNodes(0, 300);
    for (int i = 0; i < 300; i++) {
      cluster.upsert(TestCluster.bound(TestCluster.pod("low-" + i, "4", 0), "n" + i));
    }
    for (int i = 0; i < 12; i++) {
      Pod pod = pod(5 * i);
      pod.getSpec().setPriority(1_000 + i);
      cluster.upsert(pod);
      assertThat(cluster.decision()).isInstanceOf(Decision.Nominated.class);
      cluster.remove(pod);
    }
    long charged = cluster.engine.state().answers().bytes();
    cluster.engine.plans().forgetAll();
    long ofPreemption = cluster.engine.state().answers().bytes();

    assertThat(ofPreemption).isBetween(12L * 300 * 13, charged);

    // The next kind of preemptor detects that the plans of the others were dropped.
    Pod last = pod(100);
    last.getSpec().setPriority(5_000);
    cluster.upsert(last);
    cluster.decision();
    cluster.engine.plans().forgetAll();
    assertThat(cluster.engine.state().answers().bytes()).isLessThan(ofPreemption / 6);
  }
}
