package io.berth.engine.api;

import io.berth.engine.api.ShadowDecision.Result;
import java.time.Instant;
import java.util.Map;

/**
 * The differences between the decisions of a shadow and those of its policy, in numbers of pods.
 *
 * @param policy the name of the policy
 * @param shadow the name of the policy that is only tried
 * @param shadowRevision its revision; empty if it is not served, and so nothing is compared
 * @param since the time since which pods are counted
 * @param pods the number of compared pods by result; a result without pods is absent
 * @param skipped the number of pods that were chosen and not compared, to limit the work
 * @param workPercent the work for the shadow in percent of that for all decisions of the policy
 */
public record ShadowState(
    String policy,
    String shadow,
    String shadowRevision,
    Instant since,
    Map<Result, Long> pods,
    long skipped,
    int workPercent) {
  public ShadowState {
    pods = Map.copyOf(pods);
  }

  /** Returns the number of pods with this result. */
  public long pods(Result result) {
    return pods.getOrDefault(result, 0L);
  }

  /** Returns the number of compared pods, with those for which the shadow failed. */
  public long compared() {
    return pods.values().stream().mapToLong(Long::longValue).sum();
  }
}
