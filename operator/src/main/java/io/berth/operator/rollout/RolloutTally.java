package io.berth.operator.rollout;

import io.berth.crds.rollout.RolloutCounts;
import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.operator.rollout.RolloutProgress.Results;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The results of both revisions of each policy that is rolled out, from the decisions of the
 * engine. Each pod counts once for a revision, with its last result. Thread-safe.
 *
 * <p>Only pods for which no node fits, and pods whose attempt failed, count as unschedulable: the
 * revision has no part in the others, such as pods that their queue holds.
 */
public final class RolloutTally {
  /** The most pods of a revision whose result can still change. */
  private static final int MOST_REMEMBERED = 50_000;

  private final Map<String, Sides> byPolicy = new ConcurrentHashMap<>();

  private enum Trouble {
    UNSCHEDULABLE,
    DENIED
  }

  /** The results of one revision. */
  private static final class Side {
    private final Map<String, Trouble> troubled = new LinkedHashMap<>();
    private long pods;
    private long unschedulable;
    private long denied;

    /** Begins with results of an earlier leader, whose pending pods are counted again. */
    Side(RolloutCounts before) {
      pods = Math.max(0, before.pods() - before.unschedulable() - before.denied());
    }

    void count(String uid, Optional<Trouble> trouble) {
      forget(uid);
      pods++;
      trouble.ifPresent(
          kind -> {
            add(kind, 1);
            troubled.put(uid, kind);
            if (troubled.size() > MOST_REMEMBERED) {
              Iterator<String> eldest = troubled.keySet().iterator();
              eldest.next();
              eldest.remove();
            }
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
    private final Side canary;
    private final Side stable;

    Sides(String specHash, String stableRevision, Results before) {
      this.specHash = specHash;
      this.stableRevision = stableRevision;
      this.canary = new Side(before.canary());
      this.stable = new Side(before.stable());
    }

    synchronized void count(String revision, String uid, Optional<Trouble> trouble) {
      boolean isStable = revision.equals(stableRevision);
      (isStable ? canary : stable).forget(uid);
      (isStable ? stable : canary).count(uid, trouble);
    }

    synchronized Results results() {
      return new Results(canary.counts(), stable.counts());
    }
  }

  /**
   * Returns the results of a rollout; counting begins with the first call.
   *
   * @param specHash the hash of the spec that is rolled out
   * @param stableRevision the revision that applies to the other pods
   * @param before the results that an earlier leader has recorded
   */
  public Results follow(String policy, String specHash, String stableRevision, Results before) {
    return byPolicy
        .compute(
            policy,
            (name, sides) ->
                sides != null
                        && sides.specHash.equals(specHash)
                        && sides.stableRevision.equals(stableRevision)
                    ? sides
                    : new Sides(specHash, stableRevision, before))
        .results();
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
