package io.berth.engine.attempt;

import io.berth.engine.api.Attempt;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowDecision.Result;
import io.berth.engine.api.ShadowState;
import io.berth.engine.cycle.Cycle;
import io.berth.engine.decision.BoundedText;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.framework.Shadow;
import io.berth.engine.journal.Journal;
import io.berth.engine.model.WorkloadHash;
import io.berth.engine.policy.PolicyTable;
import io.berth.engine.policy.PolicyTable.Served;
import io.berth.engine.preemption.Preemption;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Tries the shadows of policies: for a part of the pods, another policy searches a node in the same
 * state, right before a placement takes effect, or right after the pod was found to fit nowhere.
 * Nothing is changed by it, and a failure of the shadow does not affect the pod.
 *
 * <p>A pod is compared when it is placed, and on its first attempt if no node fits, so that each
 * counts at most twice. Pods of groups are not compared, because they are placed together, nor are
 * pods that a canary of the policy places, and advisors are not asked.
 */
public final class ShadowAttempts {
  /** The number of comparisons that are kept until they are taken. */
  private static final int MOST_KEPT = 1_024;

  private final ClusterState state;
  private final PolicyTable policies;
  private final PodPlans plans;
  private final Cycle cycle;
  private final Preemption preemption;
  private final Map<String, ShadowTally> tallies = new HashMap<>();
  private final Deque<ShadowDecision> decisions = new ArrayDeque<>();
  private boolean hasFailed;

  ShadowAttempts(
      ClusterState state,
      PolicyTable policies,
      PodPlans plans,
      Cycle cycle,
      Preemption preemption) {
    this.state = state;
    this.policies = policies;
    this.plans = plans;
    this.cycle = cycle;
    this.preemption = preemption;
  }

  /** Returns the comparisons since the last call, at most the latest 1,024, and forgets them. */
  public List<ShadowDecision> take() {
    if (decisions.isEmpty()) {
      return List.of();
    }
    List<ShadowDecision> taken = List.copyOf(decisions);
    decisions.clear();
    return taken;
  }

  /**
   * Returns whether a shadow has failed since the last call. Its filters may have stopped halfway,
   * and plans of other policies share their answers: drop all plans after the attempt.
   */
  public boolean takeFailure() {
    boolean failed = hasFailed;
    hasFailed = false;
    return failed;
  }

  /** Returns the state of each served policy that has a shadow, by name. */
  public List<ShadowState> states(Instant now) {
    List<ShadowState> states = new ArrayList<>();
    for (String name : policies.names()) {
      Served policy = policies.find(name).orElseThrow();
      policy
          .policy()
          .shadow()
          .ifPresent(
              shadow ->
                  states.add(
                      policies
                          .find(shadow.policy())
                          .map(tried -> tally(policy, tried, shadow, now).state())
                          .orElseGet(
                              () ->
                                  new ShadowState(
                                      name, shadow.policy(), "", now, Map.of(), 0, 0))));
    }
    tallies.keySet().removeIf(name -> policies.find(name).flatMap(this::shadowOf).isEmpty());
    return states;
  }

  private Optional<Shadow> shadowOf(Served served) {
    return served.policy().shadow();
  }

  private ShadowTally tally(Served policy, Served tried, Shadow shadow, Instant now) {
    String name = policy.policy().name();
    ShadowTally tally = tallies.get(name);
    if (tally == null || !tally.isOf(policy, tried)) {
      tally = new ShadowTally(policy, tried, shadow, now);
      tallies.put(name, tally);
    }
    return tally;
  }

  /**
   * Compares the result of a pod's policy with that of its shadow, if the policy has one and the
   * pod is chosen.
   *
   * @param ended the result: a placement that has not taken effect yet, or a rejection that has
   */
  void compare(PodEntry pod, Attempt attempt, Cycle.Ended ended, Instant now) {
    if (policies.hasShadows()) {
      compareIfWanted(pod, attempt, ended, now);
    }
  }

