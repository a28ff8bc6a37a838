package io.berth.operator.record;

import io.berth.engine.api.Decision;
import io.berth.operator.record.DecisionLog.LoggedDecision;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A result that is not the latest one of its pod.
 *
 * @param at the time of the last decision with this result
 * @param result as in {@link DecisionFields}
 * @param node the node that was selected; empty if none was
 * @param message why none was, or what else the decision says
 * @param outcome the outcome of a placement, such as that the pod was bound; empty if unknown
 * @param times the number of decisions with this result, one after the other
 */
record EarlierDecision(
    Instant at, String result, String node, String message, Optional<String> outcome, int times) {

  /**
   * Returns the results before the next decision on a pod, the latest first.
   *
   * @param last the latest decision until now
   * @param most the number of results to keep
   */
  static List<EarlierDecision> with(LoggedDecision last, int most) {
    EarlierDecision latest = of(last);
    List<EarlierDecision> earlier = new ArrayList<>(last.earlier());
    if (!earlier.isEmpty() && earlier.getFirst().isLike(latest)) {
      latest = latest.after(earlier.removeFirst());
    }
    earlier.addFirst(latest);
    return List.copyOf(earlier.subList(0, Math.min(most, earlier.size())));
  }

  private static EarlierDecision of(LoggedDecision entry) {
    Decision decision = entry.decision();
    return new EarlierDecision(
        entry.at(),
        DecisionFields.result(decision),
        DecisionFields.node(decision),
        message(decision),
        entry.outcome(),
        1);
  }

  /** Returns the message, without the node of a dry run of preemption. */
  private static String message(Decision decision) {
    return decision instanceof Decision.Unschedulable waits
        ? waits
            .wouldEvict()
            .map(named -> waits.message().replace(named.nodeName(), "a node"))
            .orElse(waits.message())
        : decision.record().message();
  }

  /** Returns whether this result says the same, whatever its numbers are. */
  private boolean isLike(EarlierDecision other) {
    return result.equals(other.result) && node.equals(other.node) && outcome.equals(other.outcome);
  }

  private EarlierDecision after(EarlierDecision before) {
    return new EarlierDecision(at, result, node, message, outcome, times + before.times);
  }
}
