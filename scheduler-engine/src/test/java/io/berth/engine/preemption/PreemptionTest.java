package io.berth.engine.preemption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.berth.engine.api.WaitCause;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.model.DisruptionBudget;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.plugins.NodeResourcesFit;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.CacheLimit;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Nodes have four cores; pods request cores. */
class PreemptionTest {
  private final ClusterState state = new ClusterState(new CacheLimit(1 << 20));
  private final Reservations reservations = Reservations.none(state);
  private final Nominations nominations = reservations.nominations();
  private final AwaitedVictims awaited = reservations.awaited();
  private final Preemption preemption = new Preemption(state, reservations);

  private void node(String name) {
    state.putNode(Nodes.node(name).milliCpu(4_000).memoryBytes(1L << 30).build());
  }

  private static PodModel model(
      String name, int cores, int priority, long startedSecond, boolean never, boolean preempted) {
    return Pods.pod(name)
        .ref(new PodRef("team", name, name))
        .labels(Map.of("app", name.substring(0, 1)))
        .priority(priority)
        .neverPreempts(never)
        .milliCpu(cores * 1_000L)
        .terminating(preempted)
        .preempted(preempted)
        .startedAt(
            startedSecond == 0
                ? Optional.empty()
                : Optional.of(Instant.ofEpochSecond(startedSecond)))
        .build();
  }

  private PodEntry running(String name, String node, int cores, int priority, long startedSecond) {
    PodEntry pod = state.addPod(model(name, cores, priority, startedSecond, false, false));
    state.place(pod, node);
    return pod;
  }

  private PodEntry pending(String name, int cores, int priority) {
    return state.addPod(model(name, cores, priority, 0, false, false));
  }

  private Preemption.Result tryFor(PodEntry pod) {
    PodShape shape = new PodShape(pod.shared(), state.matchersOf(pod), Optional.empty());
    List<NodeFilter> filters = new ArrayList<>();
    new NodeResourcesFit().filterFor(shape, state).ifPresent(filters::add);
    NodeSet potential = new NodeSet(state.nodes().slots());
    for (NodeFilter filter : filters) {
      filter.refresh();
      state
          .nodes()
          .alive()
          .forEach(
              slot -> {
                int verdict = filter.verdictAt(slot);
                if (verdict != NodeFilter.PASSES && filter.verdict(verdict).resolvable()) {
                  potential.add(slot);
                }
              });
    }
    return preemption.tryFor(
        pod, PreemptionRules.byPriority(), filters, potential, true, Instant.EPOCH);
  }

  private Preemption.Chosen chosen(PodEntry pod) {
    Preemption.Result result = tryFor(pod);
    assertThat(result).isInstanceOf(Preemption.Chosen.class);
    return (Preemption.Chosen) result;
  }

  private String impossible(PodEntry pod) {
    Preemption.Result result = tryFor(pod);
    assertThat(result).isInstanceOf(Preemption.Impossible.class);
    return ((Preemption.Impossible) result).message();
  }

  private static List<String> names(List<PodEntry> pods) {
    return pods.stream().map(pod -> pod.ref().name()).toList();
  }

  @Test
  void ofPodsThatStartedTogether_theFirstToComeIsSpared() {
    node("n1");
    running("b", "n1", 2, 1, 10);
    running("a", "n1", 2, 1, 10);

    assertThat(names(chosen(pending("p", 2, 10)).victims())).containsExactly("a");
  }

  @Test
  void ofPodsThatHaveNotStarted_theLastToComeIsSpared() {
    node("n1");
    running("a", "n1", 2, 1, 0);
    running("b", "n1", 2, 1, 0);

    assertThat(names(chosen(pending("p", 2, 10)).victims())).containsExactly("a");
  }

  @Test
  void dryRuns_doNotChangeWhoCameFirst() {
    node("n1");
    running("b", "n1", 2, 1, 10);
    running("a", "n1", 2, 1, 10);
    chosen(pending("o", 4, 10));

    assertThat(names(chosen(pending("p", 2, 10)).victims())).containsExactly("a");
  }

