package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.Advice;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.decision.Rejection;
import io.berth.engine.framework.Consultation;
import io.berth.engine.framework.Verdict;
import io.berth.engine.time.Due;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Policies that require advice before a pod is placed; other pods do not wait for it. */
class AdviceRequestTest {
  private static final Pod POD = TestCluster.pod("pod", "1", 0);

  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void twoNodes() {
    serve(Advisor.forAll());
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.node("n2", "4"));
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

  private static Advice.Nodes only(String... nodes) {
    return new Advice.Nodes(Optional.of(Set.of(nodes)), Map.of(), List.of(), List.of());
  }

  @Test
  void thePod_isPlacedOnANodeThatTheAdvisorAllows() {
    cluster.upsert(POD);

    AdviceRequest adviceRequest = cluster.adviceRequest();

    assertThat(adviceRequest.pod()).isEqualTo(TestCluster.ref(POD));
    assertThat(adviceRequest.nodes()).containsExactlyInAnyOrder("n1", "n2");
    assertThat(adviceRequest.consultation().name()).isEqualTo("advisor");
    answer(adviceRequest, only("n2"));
    Decision.Placed placed = cluster.placed();
    assertThat(placed.nodeName()).isEqualTo("n2");
    assertThat(placed.attempt().number()).isEqualTo(1);
    assertThat(cluster.next()).isInstanceOf(Idle.class);
  }

  @Test
  void scoresOfTheAdvisor_countInTheTotal_andAreInTheRecord() {
    cluster.upsert(POD);

    answer(
        cluster.adviceRequest(),
        new Advice.Nodes(
            Optional.empty(),
            Map.of(),
            List.of(
                new Advice.Scores("gpu-share", 3, Map.of("n2", 70, "n9", 1)),
                new Advice.Scores("licences", 1, Map.of("n1", 100))),
            List.of("licences gave no reason")));

    Decision.Placed placed = cluster.placed();
    assertThat(placed.nodeName()).isEqualTo("n2");
    assertThat(placed.record().bestNodes().getFirst().plugins())
        .anySatisfy(
            score -> {
              assertThat(score.plugin()).isEqualTo("gpu-share");
              assertThat(score.normalized()).isEqualTo(70);
              assertThat(score.weight()).isEqualTo(3);
            });
    assertThat(placed.record().notes()).containsExactly("licences gave no reason");
  }

  @Test
  void otherPods_arePlacedWhileTheAdvisorThinks() {
    serve(new Advisor("advisor", 10, Duration.ofSeconds(5)));
    cluster.upsert(TestCluster.pod("asked", "3", 10));
    cluster.upsert(TestCluster.pod("other", "3", 0));
    AdviceRequest adviceRequest = cluster.adviceRequest();

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");

    answer(adviceRequest, Advice.Nodes.all());
    assertThat(cluster.placed().nodeName()).as("the node that is still free").isEqualTo("n2");
  }

  @Test
  void nodesThatTheAdvisorRefuses_areRejectedWithItsReason() {
    cluster.upsert(POD);
    Verdict noGpu = Verdict.unresolvable("no GPU of the wanted kind");

    answer(
        cluster.adviceRequest(),
        new Advice.Nodes(
            Optional.of(Set.of()),
            Map.of("n1", new Advice.Refused("gpu-share", noGpu)),
            List.of(),
            List.of()));

    Decision.Unschedulable unschedulable = cluster.unschedulable();
    assertThat(unschedulable.record().rejections())
        .containsExactlyInAnyOrder(
            new Rejection("gpu-share", "no GPU of the wanted kind", false, 1),
            new Rejection("advisor", "node(s) were not accepted by advisor", false, 1));
    assertThat(unschedulable.message())
        .startsWith(
            "0/2 nodes are available: 1 no GPU of the wanted kind, 1 node(s) were not accepted by"
                + " advisor.");
  }

  @Test
  void aPodThatFitsNowhere_isNotAskedAbout() {
    cluster.upsert(TestCluster.pod("large", "64", 0));

    assertThat(cluster.unschedulable().message()).contains("2 Insufficient cpu");
    assertThat(cluster.engine.pending().consultations().size()).isZero();
  }

