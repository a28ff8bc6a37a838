package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.Advice;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
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

/** Changes after which a waiting pod fits, and must be retried at once instead of after minutes. */
class LostWakeUpsTest {
  private static final Duration BACKOFF = Duration.ofSeconds(15);

  private final TestCluster cluster = new TestCluster();

  private static Pod labeled(Pod pod) {
    return new PodBuilder(pod).editMetadata().addToLabels("app", "web").endMetadata().build();
  }

  /** Returns a pod that must run beside pods with its own label, on the same node. */
  private static Pod besideItsOwnKind(String name) {
    return new PodBuilder(labeled(TestCluster.pod(name, "1", 0)))
        .editSpec()
        .withNewAffinity()
        .withNewPodAffinity()
        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withNewLabelSelector()
        .addToMatchLabels("app", "web")
        .endLabelSelector()
        .withTopologyKey("kubernetes.io/hostname")
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endPodAffinity()
        .endAffinity()
        .endSpec()
        .build();
  }

  private static Node named(String name, String cpu) {
    return new NodeBuilder(TestCluster.node(name, cpu))
        .editMetadata()
        .addToLabels("kubernetes.io/hostname", name)
        .endMetadata()
        .build();
  }

  private static Node cordoned(Node node) {
    return new NodeBuilder(node).editSpec().withUnschedulable(true).endSpec().build();
  }

  private static Pod finished(Pod pod) {
    return new PodBuilder(pod).editStatus().withPhase("Succeeded").endStatus().build();
  }

  @TestFactory
  Stream<DynamicTest> podWithAffinityToItsOwnLabel_isFree_onceNoOtherPodHasIt() {
    Pod first = TestCluster.bound(labeled(TestCluster.pod("web-1", "1", 0)), "n1");
    Map<String, Consumer<TestCluster>> ends = new TreeMap<>();
    ends.put("deleted", living -> living.remove(first));
    ends.put("completed", living -> living.upsert(finished(first)));
    ends.put("on a node that is gone", living -> living.remove(named("n1", "4")));
    return ends.entrySet().stream()
        .map(
            end ->
                DynamicTest.dynamicTest(
                    end.getKey(),
                    () -> {
                      TestCluster living = new TestCluster();
                      living.upsert(cordoned(named("n1", "4")));
                      living.upsert(named("n2", "4"));
                      living.upsert(first);
                      living.upsert(besideItsOwnKind("web-2"));
                      assertThat(living.next()).isInstanceOf(Decision.Unschedulable.class);

                      end.getValue().accept(living);
                      living.later(BACKOFF);

                      assertThat(living.placed().nodeName()).isEqualTo("n2");
                    }));
  }

  private static Pod nominatedByAnAutoscaler(String node) {
    return new PodBuilder(TestCluster.pod("nominated", "3", 100))
        .editSpec()
        .addToNodeSelector("no-such", "label")
        .endSpec()
        .editStatus()
        .withNominatedNodeName(node)
        .endStatus()
        .build();
  }

  @TestFactory
  Stream<DynamicTest> podBehindANomination_isRetried_onceItEndsOrMoves() {
    return Stream.of("", "n2")
        .map(
            to ->
                DynamicTest.dynamicTest(
                    to.isEmpty() ? "ends" : "moves",
                    () -> {
                      TestCluster living = new TestCluster();
                      living.upsert(named("n1", "4"));
                      living.upsert(cordoned(named("n2", "4")));
                      living.upsert(nominatedByAnAutoscaler("n1"));
                      assertThat(living.next()).isInstanceOf(Decision.Unschedulable.class);
                      living.upsert(nominatedByAnAutoscaler(""));
                      living.upsert(nominatedByAnAutoscaler("n1"));
                      living.upsert(TestCluster.pod("behind", "3", 0));
                      assertThat(living.next()).isInstanceOf(Decision.Unschedulable.class);

                      living.upsert(nominatedByAnAutoscaler(to));
                      living.later(BACKOFF);

                      assertThat(firstPlaced(living).pod().name()).isEqualTo("behind");
                    }));
  }

  /** Returns the next placement; other pods may be rejected before. */
  private static Decision.Placed firstPlaced(TestCluster living) {
    for (int i = 0; i < 5; i++) {
      if (living.next() instanceof Decision.Placed placed) {
        return placed;
      }
    }
    throw new AssertionError("no pod is placed");
  }

  @Test
  void preemptorThatIsPlacedElsewhere_leavesItsRoomToOthersBeforeTheVictimIsGone() {
    cluster.upsert(named("n1", "4"));
    cluster.upsert(TestCluster.bound(TestCluster.pod("victim", "3", 0), "n1"));
    cluster.upsert(TestCluster.pod("preemptor", "4", 100));
    assertThat(cluster.nominated().nodeName()).isEqualTo("n1");
    cluster.upsert(TestCluster.pod("behind", "1", 0));
    assertThat(cluster.next()).isInstanceOf(Decision.Unschedulable.class);

    cluster.upsert(
        new NodeBuilder(named("n2", "4"))
            .editSpec()
            .addNewTaint("NoSchedule", "for", "preemptors", null)
            .endSpec()
            .build());
    cluster.later(BACKOFF);
    cluster.upsert(
        new PodBuilder(TestCluster.pod("preemptor", "4", 100))
            .editSpec()
            .addNewToleration()
            .withKey("for")
            .withOperator("Exists")
            .endToleration()
            .endSpec()
            .build());
    cluster.later(BACKOFF);

    Decision.Placed first = firstPlaced(cluster);
    assertThat(first.pod().name()).isEqualTo("preemptor");
    cluster.later(BACKOFF);
    assertThat(firstPlaced(cluster).pod().name()).isEqualTo("behind");
  }

  @Test
  void preemptorOfAVictimThatNeverEnds_looksElsewhere_onceTheNodeIsCordoned() {
    Node node = named("n1", "4");
    cluster.upsert(node);
    cluster.upsert(TestCluster.bound(TestCluster.pod("victim", "3", 0), "n1"));
    cluster.upsert(TestCluster.pod("preemptor", "3", 100));
    assertThat(cluster.nominated().nodeName()).isEqualTo("n1");
    cluster.upsert(named("n2", "4"));
    cluster.upsert(TestCluster.bound(TestCluster.pod("other", "3", 0), "n2"));
    cluster.later(BACKOFF);

    cluster.upsert(cordoned(node));
    cluster.later(BACKOFF);

    assertThat(cluster.nominated().nodeName()).isEqualTo("n2");
    assertThat(cluster.engine.nominations().podsOn("n1")).isEmpty();
  }

  @Test
  void podThatWaitsForAnAdvisor_isRetried_whenItsPolicyHasLostTheAdvisor() {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, SchedulingPolicySpec.defaults())
                .withConsultation(new Advisor("hangs", Integer.MIN_VALUE, Duration.ofMinutes(5)))));
    cluster.upsert(named("n1", "4"));
    cluster.upsert(TestCluster.pod("pod", "1", 0));
    AdviceRequest open = cluster.adviceRequest();

    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, SchedulingPolicySpec.defaults())));

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
    cluster.apply(new ClusterEvent.Advised(open.pod(), open.token(), Advice.Nodes.all()));
    assertThat(cluster.next()).isInstanceOf(Idle.class);
  }
}