  @Test
  void victims_areThoseOfLowerPriorityThatCannotStay() {
    node("n1");
    running("a", "n1", 1, 5, 10);
    running("b", "n1", 1, 1, 10);
    running("c", "n1", 2, 2, 10);

    Preemption.Chosen chosen = chosen(pending("p", 2, 10));

    assertThat(chosen.nodeName()).isEqualTo("n1");
    assertThat(names(chosen.victims())).containsExactly("c");
  }

  @Test
  void ofEqualPriority_thePodThatRunsLongerIsSpared() {
    node("n1");
    running("young", "n1", 2, 1, 200);
    running("old", "n1", 2, 1, 100);

    assertThat(names(chosen(pending("p", 2, 10)).victims())).containsExactly("young");
  }

  @Test
  void podsOfEqualOrHigherPriority_areNoVictims() {
    node("n1");
    node("n2");
    running("equal", "n1", 4, 10, 1);
    running("higher", "n2", 4, 11, 1);

    assertThat(impossible(pending("p", 2, 10)))
        .isEqualTo(
            "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.");
  }

  @Test
  void nodesWhereEvictionCannotHelp_areCountedAsSuch() {
    node("n1");
    node("n2");
    running("equal", "n1", 4, 10, 1);

    assertThat(impossible(pending("p", 8, 10)))
        .isEqualTo(
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
  }

  @Test
  void neverPreempts_saysSo() {
    node("n1");
    running("a", "n1", 4, 1, 1);
    PodEntry pod = state.addPod(model("p", 2, 10, 0, true, false));

    assertThat(impossible(pod))
        .isEqualTo("preemption: not eligible due to preemptionPolicy=Never.");
  }

  @Test
  void budgets_areViolatedOnlyWhereNothingElseHelps() {
    node("n1");
    node("n2");
    running("guarded-1", "n1", 4, 1, 1);
    running("x", "n2", 4, 7, 1);
    state
        .budgets()
        .put(
            new DisruptionBudget(
                "team", "b", LabelSelector.ofPairs(Map.of("app", "g")), 0, Set.of()));

    Preemption.Chosen chosen = chosen(pending("p", 2, 10));

    assertThat(chosen.nodeName()).isEqualTo("n2");
    assertThat(chosen.candidates())
        .extracting(PreemptionCandidate::node, PreemptionCandidate::budgetViolations)
        .containsExactlyInAnyOrder(tuple("n1", 1), tuple("n2", 0));
  }

  @Test
  void podsWhoseEvictionWouldViolateABudget_areSparedFirst() {
    node("n1");
    running("guarded", "n1", 2, 1, 1);
    running("x", "n1", 2, 9, 1);
    state
        .budgets()
        .put(
            new DisruptionBudget(
                "team", "b", LabelSelector.ofPairs(Map.of("app", "g")), 0, Set.of()));

    assertThat(names(chosen(pending("p", 2, 10)).victims())).containsExactly("x");
  }

  @Test
  void ofEquallyImportantVictims_thoseThatViolateABudgetAreNamedFirst() {
    node("n1");
    running("a", "n1", 2, 1, 10);
    running("guarded", "n1", 2, 1, 10);
    state
        .budgets()
        .put(
            new DisruptionBudget(
                "team", "b", LabelSelector.ofPairs(Map.of("app", "g")), 0, Set.of()));

    assertThat(names(chosen(pending("p", 4, 10)).victims())).containsExactly("guarded", "a");
  }

  @Test
  void aBudgetWithAnEmptySelector_guardsNobody_andDisruptedPodsAreCountedAlready() {
    node("n1");
    running("guarded", "n1", 4, 1, 1);
    state
        .budgets()
        .put(new DisruptionBudget("team", "all", LabelSelector.everything(), 0, Set.of()));
    state
        .budgets()
        .put(
            new DisruptionBudget(
                "team", "b", LabelSelector.ofPairs(Map.of("app", "g")), 0, Set.of("guarded")));

    assertThat(chosen(pending("p", 2, 10)).candidates().getFirst().budgetViolations()).isZero();
  }

  @Test
  void theChoice_followsItsOrderedCriteria() {
    node("low-priority");
    running("a", "low-priority", 4, 1, 1);
    node("high-priority");
    running("b", "high-priority", 4, 5, 1);
    node("two-victims");
    running("c", "two-victims", 2, 1, 1);
    running("d", "two-victims", 2, 1, 1);
    node("later-start");
    running("e", "later-start", 4, 1, 50);

    assertThat(chosen(pending("p", 4, 10)).nodeName()).isEqualTo("later-start");
    state.removeNode("later-start");
    assertThat(chosen(pending("q", 4, 10)).nodeName()).isEqualTo("low-priority");
    state.removeNode("low-priority");
    assertThat(chosen(pending("r", 4, 10)).nodeName()).isEqualTo("two-victims");
    state.removeNode("two-victims");
    assertThat(chosen(pending("s", 4, 10)).nodeName()).isEqualTo("high-priority");
  }

  @Test
  void roomOfNominatedEqualPods_isNotTakenAgain() {
    node("n1");
    running("a", "n1", 4, 1, 1);
    PodEntry first = pending("first", 3, 10);
    nominations.nominate(first.ref().uid(), "n1");

    assertThat(impossible(pending("second", 3, 10))).contains("1 Insufficient cpu");
    assertThat(names(chosen(pending("urgent", 3, 11)).victims())).containsExactly("a");
  }

  @Test
  void aPreemptorThatWaitsForItsVictims_evictsNoMore() {
    node("n1");
    node("n2");
    running("a", "n1", 4, 1, 1);
    running("b", "n2", 4, 1, 1);
    PodEntry pod = pending("p", 2, 10);
    nominations.nominate(pod.ref().uid(), "n1");
    awaited.await(pod.ref().uid(), List.of("a"));

    Preemption.Result result = tryFor(pod);

    assertThat(result)
        .isEqualTo(
            new Preemption.Impossible(
                WaitCause.NO_ROOM,
                "preemption: not eligible due to a terminating pod on the nominated node.",
                true,
                Due.NEVER));
    awaited.gone("a");
    assertThat(tryFor(pod)).isInstanceOf(Preemption.Chosen.class);
  }

  @Test
  void aVictimThatIsTerminatingAfterARestart_isWaitedFor() {
    node("n1");
    PodEntry victim = state.addPod(model("a", 4, 1, 1, false, true));
    state.place(victim, "n1");
    PodEntry pod = pending("p", 2, 10);
    nominations.nominate(pod.ref().uid(), "n1");

    assertThat(impossible(pod)).contains("terminating pod on the nominated node");
  }

  @Test
  void theSecondReplica_triesOutOnlyTheNodesThatChanged() {
    for (int i = 0; i < 50; i++) {
      node("n" + i);
      running("low" + i, "n" + i, 4, 1, 100 + i);
    }
    PodEntry first = pending("p1", 2, 10);
    Preemption.Chosen taken = chosen(first);
    assertThat(preemption.dryRuns()).isEqualTo(50);

    nominations.nominate(first.ref().uid(), taken.nodeName());
    state.removePod(taken.victims().getFirst());

    Preemption.Chosen next = chosen(pending("p2", 2, 10));
    assertThat(next.nodeName()).isNotEqualTo(taken.nodeName());
    assertThat(preemption.dryRuns()).isLessThanOrEqualTo(51);
  }

  @Test
  void aPodThatStartsLater_isSeenByWhatIsRemembered() {
    node("n1");
    PodEntry one = running("one", "n1", 2, 1, 100);
    running("two", "n1", 2, 1, 200);
    assertThat(names(chosen(pending("p1", 2, 10)).victims())).containsExactly("two");

    state.updatePod(one, model("one", 2, 1, 300, false, false));

    assertThat(names(chosen(pending("p2", 2, 10)).victims())).containsExactly("one");
  }

  @Test
  void tryingOut_leavesTheStateAsItWas() {
    node("n1");
    running("a", "n1", 2, 1, 1);
    running("b", "n1", 2, 2, 1);

    chosen(pending("p", 4, 10));

    assertThat(state.nodes().podCount(0)).isEqualTo(2);
    assertThat(state.nodes().requested(state.resources().idOf("cpu"), 0)).isEqualTo(4000);
  }
}
