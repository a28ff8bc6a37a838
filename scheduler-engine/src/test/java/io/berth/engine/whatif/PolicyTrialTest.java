package io.berth.engine.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.WaitCause;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.Requirement;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.whatif.PolicyAnswer.Change;
import io.berth.rules.label.LabelOperator;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Questions about the policy {@code test}, which spreads pods, on three nodes with 4 CPUs each: one
 * is empty, and one is full.
 */
class PolicyTrialTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final String REVIEWED = "(of the review)";
  private static final String SPREADS = "{}";
  private static final String PACKS =
      """
      {"priorities": [
        {"name": "NodeResourcesFit", "weight": 100,
         "args": {"scoringStrategy": {"type": "MostAllocated"}}}]}
      """;
  private static final String LABELLED =
      """
      {"predicates": [
        {"name": "NodeAffinity",
         "args": {"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
           "nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "Exists"}]}]}}}}]}
      """;

  private final Mirror mirror = new Mirror(EngineOptions.defaults());

  @BeforeEach
  void fill() {
    apply(new ClusterEvent.PolicyServed(policy("test", SPREADS)));
    apply(new ClusterEvent.PolicyServed(policy("other", SPREADS)));
    apply(new ClusterEvent.DefaultPolicyChanged("test"));
    for (String name : List.of("n1", "n2", "n3")) {
      apply(
          new ClusterEvent.NodeUpserted(
              Nodes.node(name)
                  .label("kubernetes.io/hostname", name)
                  .milliCpu(4_000)
                  .memoryBytes(8L << 30)
                  .build()));
    }
    apply(Pods.pod("web").milliCpu(1_000).on("n1"));
    apply(Pods.pod("named").policy("test").milliCpu(1_000).on("n1"));
    apply(Pods.pod("full").policy("other").milliCpu(4_000).on("n3"));
    apply(Pods.pod("foreign").schedulerName("another").policy("test").on("n1"));
  }

  private static CompiledPolicy policy(String name, String spec) {
    try {
      PolicyCompilation compiled =
          new PolicyCompiler()
              .compile(name, "1", new ObjectMapper().readValue(spec, SchedulingPolicySpec.class));
      assertThat(compiled).isInstanceOf(PolicyCompilation.Compiled.class);
      return ((PolicyCompilation.Compiled) compiled).policy();
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(spec, e);
    }
  }

  private void apply(Pods pod) {
    apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private void apply(ClusterEvent event) {
    mirror.apply(event, NOW);
  }

  private PolicyAnswer ask(PolicyQuestion question) {
    return PolicyTrial.answer(mirror, question, NOW, () -> false);
  }

  private static PolicyQuestion about(String name, String spec, String defaultAfter) {
    return new PolicyQuestion(name, policy(REVIEWED, spec), defaultAfter, "", pod -> false);
  }

  private PolicyAnswer ask(String spec) {
    return ask(about("test", spec, "test"));
  }

  private static List<String> names(PolicyAnswer answer, PolicyEffect effect) {
    return answer.changes().stream()
        .filter(change -> change.effect() == effect)
        .map(change -> change.pod().name())
        .toList();
  }

  @Test
  void samePolicy_changesNothing_evenWherePodsWouldNotGoTodayAnyMore() {
    PolicyAnswer answer = ask(SPREADS);

    assertThat(answer.pods()).as("pods of the policy by name, and by default").isEqualTo(2);
    assertThat(answer.count(PolicyEffect.UNCHANGED)).isEqualTo(2);
    assertThat(answer.changes()).isEmpty();
  }

  @Test
  void policyThatPacks_movesPods_ofTheEmptierNodes() {
    apply(Pods.pod("alone").milliCpu(1_000).on("n2"));

    PolicyAnswer answer = ask(PACKS);

    assertThat(names(answer, PolicyEffect.GOES_ELSEWHERE)).containsExactly("alone");
    Change alone = answer.changes().getFirst();
    assertThat(alone.node()).isEqualTo("n2");
    assertThat(alone.today()).isEqualTo("n2");
    assertThat(alone.to()).isEqualTo("n1");
    assertThat(answer.count(PolicyEffect.UNCHANGED)).as("those of n1").isEqualTo(2);
  }

  @Test
  void policyThatRejectsEveryNode_leavesItsPodsWithoutPlace() {
    PolicyAnswer answer = ask(LABELLED);

    assertThat(names(answer, PolicyEffect.FITS_NOWHERE)).containsExactly("named", "web");
    assertThat(answer.changes().getFirst().notPlaced().orElseThrow().message())
        .startsWith("0/3 nodes are available");
  }

  @Test
  void podThatFitsNowhereToday_isNotAnEffect() {
    apply(Pods.pod("huge").milliCpu(9_000));

    assertThat(ask(LABELLED).count(PolicyEffect.UNCHANGED)).isEqualTo(1);
    assertThat(ask(PACKS).count(PolicyEffect.FITS_NOWHERE)).isZero();
  }

  @Test
  void policyThatDoesNotExistYet_letsItsPodsFit() {
    apply(Pods.pod("early").policy("new"));

    PolicyAnswer answer = ask(about("new", SPREADS, "test"));

    assertThat(answer.pods()).isEqualTo(1);
    assertThat(names(answer, PolicyEffect.FITS_NOW)).containsExactly("early");
  }

  @Test
  void namespaceThatIsNotAllowedAnyMore_isDenied() {
    PolicyAnswer answer = ask("{\"allowedNamespaces\": {\"names\": [\"team-b\"]}}");

    assertThat(names(answer, PolicyEffect.DENIED)).containsExactly("named", "web");
    assertThat(answer.changes().getFirst().notPlaced().orElseThrow().cause())
        .contains(WaitCause.POLICY_NOT_ALLOWED);
  }

  @Test
  void podThatTheWebhookWouldDeny_isDenied_whateverItsPolicy() {
    PolicyAnswer answer =
        ask(
            new PolicyQuestion(
                "test",
                policy(REVIEWED, SPREADS),
                "test",
                "",
                pod -> pod.ref().name().equals("full")));

    assertThat(names(answer, PolicyEffect.DENIED)).containsExactly("full");
    assertThat(answer.pods()).isEqualTo(3);
  }

  @Test
  void policyThatIsNoDefaultAnyMore_leavesPodsToTheNextOne() {
    apply(new ClusterEvent.PolicyServed(policy("", PACKS)));
    apply(Pods.pod("alone").milliCpu(1_000).on("n2"));

    assertThat(names(ask(about("test", SPREADS, "other")), PolicyEffect.GOES_ELSEWHERE)).isEmpty();
    PolicyAnswer builtIn = ask(about("test", SPREADS, ""));
    assertThat(names(builtIn, PolicyEffect.GOES_ELSEWHERE)).containsExactly("alone");
    assertThat(mirror.defaultPolicy()).isEqualTo("test");
  }

  @Test
  void policyThatEvicts_isNoticed_andItsLimitsHoldForEachPodAlone() {
    apply(
        new ClusterEvent.PolicyServed(policy("urgent", "{\"preemption\": {\"enabled\": false}}")));
    for (int i = 0; i < 3; i++) {
      apply(Pods.pod("vip-" + i).policy("urgent").priority(10).milliCpu(4_000));
    }
    String evicts = "{\"preemption\": {\"maxEvictionsPerMinute\": 1}}";

    assertThat(ask(about("urgent", evicts, "test")).count(PolicyEffect.UNCHANGED))
        .as("pods that fit on n2 already")
        .isEqualTo(3);

    apply(Pods.pod("occupies").milliCpu(4_000).on("n2"));
    PolicyAnswer full = ask(about("urgent", evicts, "test"));
    assertThat(names(full, PolicyEffect.EVICTS)).containsExactly("vip-0", "vip-1", "vip-2");
    assertThat(full.victims()).hasSize(1);
    assertThat(mirror.pod("default", full.victims().getFirst().name())).isPresent();
  }

  @Test
  void gatedPods_areNotTried() {
    apply(Pods.pod("gated").gates("example.com/wait"));

    PolicyAnswer answer = ask(LABELLED);

    assertThat(answer.notTried()).isEqualTo(1);
    assertThat(answer.tried()).isEqualTo(2);
  }

  @Test
  void questionAboutANamespace_concernsItsPodsAlone() {
    apply(Pods.pod("theirs").namespace("team-b").milliCpu(1_000).on("n2"));

    PolicyAnswer answer =
        ask(new PolicyQuestion("test", policy(REVIEWED, LABELLED), "test", "team-b", pod -> false));

    assertThat(answer.changes())
        .extracting(Change::pod)
        .extracting(PodRef::name)
        .containsExactly("theirs");
  }

  @Test
  void question_leavesTheMirrorAsItWas() {
    PodModel asked = Pods.pod("new").milliCpu(3_500).build();
    PlacementAnswer before = placed(asked);
    ask(PACKS);
    ask(LABELLED);
    ask(about("test", SPREADS, ""));

    assertThat(placed(asked).placements().getFirst().node())
        .isEqualTo(before.placements().getFirst().node());
    assertThat(mirror.serves(REVIEWED)).isFalse();
    assertThat(mirror.pod("default", "web").orElseThrow().nodeName()).isEqualTo("n1");
  }

  private PlacementAnswer placed(PodModel pod) {
    return WhatIf.answer(mirror, PlacementQuestion.of(pod), NOW, () -> false);
  }

  @Test
  void answer_isCut_ifTheTimeRunsOut() {
    for (int i = 0; i < 20; i++) {
      apply(Pods.pod("more-" + i).milliCpu(100).on("n2"));
    }
    AtomicInteger left = new AtomicInteger(8);

    PolicyAnswer answer =
        PolicyTrial.answer(
            mirror, about("test", LABELLED, "test"), NOW, () -> left.getAndDecrement() <= 0);

    assertThat(answer.truncated()).isTrue();
    assertThat(answer.tried()).isBetween(1, 8);
    assertThat(answer.pods()).isEqualTo(22);
  }

  private PolicyAnswer askRendered(Function<PodModel, PodChange> changes) {
    return PolicyTrial.answer(mirror, new RenderingQuestion("", changes), NOW, () -> false);
  }

  private static PodChange onlyFor(String name, PodModel pod, PodChange change) {
    return pod.ref().name().equals(name) ? change : new PodChange.NotConcerned();
  }

  private static PodModel on(PodModel pod, String node) {
    Requirement host = new Requirement("kubernetes.io/hostname", LabelOperator.IN, List.of(node));
    NodeTerm term = new NodeTerm(List.of(host), List.of(), false);
    return Pods.pod(pod.ref().name())
        .policy("test")
        .nodes(new NodeSelection(Map.of(), Optional.of(List.of(term)), List.of()))
        .build();
  }

  @Test
  void podThatIsRenderedOtherwise_goesElsewhere_withItsOwnRequests() {
    Function<PodModel, PodChange> toTheEmptyNode =
        pod -> onlyFor("web", pod, PodChange.Changed.rendered(pod, on(pod, "n1"), on(pod, "n2")));
    PolicyAnswer moved = askRendered(toTheEmptyNode);
    assertThat(names(moved, PolicyEffect.GOES_ELSEWHERE)).containsExactly("web");
    assertThat(moved.changes().getFirst().to()).isEqualTo("n2");

    PolicyAnswer rejected =
        askRendered(
            pod ->
                onlyFor("web", pod, PodChange.Changed.rendered(pod, on(pod, "n1"), on(pod, "n3"))));
    assertThat(names(rejected, PolicyEffect.FITS_NOWHERE)).as("n3 is full").containsExactly("web");
    assertThat(askRendered(toTheEmptyNode)).as("the mirror is as before").isEqualTo(moved);
  }

  @Test
  void podsOfUnknownOrigin_andThoseThatWouldBeDenied_areCounted() {
    PolicyAnswer unknown = askRendered(pod -> onlyFor("web", pod, new PodChange.UnknownOrigin()));
    assertThat(unknown.pods()).isEqualTo(1);
    assertThat(unknown.notTried()).isEqualTo(1);
    assertThat(unknown.unknownOrigin()).isEqualTo(1);

    PolicyAnswer denied = askRendered(pod -> onlyFor("web", pod, new PodChange.Denied("no tier")));
    assertThat(names(denied, PolicyEffect.DENIED)).containsExactly("web");
    assertThat(denied.changes().getFirst().denial()).isEqualTo("no tier");
  }

  @Test
  void podThatOnlyTheChangeGivesToThisScheduler_movesFromWhereTheOtherOneLeftIt() {
    PolicyAnswer answer =
        askRendered(
            pod -> onlyFor("foreign", pod, PodChange.Changed.rendered(pod, pod, on(pod, "n2"))));

    assertThat(names(answer, PolicyEffect.GOES_ELSEWHERE)).containsExactly("foreign");
  }
}
