package io.berth.operator.reconcile;

import io.berth.operator.policy.GoodRevision;
import io.berth.operator.policy.GoodRevisions;
import io.berth.operator.policy.ServedPolicies;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Keeps the last revision of each policy that compiled, without asking for what is kept already.
 */
final class KeptRevisions {

  private final ServedPolicies served;
  private final GoodRevisions goodRevisions;
  private final ConcurrentMap<String, GoodRevision> kept = new ConcurrentHashMap<>();

  KeptRevisions(ServedPolicies served, GoodRevisions goodRevisions) {
    this.served = served;
    this.goodRevisions = goodRevisions;
  }

  /** Keeps the policy's last good revision, if it has one that is not kept yet. */
  void keep(String policy) {
    served
        .good(policy)
        .filter(good -> !good.equals(kept.get(policy)))
        .ifPresent(
            good -> {
              goodRevisions.keep(policy, good);
              kept.put(policy, good);
            });
  }
}
