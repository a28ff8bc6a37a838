package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Nominations: resources that preemption frees are reserved for one pod, as long as that pod waits
 * for them.
 */
class NominationTest {
  private static final Pod VICTIM = TestCluster.bound(TestCluster.pod("victim", "3", 0), "n1");
  private static final Pod PREEMPTOR = TestCluster.pod("preemptor", "3", 100);

  /** Returns a cluster with a node full of a victim, for which the preemptor is nominated. */
  private static TestCluster nominated() {
    TestCluster cluster = new TestCluster();
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(VICTIM);
    cluster.upsert(PREEMPTOR);
    Decision.Nominated nominated = cluster.nominated();
    assertThat(nominated.nodeName()).isEqualTo("n1");
    assertThat(nominated.victims()).containsExactly(TestCluster.ref(VICTIM));
    assertThat(nominated.message()).isEqualTo("0/1 nodes are available: 1 Insufficient cpu.");
    assertThat(cluster.engine.nominations().nodeOf("uid-preemptor")).contains("n1");
    return cluster;
  }

  private static void victimGoes(TestCluster cluster) {
    cluster.remove(VICTIM);
    cluster.later(Duration.ofSeconds(1));
  }

  @TestFactory
  Stream<DynamicTest> everyPathOnWhichThePodWaitsNoMore_endsTheNomination() {
    Map<String, Consumer<TestCluster>> paths = new TreeMap<>();
    paths.put(
        "assumed",
        cluster -> {
          victimGoes(cluster);
          assertThat(cluster.placed().nodeName()).isEqualTo("n1");
        });
    paths.put(
        "assumed, then bound, then confirmed",
        cluster -> {
          victimGoes(cluster);
          cluster.placed();
          cluster.apply(new ClusterEvent.BindingConfirmed(TestCluster.ref(PREEMPTOR)));
          cluster.upsert(TestCluster.bound(PREEMPTOR, "n1"));
        });
    paths.put(
        "assumed, then its Binding failed",
        cluster -> {
          victimGoes(cluster);
          cluster.placed();
          cluster.apply(
              new ClusterEvent.BindingFailed(TestCluster.ref(PREEMPTOR), "timeout", true));
        });
    paths.put(
        "bound there by another", cluster -> cluster.upsert(TestCluster.bound(PREEMPTOR, "n1")));
    paths.put(
        "bound elsewhere by another",
        cluster -> cluster.upsert(TestCluster.bound(PREEMPTOR, "n2")));
    paths.put("deleted", cluster -> cluster.remove(PREEMPTOR));
    paths.put("terminating", cluster -> cluster.upsert(terminating(PREEMPTOR)));
    paths.put("failed", cluster -> cluster.upsert(inPhase("Failed")));
    paths.put("succeeded", cluster -> cluster.upsert(inPhase("Succeeded")));
    paths.put(
        "recreated under its name",
        cluster ->
            cluster.upsert(
                new PodBuilder(TestCluster.pod("preemptor", "64", 100))
                    .editMetadata()
                    .withUid("another-uid")
                    .endMetadata()
                    .build()));
    paths.put("node gone", cluster -> cluster.remove(TestCluster.node("n1", "4")));
    paths.put(
        "promise withdrawn in its status",
        cluster -> {
          cluster.upsert(withNominatedNode("n1"));
          cluster.upsert(PREEMPTOR);
        });
    return paths.entrySet().stream()
        .map(
            path ->
                DynamicTest.dynamicTest(
                    path.getKey(),
                    () -> {
                      TestCluster cluster = nominated();
                      path.getValue().accept(cluster);
                      assertThat(cluster.engine.nominations().nodeOf("uid-preemptor")).isEmpty();
                      assertThat(cluster.engine.nominations().podsOn("n1"))
                          .doesNotContain("uid-preemptor");
                    }));
  }

  private static Pod terminating(Pod pod) {
    return new PodBuilder(pod)
        .editMetadata()
        .withDeletionTimestamp("2026-01-01T00:00:00Z")
        .endMetadata()
        .build();
  }

  private static Pod inPhase(String phase) {
    return new PodBuilder(PREEMPTOR).editStatus().withPhase(phase).endStatus().build();
  }

  private static Pod withNominatedNode(String nodeName) {
    return new PodBuilder(PREEMPTOR)
        .editStatus()
        .withNominatedNodeName(nodeName)
        .endStatus()
        .build();
  }

  @Test
  void theNomination_survivesUpdatesOfThePodThatDoNotChangeIt() {
    TestCluster cluster = nominated();

    cluster.upsert(PREEMPTOR);
    cluster.upsert(
        new PodBuilder(PREEMPTOR).editMetadata().addToLabels("a", "b").endMetadata().build());

    assertThat(cluster.engine.nominations().nodeOf("uid-preemptor")).contains("n1");
  }

  @Test
  void theNomination_isRestoredAfterARestart() {
    TestCluster cluster = new TestCluster();
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.node("n2", "1"));
    cluster.upsert(withNominatedNode("n1"));
    cluster.placed();

    cluster.upsert(TestCluster.pod("low", "2", 0));

    assertThat(cluster.unschedulable().message()).contains("2 Insufficient cpu");
  }

  @Test
  void lowerPods_doNotTakeTheNominatedPodsRoom_butHigherOnesDo() {
    TestCluster cluster = nominated();
    cluster.remove(VICTIM);
    cluster.upsert(TestCluster.pod("low", "3", 50));
    assertThat(cluster.unschedulable().pod().name()).isEqualTo("low");

    cluster.upsert(TestCluster.pod("urgent", "3", 200));
    assertThat(cluster.placed().pod().name()).isEqualTo("urgent");
  }

  @Test
  void aHigherPreemptor_endsTheNominationOfALowerOneOnItsNode() {
    TestCluster cluster = nominated();
    cluster.upsert(TestCluster.pod("urgent", "3", 200));

    assertThat(cluster.nominated().nodeName()).isEqualTo("n1");

    assertThat(cluster.engine.nominations().podsOn("n1")).containsExactly("uid-urgent");
  }

  @Test
  void aTerminatingVictim_isNotToBeDeletedAgain() {
    TestCluster cluster = new TestCluster();
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(terminating(VICTIM));
    cluster.upsert(PREEMPTOR);

    assertThat(cluster.nominated().victims()).isEmpty();
  }
}