  @Test
  void anAdvisorThatIsUnavailable_delaysThePodAndSaysSo() {
    cluster.upsert(POD);

    answer(
        cluster.adviceRequest(), new Advice.Unavailable("extender gpu-share: connection refused"));

    assertThat(cluster.unschedulable().message())
        .isEqualTo("extender gpu-share: connection refused");
    assertThat(cluster.next()).isEqualTo(new Idle(Due.at(cluster.now().plusSeconds(1))));
    cluster.later(Duration.ofSeconds(1));
    AdviceRequest again = cluster.adviceRequest();
    assertThat(again.attempt().number()).isEqualTo(2);
    answer(again, Advice.Nodes.all());
    cluster.placed();
  }

  @Test
  void anAdvisorThatNeverAnswers_isGivenUpAtItsTimeout() {
    cluster.upsert(POD);
    AdviceRequest adviceRequest = cluster.adviceRequest();
    assertThat(cluster.next()).isEqualTo(new Idle(Due.at(cluster.now().plusSeconds(5))));

    cluster.later(Duration.ofSeconds(5));

    assertThat(cluster.unschedulable().message())
        .isEqualTo("advisor did not answer within 5000 ms");
    answer(adviceRequest, Advice.Nodes.all());
    assertThat(cluster.next()).as("the answer came too late").isInstanceOf(Idle.class);
  }

  @Test
  void aPodThatGoes_takesItsQuestionWithIt() {
    cluster.upsert(POD);
    AdviceRequest adviceRequest = cluster.adviceRequest();

    cluster.remove(POD);

    assertThat(cluster.engine.pending().consultations().size()).isZero();
    answer(adviceRequest, Advice.Nodes.all());
    assertThat(cluster.next()).isInstanceOf(Idle.class);
  }

  @Test
  void aPodThatIsBoundByAnother_takesItsQuestionWithIt() {
    cluster.upsert(POD);
    AdviceRequest adviceRequest = cluster.adviceRequest();
    answer(adviceRequest, Advice.Nodes.all());

    cluster.upsert(TestCluster.bound(POD, "n1"));

    assertThat(cluster.next()).isInstanceOf(Idle.class);
    assertThat(cluster.engine.pending().consultations().size()).isZero();
  }

