package io.berth.engine.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.Taint;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Questions on a pool of three nodes with 4 CPUs each, of which one is tainted. */
class WhatIfTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Taint DATABASE = new Taint("dedicated", "db", TaintEffect.NO_SCHEDULE);

  private final Mirror mirror =
      new Mirror(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));

  @BeforeEach
  void fill() {
    PolicyCompilation compiled =
        new PolicyCompiler().compile("test", "1", SchedulingPolicySpec.of(List.of(), List.of()));
    apply(new ClusterEvent.PolicyServed(((PolicyCompilation.Compiled) compiled).policy()));
    apply(new ClusterEvent.DefaultPolicyChanged("test"));
    for (String name : List.of("n1", "n2")) {
      apply(new ClusterEvent.NodeUpserted(node(name).build()));
    }
    apply(
        new ClusterEvent.NodeUpserted(
            node("n3").taint("dedicated", "db", TaintEffect.NO_SCHEDULE).build()));
    apply(new ClusterEvent.PodUpserted(pod("old").milliCpu(1_000).on("n1").build()));
  }

  private static Nodes node(String name) {
    return Nodes.node(name)
        .label("kubernetes.io/hostname", name)
        .milliCpu(4_000)
        .memoryBytes(8L << 30);
  }

  private static Pods pod(String name) {
    return Pods.pod(name);
  }

  private void apply(ClusterEvent event) {
    mirror.apply(event, NOW);
  }

  private PlacementAnswer ask(PlacementQuestion question) {
    return WhatIf.answer(mirror, question, NOW, () -> false);
  }

  private PlacementAnswer ask(PodModel pod, int replicas, Hypothesis hypothesis) {
    return ask(new PlacementQuestion(pod, replicas, false, hypothesis));
  }

  @Test
  void onePod_isPlacedWithItsScores() {
    PlacementAnswer answer = ask(PlacementQuestion.of(pod("new").milliCpu(2_000).build()));

    assertThat(answer.placements()).hasSize(1);
    assertThat(answer.placements().getFirst().node()).isEqualTo("n2");
    assertThat(answer.placements().getFirst().record().bestNodes()).isNotEmpty();
    assertThat(answer.changes()).isEmpty();
  }

  @Test
  void replicas_fillTheNodes_andTheRestIsNotPlaced() {
    PlacementAnswer answer = ask(pod("new").milliCpu(1_000).build(), 9, Hypothesis.none());

    assertThat(answer.placements()).hasSize(7);
    assertThat(answer.notPlaced().orElseThrow().message()).contains("Insufficient cpu");
    assertThat(answer.undecided()).isEqualTo(1);
    assertThat(answer.usage().nodes()).isEqualTo(2);
    assertThat(answer.usage().of("cpu").orElseThrow())
        .isEqualTo(new PoolUsage.ResourceUsage("cpu", 8_000, 1_000, 8_000, 0));
  }

  @Test
  void whileTheyFit_theAnswerSaysHowMany() {
    PlacementAnswer answer =
        ask(
            new PlacementQuestion(
                pod("new").milliCpu(1_500).build(), 100, true, Hypothesis.none()));

    assertThat(answer.placements()).hasSize(4);
    assertThat(answer.notPlaced()).isEmpty();
    assertThat(answer.undecided()).isZero();
  }

  @Test
  void question_leavesTheMirrorAsItWas() {
    PodModel pod = pod("new").milliCpu(3_500).build();
    PlacementAnswer first = ask(pod, 5, drain("n2"));
    PlacementAnswer second = ask(pod, 5, Hypothesis.none());

    assertThat(first.placements()).isEmpty();
    assertThat(second.placements()).hasSize(1);
    assertThat(ask(pod, 5, Hypothesis.none()).changes()).isEqualTo(second.changes());
  }

  private static Hypothesis drain(String node) {
    return new Hypothesis(List.of(), Set.of(), Set.of(node), List.of(), Optional.empty());
  }

  @Test
  void podsOfADrainedNode_arePlacedElsewhere() {
    PlacementAnswer answer = ask(pod("new").milliCpu(3_500).build(), 1, drain("n1"));

    assertThat(answer.displaced()).isEqualTo(new PlacementAnswer.Displaced(1, 1, 0));
    assertThat(answer.placements()).as("the displaced pod was there before").isEmpty();
    assertThat(answer.usage().of("cpu").orElseThrow().after()).isEqualTo(1_000);
  }

  @Test
  void podsOfOtherSchedulers_leaveADrainedNode_andAreCounted() {
    apply(
        new ClusterEvent.PodUpserted(
            pod("foreign").schedulerName("other").milliCpu(100).on("n1").build()));

    assertThat(ask(pod("new").build(), 1, drain("n1")).displaced())
        .isEqualTo(new PlacementAnswer.Displaced(1, 1, 1));
  }

  @Test
  void asManyAsFit_comeBeforeDisplacedPodsOfLowerPriority() {
    PodModel important = pod("new").milliCpu(2_000).priority(10).build();
    PodModel patient = Pods.from(important).neverPreempts(true).build();

    for (PodModel pod : List.of(important, patient)) {
      PlacementAnswer answer = ask(new PlacementQuestion(pod, 100, true, drain("n1")));

      assertThat(answer.placements()).hasSize(2);
      assertThat(answer.placements()).allMatch(placed -> placed.victims().isEmpty());
      assertThat(answer.displaced()).isEqualTo(new PlacementAnswer.Displaced(1, 0, 0));
      assertThat(answer.usage().of("cpu").orElseThrow().after()).isEqualTo(4_000);
    }
  }

  @Test
  void asManyAsFit_comeAfterDisplacedPodsOfHigherPriority() {
    apply(new ClusterEvent.PodUpserted(pod("first").milliCpu(1_000).priority(20).on("n1").build()));

    PlacementAnswer answer =
        ask(
            new PlacementQuestion(
                pod("new").milliCpu(2_000).priority(10).build(), 100, true, drain("n1")));

    assertThat(answer.placements()).hasSize(1);
    assertThat(answer.displaced()).isEqualTo(new PlacementAnswer.Displaced(2, 2, 0));
    assertThat(answer.usage().of("cpu").orElseThrow().after()).isEqualTo(4_000);
  }

  @Test
  void podOfATrial_isNotPlacedAnyMore_onceAnotherEvictsIt() {
    PodModel low = pod("low").milliCpu(4_000).build();
    PodModel high = pod("high").milliCpu(4_000).priority(10).build();
    try (Trial trial = new Trial(mirror, NOW)) {
      TrialRun run = new TrialRun(mirror, trial, NOW, () -> false);
      trial.remove(mirror.pod("default", "old").orElseThrow().ref());
      trial.removeNode("n1");
      trial.place(low);
      run.run(() -> run.isDecided(low.ref()));
      assertThat(run.nodeOf(low.ref())).contains("n2");

      trial.place(high);
      run.run(() -> run.isDecided(high.ref()));

      assertThat(run.nodeOf(high.ref())).contains("n2");
      assertThat(run.victimsOf(high.ref())).containsExactly(low.ref());
      assertThat(run.nodeOf(low.ref())).isEmpty();
      assertThat(run.isDecided(low.ref())).isTrue();
    }
  }

  @Test
  void victims_areNamed_andAreBackAfterwards() {
    apply(new ClusterEvent.PodUpserted(pod("low").milliCpu(4_000).on("n2").build()));
    PodModel important = pod("new").milliCpu(4_000).priority(10).build();

    for (int i = 0; i < 3; i++) {
      PlacementAnswer answer = ask(PlacementQuestion.of(important));

      assertThat(answer.placements()).hasSize(1);
      assertThat(answer.placements().getFirst().victims())
          .extracting(PodRef::name)
          .containsExactly("old");
    }
  }

  @Test
  void pendingPods_areNotTried_andTheirNominationsCount() {
    apply(
        new ClusterEvent.PodUpserted(
            pod("waits").milliCpu(4_000).priority(10).nominatedNode("n2").build()));

    PlacementAnswer answer = ask(PlacementQuestion.of(pod("new").milliCpu(3_500).build()));

    assertThat(answer.placements()).isEmpty();
    assertThat(answer.notPlaced().orElseThrow().pod().name()).startsWith("new");
  }

  @Test
  void nominations_countAgain_afterAQuestionWithoutTheirNode() {
    apply(
        new ClusterEvent.PodUpserted(
            pod("waits").milliCpu(4_000).priority(10).nominatedNode("n2").build()));
    PodModel pod = pod("new").milliCpu(3_500).build();
    Hypothesis without =
        new Hypothesis(List.of(), Set.of("n2"), Set.of(), List.of(), Optional.empty());

    assertThat(ask(pod, 1, without).placements()).isEmpty();
    assertThat(ask(PlacementQuestion.of(pod)).placements()).as("n2 is promised").isEmpty();
  }

  @Test
  void assumedPods_count_untilTheirBindingFails() {
    PodModel placed = pod("placed").milliCpu(4_000).build();
    apply(new ClusterEvent.PodUpserted(placed));
    apply(new ClusterEvent.PodAssumed(placed.ref(), "n2", List.of(), List.of()));
    PlacementQuestion question = PlacementQuestion.of(pod("new").milliCpu(3_500).build());

    assertThat(ask(question).placements()).isEmpty();
    apply(new ClusterEvent.BindingFailed(placed.ref(), "conflict", true));
    assertThat(ask(question).placements()).hasSize(1);
  }

  @Test
  void existingPod_isPlacedAgain() {
    PodModel old = mirror.pod("default", "old").orElseThrow();
    PlacementAnswer answer =
        ask(
            old,
            1,
            new Hypothesis(List.of(), Set.of(), Set.of(), List.of(old.ref()), Optional.empty()));

    assertThat(answer.placements().getFirst().node()).isEqualTo("n1");
    assertThat(mirror.pod("default", "old")).contains(old);
  }

  @Test
  void podThatRequestsTooMuch_getsTheLargestRequestThatFits() {
    assertThat(ask(PlacementQuestion.of(pod("new").milliCpu(6_000).build())).changes())
        .contains(new FitChange.RequestLess("cpu", 6_000, 4_000, "n2"));
  }

  @Test
  void fullPool_getsATaint_anEviction_andANode() {
    apply(new ClusterEvent.PodUpserted(pod("big").milliCpu(4_000).on("n2").build()));

    List<FitChange> changes =
        ask(PlacementQuestion.of(pod("new").milliCpu(3_500).build())).changes();

    assertThat(changes)
        .contains(
            new FitChange.ToleratesTaint(DATABASE, "n3"),
            new FitChange.RequestLess("cpu", 3_500, 3_000, "n1"));
    assertThat(changes)
        .hasAtLeastOneElementOfType(FitChange.Evict.class)
        .hasAtLeastOneElementOfType(FitChange.AddNode.class);
  }

  @Test
  void copiesThatAreOnTheirNodes_areNotSuggestedForEviction_butMoreImportantPodsAre() {
    apply(new ClusterEvent.PodUpserted(pod("old").priority(200).milliCpu(1_000).on("n1").build()));
    apply(
        new ClusterEvent.PodUpserted(
            pod("important").priority(100).milliCpu(2_000).on("n2").build()));

    PlacementAnswer answer = ask(pod("new").milliCpu(1_000).build(), 9, Hypothesis.none());

    assertThat(answer.placements()).hasSize(5);
    assertThat(answer.changes())
        .filteredOn(FitChange.Evict.class::isInstance)
        .containsExactly(new FitChange.Evict(pod("important").build().ref(), "n2"));
  }

  @Test
  void poolThatTheCopiesFill_getsNoRequestOfNothing() {
    PlacementAnswer answer = ask(pod("new").milliCpu(1_000).build(), 9, Hypothesis.none());

    assertThat(answer.changes())
        .noneMatch(FitChange.RequestLess.class::isInstance)
        .hasAtLeastOneElementOfType(FitChange.AddNode.class);
  }

  /** Fills a node with a pod, and adds both. */
  private void addFull(Nodes node) {
    NodeModel built = node.build();
    apply(new ClusterEvent.NodeUpserted(built));
    apply(
        new ClusterEvent.PodUpserted(
            pod("fills-" + built.name())
                .milliCpu(built.allocatable().amountOf("cpu"))
                .on(built.name())
                .build()));
  }

  private Optional<String> addedNodeFor(PodModel pod) {
    return ask(PlacementQuestion.of(pod)).changes().stream()
        .filter(FitChange.AddNode.class::isInstance)
        .map(change -> ((FitChange.AddNode) change).model().name())
        .findFirst();
  }

  @Test
  void addedNode_isLikeTheSmallestThatHelps_whateverNamesTheNodesHave() {
    for (int i = 0; i < 20; i++) {
      addFull(node("small-" + i).label("serial", "s" + i));
    }
    for (int i = 0; i < 5; i++) {
      addFull(node("large-" + i).milliCpu(64_000).label("serial", "l" + i));
      addFull(node("huge-" + i).milliCpu(96_000).label("serial", "h" + i));
    }

    assertThat(addedNodeFor(pod("new").milliCpu(32_000).build())).contains("large-0");
    assertThat(addedNodeFor(pod("new").milliCpu(80_000).build())).contains("huge-0");
    assertThat(addedNodeFor(pod("new").milliCpu(97_000).build())).isEmpty();
  }

  @Test
  void addedNode_isOfADomainThatThePodMayUse_ifManyNodesAreNot() {
    String zone = "topology.kubernetes.io/zone";
    for (int i = 0; i < 40; i++) {
      addFull(
          node("a-" + i)
              .milliCpu(8_000 + i)
              .memoryBytes((8L << 30) + i)
              .label(zone, "a")
              .label("serial", "a" + i));
    }
    addFull(node("b-0").milliCpu(16_000).label(zone, "b").label("serial", "b0"));
    apply(new ClusterEvent.PodUpserted(pod("first").label("app", "web").on("a-0").build()));
    AffinityTerm away =
        new AffinityTerm(
            Set.of("default"),
            LabelSelector.nothing(),
            LabelSelector.ofPairs(Map.of("app", "web")),
            zone);

    assertThat(
            addedNodeFor(
                pod("new")
                    .milliCpu(8_000)
                    .memoryBytes(1)
                    .affinity(new PodAffinity(List.of(), List.of(away), List.of(), List.of()))
                    .build()))
        .contains("b-0");
  }

  @Test
  void addedNode_hasCardsForAPodThatAsksForThem_whateverTheIdsOfCards() {
    for (int i = 0; i < 20; i++) {
      addFull(node("old-" + i).cards(List.of(card("T4", "old-" + i))));
      addFull(node("none-" + i).milliCpu(2_000).label("kind", "k" + i % 16));
    }
    addFull(node("new-0").milliCpu(8_000).cards(List.of(card("V100", "new-0"))));

    assertThat(
            addedNodeFor(
                pod("new")
                    .milliCpu(2_000)
                    .cards(PodCards.of(CardRequest.whole("main", 1)).of(Set.of("V100")))
                    .build()))
        .contains("new-0");
  }

  private static Card card(String model, String id) {
    return new Card(id, model, Card.MILLI_CORES, 16_384, 0, "", -1, true);
  }

  @Test
  void missingLabel_isNamed() {
    PodModel pod =
        pod("new")
            .nodes(new NodeSelection(Map.of("disk", "ssd"), Optional.empty(), List.of()))
            .build();

    assertThat(ask(PlacementQuestion.of(pod)).changes())
        .contains(new FitChange.Label("disk", "ssd", "n2"));
  }

  @Test
  void addedNodes_takePods() {
    Hypothesis two =
        new Hypothesis(
            List.of(
                Hypothesis.nodeLike(mirror.node("n1").orElseThrow(), "added-1"),
                Hypothesis.nodeLike(mirror.node("n1").orElseThrow(), "added-2")),
            Set.of("n2"),
            Set.of(),
            List.of(),
            Optional.empty());

    assertThat(ask(pod("new").milliCpu(4_000).build(), 3, two).placements())
        .extracting(PlacementAnswer.Placement::node)
        .containsExactlyInAnyOrder("added-1", "added-2");
    assertThat(mirror.node("added-1")).isEmpty();
    assertThat(mirror.node("n2")).isPresent();
  }

  @Test
  void answer_isCut_ifTheTimeRunsOut() {
    AtomicInteger left = new AtomicInteger(3);
    PlacementAnswer answer =
        WhatIf.answer(
            mirror,
            new PlacementQuestion(pod("new").build(), 50, false, Hypothesis.none()),
            NOW,
            () -> left.getAndDecrement() <= 0);

    assertThat(answer.truncated()).isTrue();
    assertThat(answer.placements()).hasSizeLessThan(10);
    assertThat(ask(pod("new").build(), 50, Hypothesis.none()).placements()).hasSize(50);
  }
}
