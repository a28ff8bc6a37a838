package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.crds.policy.SharedNodes;
import io.berth.engine.api.Advice;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.NodeScore;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Searches for policies with a percentage of nodes; each search starts where the last one ended.
 */
class PercentageOfNodesToScoreTest {
  private static final String ZONE = "topology.kubernetes.io/zone";
  private final TestCluster cluster = new TestCluster();
  private int pods;

  private static SchedulingPolicySpec spec(int percentage, List<PriorityPolicy> priorities) {
    SchedulingPolicySpec defaults = SchedulingPolicySpec.defaults();
    return new SchedulingPolicySpec(
        false,
        priorities.isEmpty(),
        defaults.predicates(),
        priorities,
        1,
        false,
        percentage,
        List.of(),
        null,
        null,
        null,
        null,
        SharedNodes.TRUST,
        null,
        null);
  }

  private void serve(int percentage) {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, spec(percentage, List.of()))));
  }

  @Test
  void nodesThatTheSearchDidNotReach_areCountedAsNotConsidered() {
    serve(0);
    nodes(200);
    cluster.upsert(TestCluster.pod("first", "1", 0));

    DecisionRecord record = cluster.placed().record();

    assertThat(record.feasibleNodes()).isLessThan(200);
    assertThat(record.unconsideredNodes()).isEqualTo(200 - record.feasibleNodes());
  }

  @Test
  void nodesBesideThatOfANomination_areCountedAsNotConsidered() {
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.node("n2", "4"));
    Pod victim = TestCluster.bound(TestCluster.pod("victim", "4", 0), "n1");
    Pod other = TestCluster.bound(TestCluster.pod("other", "4", 50), "n2");
    cluster.upsert(victim);
    cluster.upsert(other);
    cluster.upsert(TestCluster.pod("high", "4", 100));
    assertThat(cluster.nominated().nodeName()).isEqualTo("n1");

    cluster.remove(victim);
    cluster.remove(other);
    DecisionRecord record = cluster.placed().record();

    assertThat(record.feasibleNodes()).isEqualTo(1);
    assertThat(record.unconsideredNodes()).isEqualTo(1);
  }

  @Test
  void aQuestionForAdvice_doesNotMoveTheSearchOn() {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, spec(0, List.of()))
                .withConsultation(Advisor.forAll())));
    nodes(200);
    cluster.upsert(TestCluster.pod("first", "1", 0));
    AdviceRequest adviceRequest = cluster.adviceRequest();
    cluster.apply(
        new ClusterEvent.Advised(adviceRequest.pod(), adviceRequest.token(), Advice.Nodes.all()));

    String chosen = cluster.placed().nodeName();

    assertThat(adviceRequest.nodes()).as("the nodes that the search found").contains(chosen);
    cluster.upsert(TestCluster.pod("second", "1", 0));
    assertThat(cluster.adviceRequest().nodes())
        .as("those that the next search finds, from where the first one ended")
        .doesNotContainAnyElementsOf(adviceRequest.nodes());
  }

  private void nodes(int count) {
    for (int i = 0; i < count; i++) {
      cluster.upsert(TestCluster.node(name(i), "1000"));
    }
  }

  private static String name(int number) {
    return String.format("n%04d", number);
  }

  /** Returns the nodes that were scored for the next pod. */
  private Set<String> scored(Pod pod) {
    cluster.upsert(pod);
    return names(cluster.placed().record());
  }

  private static Set<String> names(DecisionRecord record) {
    return new TreeSet<>(record.bestNodes().stream().map(NodeScore::node).toList());
  }

  private Pod pod() {
    return TestCluster.pod("p" + pods++, "100m", 0);
  }

  private static Set<String> range(int from, int to) {
    Set<String> names = new TreeSet<>();
    for (int i = from; i < to; i++) {
      names.add(name(i));
    }
    return names;
  }

  @ParameterizedTest(name = "{0} % of {1} nodes: {2} are enough")
  @CsvSource({
    "50, 80, 80", "1, 99, 99", "30, 100, 100", "10, 500, 100", "40, 1000, 400", "100, 1000, 1000",
    "0, 80, 80", "0, 100, 100", "0, 1000, 420", "0, 500, 230", "0, 6000, 300", "0, 1250, 500"
  })
  void soManyFeasibleNodes_areScored(int percentage, int nodes, int enough) {
    serve(percentage);
    nodes(nodes);
    assertThat(scored(pod())).hasSize(enough);
  }

  @Test
  void thePolicyOfThePod_saysHowMany() {
    nodes(300);
    cluster.apply(
        new ClusterEvent.PolicyServed(TestCluster.policy("sampling", spec(40, List.of()))));
    Pod sampled =
        new PodBuilder(pod())
            .editMetadata()
            .addToAnnotations("sched.cloud.ctrip.com/policy", "sampling")
            .endMetadata()
            .build();
    assertThat(scored(sampled)).hasSize(120);
    assertThat(scored(pod())).as("the default is all").hasSize(300);
  }

  @Test
  void theNextSearch_goesOnWhereTheLastOneEnded_andComesRound() {
    serve(40);
    nodes(250);
    assertThat(scored(pod())).isEqualTo(range(0, 100));
    assertThat(scored(pod())).isEqualTo(range(100, 200));
    Set<String> third = range(200, 250);
    third.addAll(range(0, 50));
    assertThat(scored(pod())).isEqualTo(third);
    assertThat(scored(pod())).isEqualTo(range(50, 150));
  }

  @Test
  void everyNode_isScoredInTurn() {
    serve(1);
    nodes(350);
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      seen.addAll(scored(pod()));
    }
    assertThat(seen).hasSize(350);
  }

  @Test
  void nodesThatDoNotFit_areLookedAtAndDoNotCount() {
    serve(10);
    for (int i = 0; i < 300; i++) {
      Node node = TestCluster.node(name(i), "1000");
      cluster.upsert(
          i % 2 == 0
              ? node
              : new NodeBuilder(node).editSpec().withUnschedulable(true).endSpec().build());
    }
    cluster.upsert(pod());
    DecisionRecord record = cluster.placed().record();
    Set<String> even = range(0, 200);
    even.removeIf(name -> Integer.parseInt(name.substring(1)) % 2 == 1);
    assertThat(names(record)).isEqualTo(even);
    // The search ends before the node that would exceed the limit; node 199 does not fit, and comes
    // before that.
    assertThat(record.rejections().stream().mapToInt(rejection -> rejection.nodes()).sum())
        .isEqualTo(100);
    assertThat(scored(pod())).contains(name(200), name(298), name(0), name(98)).hasSize(100);
  }

  @Test
  void aSearchThatSeesAllNodes_leavesTheNextToBeginAtTheSame() {
    serve(40);
    nodes(250);
    assertThat(scored(pod())).isEqualTo(range(0, 100));
    cluster.upsert(TestCluster.pod("huge", "5000", 0));
    assertThat(cluster.unschedulable().message()).startsWith("0/250 nodes are available");
    assertThat(scored(pod())).isEqualTo(range(100, 200));
  }

  @Test
  void zonesTakeTurns_eachInTheOrderInWhichItsNodesCame() {
    serve(1);
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 240; i++) {
      // 120 nodes of zone a come first, then 60 of b, then 60 of c.
      String zone = i < 120 ? "a" : i < 180 ? "b" : "c";
      cluster.upsert(
          new NodeBuilder(TestCluster.node(name(i), "1000"))
              .editMetadata()
              .addToLabels(ZONE, zone)
              .endMetadata()
              .build());
    }
    for (int i = 0; i < 34; i++) {
      order.addAll(List.of(name(i), name(120 + i), name(180 + i)));
    }
    assertThat(scored(pod())).isEqualTo(new TreeSet<>(order.subList(0, 100)));
  }

  @Test
  void aNodeThatGoesAndComes_isTheLastOfItsZone() {
    serve(1);
    nodes(150);
    cluster.remove(TestCluster.node(name(0), "1000"));
    cluster.upsert(TestCluster.node(name(0), "1000"));
    assertThat(scored(pod())).isEqualTo(range(1, 101));
  }

  @Test
  void whereNothingIsScored_theFirstNodeThatFitsWillDo() {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(
                TestCluster.POLICY,
                spec(50, List.of(new PriorityPolicy("ImageLocality", 0, true, Map.of()))))));
    nodes(150);
    assertThat(scored(pod())).isEqualTo(range(0, 1));
    assertThat(scored(pod())).isEqualTo(range(1, 2));
  }
}
