package io.berth.operator.reconcile;

import io.berth.operator.policy.GoodRevision;
import io.berth.operator.policy.ServedPolicies;
import java.time.Clock;
import java.util.function.BiConsumer;

/**
 * Stores the last good revision of each policy, without a request if it is already stored. A
 * revision that cannot be stored serves nevertheless; the write is retried every {@link
 * KeptOnce#AGAIN}.
 */
final class KeptRevisions {

  private final ServedPolicies served;
  private final BiConsumer<String, GoodRevision> goodRevisions;
  private final KeptOnce kept;

  /**
   * @param goodRevisions stores a revision of the policy of this name; throws a
   *     KubernetesClientException if it cannot
   */
  KeptRevisions(
      ServedPolicies served, BiConsumer<String, GoodRevision> goodRevisions, Clock clock) {
    this.served = served;
    this.goodRevisions = goodRevisions;
    this.kept = new KeptOnce("SchedulingPolicy", clock);
  }

  /**
   * Stores the policy's last complete revision, if it is not stored yet.
   *
   * @return whether it has one that is stored
   */
  boolean keep(String policy) {
    return served
        .good(policy)
        .filter(good -> kept.keep(policy, good, () -> goodRevisions.accept(policy, good)))
        .isPresent();
  }

  /** Retries failed writes that are due. */
  void retry() {
    kept.failed().forEach(this::keep);
  }
}
