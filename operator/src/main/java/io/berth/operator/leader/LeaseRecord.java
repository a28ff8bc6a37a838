package io.berth.operator.leader;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The Lease of an election, as one replica writes it.
 *
 * @param namespace the lease's namespace
 * @param name the lease's name
 * @param identity the unique name of the replica in the lease
 * @param address the {@code host:port} at which other replicas reach its HTTP endpoints
 * @param lifetime how long the other replicas wait after a renewal before they take over
 */
record LeaseRecord(
    String namespace, String name, String identity, String address, Duration lifetime) {

  /**
   * Returns the lease as held by this replica.
   *
   * @param previous the previous state of the lease; null if there is none
   */
  Lease heldAfter(@Nullable Lease previous) {
    ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
    int seconds = (int) Math.max(1, lifetime.toSeconds());
    if (previous == null) {
      return new LeaseBuilder()
          .withNewMetadata()
          .withNamespace(namespace)
          .withName(name)
          .addToAnnotations(LeaderElection.ADDRESS_ANNOTATION, address)
          .endMetadata()
          .withNewSpec()
          .withHolderIdentity(identity)
          .withLeaseDurationSeconds(seconds)
          .withAcquireTime(now)
          .withRenewTime(now)
          .withLeaseTransitions(0)
          .endSpec()
          .build();
    }
    boolean renewal = isHolder(previous);
    int transitions = Optional.ofNullable(previous.getSpec().getLeaseTransitions()).orElse(0);
    return new LeaseBuilder(previous)
        .editMetadata()
        .addToAnnotations(LeaderElection.ADDRESS_ANNOTATION, address)
        .endMetadata()
        .editSpec()
        .withHolderIdentity(identity)
        .withLeaseDurationSeconds(seconds)
        .withAcquireTime(renewal ? previous.getSpec().getAcquireTime() : now)
        .withRenewTime(now)
        .withLeaseTransitions(renewal ? transitions : transitions + 1)
        .endSpec()
        .build();
  }

  /** Returns the released lease, which any replica may acquire immediately. */
  static Lease free(Lease held) {
    return new LeaseBuilder(held)
        .editSpec()
        .withHolderIdentity("")
        .withLeaseDurationSeconds(1)
        .endSpec()
        .build();
  }

  boolean isHolder(Lease lease) {
    return identity.equals(holder(lease));
  }

  /** Returns the identity of the holder; empty if the lease is not held. */
  static String holder(Lease lease) {
    return Optional.ofNullable(lease.getSpec().getHolderIdentity()).orElse("");
  }

  /** Returns the address of the holder; null if the lease has none. */
  static @Nullable String addressIn(Lease lease) {
    var annotations = lease.getMetadata().getAnnotations();
    return annotations == null ? null : annotations.get(LeaderElection.ADDRESS_ANNOTATION);
  }
}
