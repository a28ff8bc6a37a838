package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.model.PodRef;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Dry runs start with the node that may be the best, and end with the best one. The result is the
 * same as that of an engine that tries all nodes, as it does when it records everything.
 */
class PreemptionInOrderTest {
  private static final int NODES = 30;
  private static final int STEPS = 200;
  private static final EngineOptions BY_NAME =
      EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME);

  private static final String LICENSE = "example.com/license";
  private static final String MIRROR = "kubernetes.io/config.mirror";

  private final TestCluster inOrder = new TestCluster(BY_NAME);
  private final TestCluster passing = new TestCluster(BY_NAME.recordingEverything());
  private final Map<String, Pod> bound = new LinkedHashMap<>();
  private final Map<String, Pod> pending = new LinkedHashMap<>();
  private int names;

  private void upsert(HasMetadata object) {
    inOrder.upsert(object);
    passing.upsert(object);
  }

  private void remove(HasMetadata object) {
    inOrder.remove(object);
    passing.remove(object);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void theNodeAndTheVictims_areThoseOfAPassOverAllNodes(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < NODES; i++) {
      putNode(random, i);
    }
    for (int i = 0; i < 5 * NODES; i++) {
      bind(random, "n" + random.nextInt(NODES));
    }
    int nominated = 0;
    for (int step = 0; step < STEPS; step++) {
      change(random);
      nominated += preempt(random, "seed " + seed + ", step " + step) ? 1 : 0;
    }

    assertThat(nominated).as("preemptors that found room").isGreaterThan(STEPS / 10);
    assertThat(inOrder.engine.preemption().dryRuns())
        .isLessThan(passing.engine.preemption().dryRuns());
  }

  private void putNode(Random random, int number) {
    NodeBuilder node = new NodeBuilder(TestCluster.node("n" + number, "8"));
    if (random.nextInt(8) == 0) {
      node.editSpec().withUnschedulable(true).endSpec();
    }
    upsert(node.build());
  }

  private void bind(Random random, String nodeName) {
    String cpu = (500 + 250 * random.nextInt(8)) + "m";
    Pod pod = TestCluster.pod("low-" + names++, cpu, random.nextInt(3));
    PodBuilder placed = new PodBuilder(TestCluster.bound(pod, nodeName));
    placed.editMetadata().addToLabels("app", "app-" + random.nextInt(4)).endMetadata();
    if (random.nextInt(4) > 0) {
      placed
          .editStatus()
          .withStartTime("2026-01-01T00:00:%02dZ".formatted(random.nextInt(60)))
          .endStatus();
    }
    switch (random.nextInt(20)) {
      case 0 -> placed.editMetadata().addToAnnotations(MIRROR, "hash").endMetadata();
      case 1 -> makeOfDaemonSet(placed, nodeName);
      default -> {
        // Most pods are of neither kind.
      }
    }
    Pod built = placed.build();
    bound.put(built.getMetadata().getUid(), built);
    upsert(built);
  }

  private static void makeOfDaemonSet(PodBuilder pod, String nodeName) {
    pod.editMetadata()
        .addNewOwnerReference()
        .withApiVersion("apps/v1")
        .withKind("DaemonSet")
        .withName("agent")
        .withUid("agent-uid")
        .withController(true)
        .endOwnerReference()
        .endMetadata()
        .editSpec()
        .withNewAffinity()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .addNewNodeSelectorTerm()
        .addNewMatchField()
        .withKey("metadata.name")
        .withOperator("In")
        .withValues(nodeName)
        .endMatchField()
        .endNodeSelectorTerm()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .endAffinity()
        .endSpec();
  }

  private void restart(Random random, Pod pod) {
    Pod restarted =
        new PodBuilder(pod)
            .editStatus()
            .withStartTime("2026-01-01T00:01:%02dZ".formatted(random.nextInt(60)))
            .endStatus()
            .build();
    bound.put(restarted.getMetadata().getUid(), restarted);
    upsert(restarted);
  }

  private void change(Random random) {
    later(Duration.ofMillis(100));
    List<Pod> pods = new ArrayList<>(bound.values());
    switch (random.nextInt(10)) {
      case 0 -> putNode(random, random.nextInt(NODES));
      case 1 -> {
        if (pods.size() > 3 * NODES) {
          end(pods.get(random.nextInt(pods.size())));
        }
      }
      case 2, 3 -> bind(random, "n" + random.nextInt(NODES));
      case 4 -> upsert(budget(random));
      case 5 -> remove(budget(random));
      case 6 -> restart(random, pods.get(random.nextInt(pods.size())));
      default -> {
        // The next preemptor starts from the same state.
      }
    }
  }

  private static PodDisruptionBudget budget(Random random) {
    return new PodDisruptionBudgetBuilder()
        .withNewMetadata()
        .withName("budget-" + random.nextInt(2))
        .withNamespace("team")
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .addToMatchLabels("app", "app-" + random.nextInt(4))
        .endSelector()
        .endSpec()
        .withNewStatus()
        .withDisruptionsAllowed(random.nextInt(2))
        .endStatus()
        .build();
  }

  private void later(Duration time) {
    inOrder.later(time);
    passing.later(time);
  }

  private void end(Pod pod) {
    bound.remove(pod.getMetadata().getUid());
    remove(pod);
  }

  /** Returns whether the pod preempts others. */
  private boolean preempt(Random random, String when) {
    Pod wanted =
        TestCluster.pod("high-" + names++, (1 + random.nextInt(4)) + "500m", 1 + random.nextInt(3));
    pending.put(wanted.getMetadata().getUid(), wanted);
    upsert(wanted);
    Decision found = inOrder.decision();
    Pod pod = pending.get(found.pod().uid());
    Decision expected = passing.decision();
    assertThat(TestCluster.describe(found)).as(when).isEqualTo(TestCluster.describe(expected));
    boolean evicts = found instanceof Decision.Nominated;
    if (found instanceof Decision.Nominated nominated) {
      assertThat(expected.record().preemptionCandidates())
          .extracting(PreemptionCandidate::node)
          .contains(nominated.nodeName());
      if (random.nextInt(4) == 0) {
        return true; // The nomination for the node is kept.
      }
      nominated.victims().forEach(victim -> end(bound.get(victim.uid())));
      giveUp(pod);
    } else if (found instanceof Decision.Placed placed) {
      Pod there = TestCluster.bound(pod, placed.nodeName());
      pending.remove(there.getMetadata().getUid());
      bound.put(there.getMetadata().getUid(), there);
      upsert(there);
    } else {
      giveUp(pod);
    }
    return evicts;
  }

  private void giveUp(Pod pod) {
    pending.remove(pod.getMetadata().getUid());
    remove(pod);
  }

  @Test
  void onAlikeNodes_aPreemptorTriesOutOneNode_andItsReplicaOneMore() {
    for (int i = 0; i < 500; i++) {
      inOrder.upsert(TestCluster.node("n" + i, "4"));
      for (int j = 0; j < 4; j++) {
        inOrder.upsert(TestCluster.bound(TestCluster.pod("low-" + i + "-" + j, "1", 0), "n" + i));
      }
    }
    inOrder.upsert(TestCluster.pod("first", "3", 100));
    assertThat(inOrder.nominated().victims()).hasSize(3);
    assertThat(inOrder.engine.preemption().dryRuns()).isEqualTo(1);

    inOrder.upsert(TestCluster.pod("second", "3", 100));
    assertThat(inOrder.nominated().nodeName()).isNotEqualTo("n0");

    assertThat(inOrder.engine.preemption().dryRuns()).isLessThanOrEqualTo(3);
  }

  /** Asserts that the preemptor finds the same victims in both engines, and returns their names. */
  private List<String> victimsOf(Pod preemptor) {
    upsert(preemptor);
    Decision.Nominated found = inOrder.nominated();
    assertThat(found.victims()).isEqualTo(passing.nominated().victims());
    return found.victims().stream().map(PodRef::name).toList();
  }

  @Test
  void ofPodsThatAreKnownBeforeTheirNode_theLastOneIsSpared() {
    upsert(TestCluster.bound(TestCluster.pod("one", "1", 0), "n1"));
    upsert(TestCluster.bound(TestCluster.pod("two", "1", 0), "n1"));
    upsert(TestCluster.bound(TestCluster.pod("three", "1", 0), "n1"));
    upsert(TestCluster.node("n1", "3"));

    assertThat(victimsOf(TestCluster.pod("high", "1", 10))).containsExactly("one");
  }

  @Test
  void podsAreEvictedForAResource_thatTheirNodeOffersLaterThanTheyCame() {
    upsert(TestCluster.node("n1", "8"));
    upsert(TestCluster.bound(withLicense(TestCluster.pod("low", "1", 0)), "n1"));
    upsert(
        new NodeBuilder(TestCluster.node("n1", "8"))
            .editStatus()
            .addToAllocatable(LICENSE, new Quantity("1"))
            .endStatus()
            .build());

    assertThat(victimsOf(withLicense(TestCluster.pod("high", "1", 10)))).containsExactly("low");
  }

  private static Pod withLicense(Pod pod) {
    return new PodBuilder(pod)
        .editSpec()
        .editFirstContainer()
        .editResources()
        .addToRequests(LICENSE, new Quantity("1"))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  @Test
  void podsOfDaemonSetsAreSpared_besideOthersOfTheSamePriority() {
    upsert(TestCluster.node("n1", "3"));
    for (String name : List.of("one", "two", "three")) {
      PodBuilder pod = new PodBuilder(TestCluster.bound(TestCluster.pod(name, "1", 0), "n1"));
      if (!name.equals("two")) {
        makeOfDaemonSet(pod, "n1");
      }
      upsert(pod.build());
    }

    assertThat(victimsOf(TestCluster.pod("high", "1", 10))).containsExactly("two");
  }

  @Test
  void aPodThatBecomesAMirrorPod_isNoVictimAnyMore() {
    upsert(TestCluster.node("n1", "2"));
    Pod one = TestCluster.bound(TestCluster.pod("one", "1", 0), "n1");
    upsert(one);
    upsert(TestCluster.bound(TestCluster.pod("two", "1", 0), "n1"));
    Pod first = TestCluster.pod("first", "2", 10);
    assertThat(victimsOf(first)).containsExactlyInAnyOrder("one", "two");
    remove(first);
    upsert(new PodBuilder(one).editMetadata().addToAnnotations(MIRROR, "x").endMetadata().build());

    assertThat(victimsOf(TestCluster.pod("second", "1", 10))).containsExactly("two");
  }
}
