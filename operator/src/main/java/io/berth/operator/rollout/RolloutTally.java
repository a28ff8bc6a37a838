package io.berth.operator.rollout;

import io.berth.crds.rollout.RolloutCounts;
import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.operator.rollout.RolloutProgress.Results;
import io.berth.webhook.rollout.SpecRevision;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The results of both revisions of each policy that is rolled out, from the decisions of the
 * engine. Each pod counts once for a revision, with its last result. Thread-safe.
 *
 * <p>Only pods for which no node fits, and pods whose attempt failed, count as unschedulable: the
 * revision has no part in the others, such as pods that their queue holds.
 */
public final class RolloutTally {
  /**
   * The most pods of a revision whose result can still change. Beyond them, further pods that are
   * unschedulable or denied do not count.
   */
  static final int MOST_REMEMBERED = 200_000;

  private final Map<String, Sides> byPolicy = new ConcurrentHashMap<>();

  private enum Trouble {
    UNSCHEDULABLE,
    DENIED
  }

  /** The results of one revision. */
  private static final class Side {
    private final Map<String, Trouble> troubled = new HashMap<>();
    private long pods;
    private long unschedulable;
    private long denied;

    /** Begins with results of an earlier leader, whose pending pods are counted again. */
    Side(RolloutCounts before) {
      pods = Math.max(0, before.pods() - before.unschedulable() - before.denied());
    }

    void count(String uid, Optional<Trouble> trouble) {
      forget(uid);
      if (trouble.isPresent() && troubled.size() >= MOST_REMEMBERED) {
        return;
      }
      pods++;
      trouble.ifPresent(
          kind -> {
            add(kind, 1);
            troubled.put(uid, kind);
          });
    }

    void forget(String uid) {
      Trouble kind = troubled.remove(uid);
      if (kind != null) {
        pods--;
        add(kind, -1);
      }
    }

    private void add(Trouble kind, int number) {
      switch (kind) {
        case UNSCHEDULABLE -> unschedulable += number;
        case DENIED -> denied += number;
      }
    }

    RolloutCounts counts() {
      return new RolloutCounts(pods, unschedulable, denied);
    }
  }

  /** The results of a rollout. */
  private static final class Sides {
    private final String specHash;
    private final String stableRevision;
    private final String first;
    private final Side canary;
    private final Side stable;
    private volatile String last;

    Sides(RolloutProgress progress) {
      this.specHash = progress.latest().hash();
      this.stableRevision = progress.stable().orElseThrow().revision();
      this.first = progress.firstRevision();
      this.last = progress.latest().revision();
      Results before = progress.lastResults();
      this.canary = new Side(before.canary());
      this.stable = new Side(before.stable());
    }

    boolean isOf(RolloutProgress progress) {
      return specHash.equals(progress.latest().hash())
          && stableRevision.equals(progress.stable().orElseThrow().revision())
          && first.equals(progress.firstRevision());
    }

    synchronized void count(String revision, String uid, Optional<Trouble> trouble) {
      if (revision.equals(stableRevision)) {
        canary.forget(uid);
        stable.count(uid, trouble);
      } else if (SpecRevision.isBetween(revision, first, last)) {
        stable.forget(uid);
        canary.count(uid, trouble);
      }
    }

    synchronized Results results() {
      return new Results(canary.counts(), stable.counts());
    }
  }

  /**
   * Returns the results of a rollout that has begun; counting begins with the first call, from the
   * results that an earlier leader has recorded.
   */
  public Results follow(String policy, RolloutProgress progress) {
    Sides sides =
        byPolicy.compute(
            policy,
            (name, known) -> known != null && known.isOf(progress) ? known : new Sides(progress));
    sides.last = progress.latest().revision();
    return sides.results();
  }

  /** Ends counting for policies that do not exist any more. */
  public void keepOnly(Set<String> policies) {
    byPolicy.keySet().retainAll(policies);
  }

  /** Ends counting. */
  public void end(String policy) {
    byPolicy.remove(policy);
  }

  private static boolean hasNoRoom(Decision.Unschedulable rejected) {
    return !rejected.waits()
        && (rejected.cause() == WaitCause.NO_ROOM || rejected.cause() == WaitCause.EVICTIONS_HELD);
  }

  /** Counts a decision; called on the engine's thread. */
  public void decided(Decision decision) {
    if (byPolicy.isEmpty()) {
      return;
    }
    Sides sides = byPolicy.get(decision.record().policy());
    if (sides == null) {
      return;
    }
    String revision = decision.record().policyRevision();
    String uid = decision.pod().uid();
    switch (decision) {
      case Decision.Placed _ -> sides.count(revision, uid, Optional.empty());
      case Decision.Quarantined _ -> sides.count(revision, uid, Optional.of(Trouble.UNSCHEDULABLE));
      case Decision.Unschedulable rejected -> {
        if (rejected.cause() == WaitCause.POLICY_NOT_ALLOWED) {
          sides.count(revision, uid, Optional.of(Trouble.DENIED));
        } else if (hasNoRoom(rejected)) {
          sides.count(revision, uid, Optional.of(Trouble.UNSCHEDULABLE));
        }
      }
      case Decision.Nominated _ -> {} // it will be placed
      case Decision.GivenBack _ -> {} // the revision has no part in it
    }
  }
}
