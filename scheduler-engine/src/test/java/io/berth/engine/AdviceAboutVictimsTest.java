package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.Advice;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.framework.Consultation;
import io.berth.engine.framework.Verdict;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Advisors that take part in the choice of victims. */
class AdviceAboutVictimsTest {
  private static final Pod LOW_1 = TestCluster.bound(TestCluster.pod("low-1", "4", 1), "n1");
  private static final Pod LOW_2 = TestCluster.bound(TestCluster.pod("low-2", "4", 2), "n2");
  private static final Pod URGENT = TestCluster.pod("urgent", "3", 10);

  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void twoFullNodes() {
    serve(Advisor.in(Consultation.Topic.VICTIMS));
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.node("n2", "4"));
    cluster.upsert(LOW_1);
    cluster.upsert(LOW_2);
  }

  private void serve(Advisor advisor) {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, SchedulingPolicySpec.defaults())
                .withConsultation(advisor)));
  }

  private void answer(AdviceRequest adviceRequest, Advice advice) {
    cluster.apply(new ClusterEvent.Advised(adviceRequest.pod(), adviceRequest.token(), advice));
  }

  private static Advice.Victims on(String node, Pod... victims) {
    return new Advice.Victims(
        List.of(
            new PreemptionCandidate(
                node, List.of(victims).stream().map(TestCluster::ref).toList(), 0)),
        List.of("licences was passed over"));
  }

  @Test
  void theCandidates_areOfferedTheBestFirst_andNothingIsEvictedYet() {
    cluster.upsert(URGENT);

    AdviceRequest adviceRequest = cluster.adviceRequest();

    assertThat(adviceRequest.question())
        .isEqualTo(
            new AdviceRequest.OfVictims(
                List.of(
                    new PreemptionCandidate("n1", List.of(TestCluster.ref(LOW_1)), 0),
                    new PreemptionCandidate("n2", List.of(TestCluster.ref(LOW_2)), 0))));
    assertThat(cluster.engine.nominations().isEmpty()).isTrue();
  }

  @Test
  void theNodeThatIsLeft_isNominated() {
    cluster.upsert(URGENT);

    answer(cluster.adviceRequest(), on("n2", LOW_2));

    Decision.Nominated nominated = cluster.nominated();
    assertThat(nominated.nodeName()).isEqualTo("n2");
    assertThat(nominated.victims()).containsExactly(TestCluster.ref(LOW_2));
    assertThat(nominated.record().notes()).containsExactly("licences was passed over");
  }

  @Test
  void whereNothingIsLeft_nobodyIsEvicted() {
    cluster.upsert(URGENT);

    answer(cluster.adviceRequest(), new Advice.Victims(List.of(), List.of()));

    assertThat(cluster.unschedulable().message())
        .isEqualTo(
            "0/2 nodes are available: 2 Insufficient cpu."
                + " preemption: no candidate node for preemption.");
  }

  @Test
  void aVictimThatMustNotBeEvicted_isNot() {
    Pod high = TestCluster.bound(TestCluster.pod("high", "0", 100), "n1");
    cluster.upsert(high);
    cluster.upsert(URGENT);

    answer(cluster.adviceRequest(), on("n1", LOW_1, high));

    assertThat(cluster.unschedulable().message()).contains("no candidate node for preemption");
  }

  @Test
  void aVictimThatWentMeanwhile_makesRoomForThePod() {
    cluster.upsert(URGENT);
    AdviceRequest adviceRequest = cluster.adviceRequest();

    cluster.remove(LOW_1);
    answer(adviceRequest, on("n1", LOW_1));

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void anAdvisorThatCannotBeAsked_isNamedBesideTheReasons_andAskedAgainSoon() {
    cluster.upsert(URGENT);

    answer(cluster.adviceRequest(), new Advice.Unavailable("gpu-share: connection refused"));

    assertThat(cluster.unschedulable().message())
        .isEqualTo(
            "0/2 nodes are available: 2 Insufficient cpu. preemption: gpu-share: connection"
                + " refused");
    cluster.later(Duration.ofSeconds(10));
    assertThat(cluster.adviceRequest().question()).isInstanceOf(AdviceRequest.OfVictims.class);
  }

  @Test
  void nodesThatTheAdvisorRefuses_areAskedAboutWithTheirVictimsIfEvictingMayHelp() {
    serve(Advisor.in(Consultation.Topic.NODES, Consultation.Topic.VICTIMS));
    cluster.upsert(TestCluster.node("n3", "4"));
    cluster.upsert(TestCluster.bound(TestCluster.pod("low-3", "2", 3), "n3"));
    cluster.upsert(TestCluster.pod("urgent", "2", 10));
    AdviceRequest nodes = cluster.adviceRequest();
    assertThat(nodes.nodes()).containsExactly("n3");

    answer(
        nodes,
        new Advice.Nodes(
            Optional.of(Set.of()),
            Map.of("n3", new Advice.Refused("gpu-share", Verdict.unschedulable("cards are taken"))),
            List.of(),
            List.of()));

    AdviceRequest victims = cluster.adviceRequest();
    assertThat(victims.nodes()).contains("n1", "n2");
    answer(victims, on("n1", LOW_1));
    Decision.Nominated nominated = cluster.nominated();
    assertThat(nominated.nodeName()).isEqualTo("n1");
    assertThat(nominated.message()).contains("1 cards are taken");
  }
}
