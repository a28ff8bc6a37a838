package io.berth.operator.leader;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A lease that another replica holds: its latest version, and when this replica first observed it.
 * The lease has expired when a whole lease duration has passed since then by this replica's own
 * clock.
 */
final class RivalLease {

  private @Nullable String version;
  private long seenAt;
  private long lifetimeNanos;

  /**
   * Records the current lease.
   *
   * @param at a time after the response or event that delivered it, by {@link System#nanoTime}: an
   *     earlier time could precede the renewal
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
