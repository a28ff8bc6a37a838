package io.berth.engine.whatif;

import io.berth.engine.api.Advice;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The decisions of a mirror about the pods of one trial. Victims are removed at once, so that the
 * pod that evicts them is placed; extenders are not asked, and accept everything.
 */
final class TrialRun {
  /** The most nominations of one pod, of which the last one counts as its placement. */
  private static final int MOST_NOMINATIONS = 4;

  private final Mirror mirror;
  private final Trial trial;
  private final BooleanSupplier expired;
  private final Instant end;
  private Instant now;
  private final Map<String, Decision> decisions = new HashMap<>();
  private final Map<String, List<PodRef>> victims = new HashMap<>();
  private final Set<String> evicted = new HashSet<>();
  private final Map<String, Integer> nominations = new HashMap<>();
  private boolean advised;
  private boolean truncated;

  /**
   * @param expired returns whether the time for the answer has run out
   */
  TrialRun(Mirror mirror, Trial trial, Instant now, BooleanSupplier expired) {
    this.mirror = mirror;
    this.trial = trial;
    this.now = now;
    this.end = now.plus(Mirror.LOOKAHEAD);
    this.expired = expired;
  }

  /** Lets the mirror decide until this is done, no pod can be tried, or the time runs out. */
  void run(BooleanSupplier done) {
    while (!done.getAsBoolean()) {
      if (expired.getAsBoolean()) {
        truncated = true;
        return;
      }
      switch (mirror.next(now)) {
        case Idle idle -> {
          Duration pause = idle.until().pause(now, Mirror.LOOKAHEAD);
          if (now.plus(pause).compareTo(end) >= 0) {
            return;
          }
          now = now.plus(pause);
        }
        case AdviceRequest asked -> {
          advised = true;
          mirror.applyForTrial(
              new ClusterEvent.Advised(asked.pod(), asked.token(), agreement(asked)), now);
        }
        case Decision decision -> take(decision);
      }
    }
  }

  private static Advice agreement(AdviceRequest asked) {
    return switch (asked.question()) {
      case AdviceRequest.OfNodes _ -> Advice.Nodes.all();
      case AdviceRequest.OfVictims(List<PreemptionCandidate> candidates) ->
          new Advice.Victims(candidates, List.of());
    };
  }

  private void take(Decision decision) {
    String uid = decision.pod().uid();
    if (!(decision instanceof Decision.Nominated nominated)) {
      decisions.put(uid, decision);
      return;
    }
    nominated.yielding().forEach(trial::remember);
    for (PodRef victim : nominated.victims()) {
      victims.computeIfAbsent(uid, ignored -> new ArrayList<>()).add(victim);
      decisions.remove(victim.uid()); // it may be a pod of the trial that was placed before
      evicted.add(victim.uid());
      trial.remove(victim);
    }
    if (nominated.victims().isEmpty()
        || nominations.merge(uid, 1, Integer::sum) > MOST_NOMINATIONS) {
      decisions.put(uid, decision); // the victims terminate already
    }
  }

  /** Returns the last decision about a pod; empty if there was none, or it was evicted since. */
  Optional<Decision> decision(PodRef pod) {
    return Optional.ofNullable(decisions.get(pod.uid()));
  }

  /** Returns whether there was a decision about a pod, even if it was evicted since. */
  boolean isDecided(PodRef pod) {
    return decisions.containsKey(pod.uid()) || evicted.contains(pod.uid());
  }

  /** Returns the node of a pod that was placed, or will be when its victims have terminated. */
  Optional<String> nodeOf(PodRef pod) {
    return decision(pod)
        .flatMap(
            decision ->
                switch (decision) {
                  case Decision.Placed placed -> Optional.of(placed.nodeName());
                  case Decision.Nominated nominated -> Optional.of(nominated.nodeName());
                  default -> Optional.empty();
                });
  }

  /** Returns the pods that were evicted for a pod. */
  List<PodRef> victimsOf(PodRef pod) {
    return victims.getOrDefault(pod.uid(), List.of());
  }

  /** Returns whether an extender was to be asked. */
  boolean advised() {
    return advised;
  }

  /** Returns whether the time ran out. */
  boolean truncated() {
    return truncated;
  }
}