  private void compareIfWanted(PodEntry pod, Attempt attempt, Cycle.Ended ended, Instant now) {
    Optional<Served> policy = policies.find(policies.nameFor(pod.model().policy()));
    Optional<Shadow> shadow = policy.flatMap(this::shadowOf);
    if (shadow.isEmpty() || pod.model().group().isPresent()) {
      return;
    }
    Optional<Served> tried = policies.find(shadow.get().policy());
    if (tried.isEmpty()) {
      return;
    }
    if (policies.find(pod.model()).orElseThrow().serial() != policy.get().serial()) {
      return; // a canary has placed it
    }
    ShadowTally tally = tally(policy.get(), tried.get(), shadow.get(), now);
    tally.decided(state.work().used());
    boolean isCounted = ended instanceof Cycle.Found || attempt.number() == 1;
    if (isCounted
        && WorkloadHash.isAmong(shadow.get().percent(), pod.ref().uid().hashCode())
        && tally.mayTry()) {
      compare(pod, ended, policy.get(), tried.get(), tally, now);
    }
  }

  private void compare(
      PodEntry pod,
      Cycle.Ended ended,
      Served policy,
      Served tried,
      ShadowTally tally,
      Instant now) {
    Comparison comparison = new Comparison(pod, ended, tried, now);
    long steps = state.work().aside(state.nodes().size(), comparison::run);
    tally.tried(comparison.result, steps);
    if (decisions.size() == MOST_KEPT) {
      decisions.removeFirst();
    }
    decisions.add(
        new ShadowDecision(
            pod.ref(),
            policy.policy().name(),
            tried.policy().name(),
            comparison.result,
            comparison.nodeName,
            BoundedText.cut(comparison.message)));
  }

  /** One attempt of a shadow. */
  private final class Comparison {
    private final PodEntry pod;
    private final Cycle.Ended ended;
    private final Served tried;
    private final Instant now;
    private Result result = Result.FAILED;
    private String nodeName = "";
    private String message = "";

    Comparison(PodEntry pod, Cycle.Ended ended, Served tried, Instant now) {
      this.pod = pod;
      this.ended = ended;
      this.tried = tried;
      this.now = now;
    }

    void run() {
      Journal.Savepoint point = state.journal().savepoint();
      try {
        attempt();
      } catch (RuntimeException | StackOverflowError e) {
        result = Result.FAILED;
        nodeName = "";
        message = "the attempt failed: " + e;
      } finally {
        state.journal().rollback(point);
      }
      hasFailed |= result == Result.FAILED;
    }

    private void attempt() {
      switch (plans.beside(pod, tried.policy().name())) {
        case PodPlans.Untried untried -> noNode(untried.message());
        case PodPlans.Ready ready -> {
          int preferred = ended instanceof Cycle.Found found ? found.slot() : Cycle.NO_PREFERENCE;
          switch (cycle.beside(pod, ready.plan(), preferred)) {
            case Cycle.Found found -> found(found.slot());
            case Cycle.NotFound notFound -> notFound(notFound);
          }
        }
      }
    }

    private void found(int slot) {
      nodeName = state.nodes().name(slot);
      result =
          switch (ended) {
            case Cycle.Found actual when actual.slot() == slot -> Result.SAME;
            case Cycle.Found _ -> Result.ELSEWHERE;
            case Cycle.NotFound _ -> Result.FITS_INSTEAD;
          };
    }

    private void noNode(String why) {
      message = why;
      result = ended instanceof Cycle.Found ? Result.FITS_NOWHERE : Result.SAME;
    }

    private void notFound(Cycle.NotFound notFound) {
      PreemptionRules rules = tried.policy().preemption();
      if (ended instanceof Cycle.Found
          && rules.enabled()
          && !rules.isDryRun()
          && preemption.tryFor(
                  pod, rules, notFound.plan().filters(), notFound.curableByEviction(), false, now)
              instanceof Preemption.Chosen chosen) {
        result = Result.EVICTING;
        nodeName = chosen.nodeName();
        message =
            "%s would be evicted"
                .formatted(VictimNames.inNamespace(pod.ref().namespace(), chosen.victims()));
        return;
      }
      noNode(notFound.record(state.census(), List.of(), "").message());
    }
  }
}
