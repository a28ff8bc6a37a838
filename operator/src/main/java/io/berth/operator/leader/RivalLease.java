package io.berth.operator.leader;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge of a replica about a lease that another one holds: its newest version, and when
 * that was first seen. The lease has expired when a whole lease duration has passed since then by
 * this replica's own clock.
 */
final class RivalLease {

  private @Nullable String version;
  private long seenAt;
  private long lifetimeNanos;

  /**
   * Notes the lease as it is.
   *
   * @param at a time after the answer or event that brought it, by {@link System#nanoTime}: an
   *     earlier one could be before the renewal that it shows
   */
  void seen(Lease lease, long at) {
    String now = lease.getMetadata().getResourceVersion();
    if (!now.equals(version)) {
      version = now;
      seenAt = at;
    }
    lifetimeNanos =
        Duration.ofSeconds(Optional.ofNullable(lease.getSpec().getLeaseDurationSeconds()).orElse(0))
            .toNanos();
  }

  /** Returns the time until the lease has expired; not positive if it has. */
  Duration left(long now) {
    return Duration.ofNanos(lifetimeNanos - (now - seenAt));
  }
}
