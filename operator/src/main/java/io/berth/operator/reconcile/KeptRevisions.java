package io.berth.operator.reconcile;

import io.berth.operator.policy.GoodRevision;
import io.berth.operator.policy.ServedPolicies;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the last good revision of each policy, without a request if it is already stored. A
 * revision that cannot be stored serves nevertheless; the write is retried every {@link #AGAIN}.
 */
final class KeptRevisions {

  static final Duration AGAIN = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(KeptRevisions.class);

  private final ServedPolicies served;
  private final BiConsumer<String, GoodRevision> goodRevisions;
  private final Clock clock;
  private final Map<String, GoodRevision> kept = new ConcurrentHashMap<>();
  private final Map<String, Instant> tryAgain = new ConcurrentHashMap<>();

  /**
   * @param goodRevisions stores a revision of the policy of this name; throws a
   *     KubernetesClientException if it cannot
   */
  KeptRevisions(
      ServedPolicies served, BiConsumer<String, GoodRevision> goodRevisions, Clock clock) {
    this.served = served;
    this.goodRevisions = goodRevisions;
    this.clock = clock;
  }

  /** Stores the policy's last good revision, if it has one that is not stored yet. */
  void keep(String policy) {
    Optional<GoodRevision> good =
        served.good(policy).filter(revision -> !revision.equals(kept.get(policy)));
    Instant now = clock.instant();
    if (good.isEmpty() || now.isBefore(tryAgain.getOrDefault(policy, Instant.MIN))) {
      return;
    }
    try {
      goodRevisions.accept(policy, good.get());
      kept.put(policy, good.get());
      tryAgain.remove(policy);
    } catch (KubernetesClientException e) {
      if (tryAgain.put(policy, now.plus(AGAIN)) == null) {
        LOG.warn(
            "Policy {} is in use, but was not saved for a restart: {}; retrying every {} s",
            policy,
            e.getMessage(),
            AGAIN.toSeconds());
      }
    }
  }

  /** Retries failed writes that are due. */
  void retry() {
    List.copyOf(tryAgain.keySet()).forEach(this::keep);
  }
}
