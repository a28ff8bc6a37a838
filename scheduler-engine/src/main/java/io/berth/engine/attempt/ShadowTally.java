package io.berth.engine.attempt;

import io.berth.engine.api.ShadowDecision.Result;
import io.berth.engine.api.ShadowState;
import io.berth.engine.framework.Shadow;
import io.berth.engine.policy.PolicyTable.Served;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/**
 * The decisions of a shadow by result, and the limit of the work for them. It ends when the policy
 * or its shadow changes.
 *
 * <p>Work is counted in steps, so that the same cluster leads to the same comparisons on a slow
 * machine.
 */
final class ShadowTally {
  /** The work of a decision in addition to its steps: what it costs if all answers are cached. */
  private static final long STEPS_PER_DECISION = 2_000;

  /** The additional work that is allowed for each percent of the pods. */
  private static final int MOST_WORK = 2;

  private static final long WHOLE = 100;

  private final Served policy;
  private final Served tried;
  private final Shadow shadow;
  private final Instant since;
  private final Map<Result, Long> pods = new EnumMap<>(Result.class);
  private long skipped;
  private long decided;
  private long spent;

  ShadowTally(Served policy, Served tried, Shadow shadow, Instant since) {
    this.policy = policy;
    this.tried = tried;
    this.shadow = shadow;
    this.since = since;
  }

  /** Returns whether this compares these revisions. */
  boolean isOf(Served otherPolicy, Served otherTried) {
    return policy.serial() == otherPolicy.serial() && tried.serial() == otherTried.serial();
  }

  /** Counts a decision of the policy, which took that many steps. */
  void decided(long steps) {
    decided += steps + STEPS_PER_DECISION;
  }

  /**
   * Returns whether the shadow may be tried now: its work so far is below the limit. One attempt
   * can exceed it, and the next ones are skipped then. Counts a pod that is skipped.
   */
  boolean mayTry() {
    boolean may = !shadow.isLimited() || spent * WHOLE < decided * MOST_WORK * shadow.percent();
    if (!may) {
      skipped++;
    }
    return may;
  }

  /** Counts an attempt of the shadow, which took that many steps. */
  void tried(Result result, long steps) {
    pods.merge(result, 1L, Long::sum);
    spent += steps + STEPS_PER_DECISION;
  }

  ShadowState state() {
    return new ShadowState(
        policy.policy().name(),
        shadow.policy(),
        tried.policy().revision(),
        since,
        pods,
        skipped,
        decided == 0 ? 0 : Math.toIntExact(Math.min(Integer.MAX_VALUE, spent * WHOLE / decided)));
  }
}