  @Test
  void aPodThatChanges_isAskedAboutAgainAtOnce() {
    cluster.upsert(POD);
    AdviceRequest adviceRequest = cluster.adviceRequest();

    cluster.upsert(
        new PodBuilder(POD).editMetadata().addToLabels("tier", "front").endMetadata().build());

    answer(adviceRequest, only("n1"));
    AdviceRequest again = cluster.adviceRequest();
    assertThat(again.token()).isNotEqualTo(adviceRequest.token());
    answer(again, only("n2"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n2");
  }

  @Test
  void aPolicyThatIsReplacedMeanwhile_asksItsOwnAdvisor() {
    cluster.upsert(POD);
    AdviceRequest adviceRequest = cluster.adviceRequest();

    serve(new Advisor("another", Integer.MIN_VALUE, Duration.ofSeconds(5)));
    answer(adviceRequest, only("n1"));

    AdviceRequest again = cluster.adviceRequest();
    assertThat(again.consultation().name()).isEqualTo("another");
    answer(again, only("n2"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n2");
  }

  @Test
  void aPolicyThatWantsNoAdviceAnyMore_placesThePodWithoutIt() {
    cluster.upsert(POD);
    AdviceRequest adviceRequest = cluster.adviceRequest();

    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, SchedulingPolicySpec.defaults())));
    answer(adviceRequest, only("n2"));

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void aNodeThatCameMeanwhile_isNotTakenOnAdviceThatDoesNotNameIt() {
    cluster.upsert(TestCluster.pod("large", "3", 0));
    AdviceRequest adviceRequest = cluster.adviceRequest();
    cluster.upsert(TestCluster.node("n0", "64"));

    answer(adviceRequest, only("n1", "n2"));

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void scoresThatNoExtenderShouldGive_cannotOverflowTheTotal() {
    cluster.upsert(POD);

    answer(
        cluster.adviceRequest(),
        new Advice.Nodes(
            Optional.empty(),
            Map.of(),
            List.of(new Advice.Scores("loud", 1000, Map.of("n2", Integer.MAX_VALUE))),
            List.of()));

    Decision.Placed placed = cluster.placed();
    assertThat(placed.nodeName()).isEqualTo("n2");
    assertThat(placed.record().bestNodes().getFirst().total())
        .isBetween((long) Advice.Scores.LIMIT, Advice.Scores.LIMIT + 100_000L);
  }

  @Test
  void soManyQuestionsAreOpenAtATime_andTheMostImportantPodIsNext() {
    serve(Advisor.forAll().withMostOpen(1));
    cluster.upsert(TestCluster.pod("first", "1", 0));
    AdviceRequest first = cluster.adviceRequest();
    cluster.upsert(TestCluster.pod("later", "1", 0));
    cluster.upsert(TestCluster.pod("urgent", "1", 9));
    assertThat(cluster.next()).as("urgent waits").isEqualTo(new Idle(Due.AT_ONCE));
    assertThat(cluster.next()).as("later waits").isEqualTo(new Idle(Due.AT_ONCE));
    assertThat(cluster.next()).isEqualTo(new Idle(Due.at(cluster.now().plusSeconds(5))));
    assertThat(cluster.engine.queueCounts().active()).as("they are pending").isEqualTo(2);

    answer(first, Advice.Nodes.all());

    assertThat(cluster.placed().pod().name()).isEqualTo("first");
    AdviceRequest urgent = cluster.adviceRequest();
    assertThat(urgent.pod().name()).isEqualTo("urgent");
    answer(urgent, Advice.Nodes.all());
    assertThat(cluster.placed().pod().name()).isEqualTo("urgent");
    assertThat(cluster.adviceRequest().pod().name()).isEqualTo("later");
  }

  @Test
  void aTurnThatComesToNothing_isTheNextPods() {
    serve(Advisor.forAll().withMostOpen(1));
    cluster.upsert(TestCluster.pod("first", "4", 0));
    AdviceRequest first = cluster.adviceRequest();
    Pod gone = TestCluster.pod("gone", "1", 2);
    cluster.upsert(gone);
    cluster.upsert(TestCluster.pod("large", "64", 1));
    cluster.upsert(TestCluster.pod("last", "1", 0));
    for (int i = 0; i < 3; i++) {
      cluster.next();
    }

    cluster.remove(gone);
    answer(first, Advice.Nodes.all());

    cluster.placed();
    assertThat(cluster.unschedulable().pod().name()).isEqualTo("large");
    assertThat(cluster.adviceRequest().pod().name()).isEqualTo("last");
  }

  @Test
  void podsThatWaitForAnAnswerOrTheirTurn_areTriedAtOnceWhenThePolicyWantsNoAdviceAnyMore() {
    serve(Advisor.forAll().withMostOpen(1));
    cluster.upsert(TestCluster.pod("first", "1", 0));
    cluster.adviceRequest();
    cluster.upsert(TestCluster.pod("second", "1", 0));
    cluster.next();

    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, SchedulingPolicySpec.defaults())));

    assertThat(cluster.placed().pod().name()).isEqualTo("first");
    assertThat(cluster.placed().pod().name()).isEqualTo("second");
  }

  @Test
  void aPodThatTheAdvisorBinds_isPlacedWithItAsBinder() {
    Advisor binder = Advisor.in(Consultation.Topic.BINDING);
    serve(binder);
    cluster.upsert(POD);

    assertThat(cluster.placed().binder()).contains(binder);
  }

  @Test
  void theNominatedNode_isAskedAboutAlone_andTheOthersWhenItIsRefused() {
    Advisor advisor = Advisor.in(Consultation.Topic.NODES);
    serve(advisor);
    cluster.upsert(
        new PodBuilder(POD).withNewStatus().withNominatedNodeName("n2").endStatus().build());
    AdviceRequest nominated = cluster.adviceRequest();
    assertThat(nominated.nodes()).containsExactly("n2");

    answer(nominated, only());

    AdviceRequest all = cluster.adviceRequest();
    assertThat(all.attempt().number()).isEqualTo(1);
    assertThat(all.nodes()).containsExactlyInAnyOrder("n1", "n2");
    answer(all, only("n1"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void anAdvisorThatCannotBeAskedAboutTheNominatedNode_isAskedAboutAll() {
    serve(Advisor.in(Consultation.Topic.NODES));
    cluster.upsert(
        new PodBuilder(POD).withNewStatus().withNominatedNodeName("n2").endStatus().build());

    answer(cluster.adviceRequest(), new Advice.Unavailable("down"));

    assertThat(cluster.adviceRequest().nodes()).containsExactlyInAnyOrder("n1", "n2");
  }
}
