package io.berth.demo.soak;

import io.berth.crds.Installation;
import io.berth.demo.nemesis.ExposedBerth;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The leader according to the Lease, and since when it must place pods at once. */
final class LeaderWatch {
  private static final Duration BEGIN = Duration.ofSeconds(5);

  /** More than the time limit of a request, after which it is known to be lost. */
  private static final Duration RECOVERY = Duration.ofSeconds(20);

  private final KubernetesClient admin;
  private final List<ExposedBerth> berths;
  private final Stalls stalls;
  private volatile Term term = new Term("", null, System.nanoTime());
  private final AtomicInteger terms = new AtomicInteger();

  /**
   * A term of a leader.
   *
   * @param holder empty if there is none
   * @param seen the time when it was first seen
   */
  private record Term(String holder, @Nullable ZonedDateTime acquired, long seen) {}

  LeaderWatch(KubernetesClient admin, List<ExposedBerth> berths, Stalls stalls) {
    this.admin = admin;
    this.berths = List.copyOf(berths);
    this.stalls = stalls;
  }

  /** Reads the Lease. The time that this takes tells whether the API server is well. */
  void look() {
    long before = System.nanoTime();
    Lease lease =
        admin.leases().inNamespace(Installation.NAMESPACE).withName(Installation.LEASE).get();
    long now = System.nanoTime();
    stalls.took(Duration.ofNanos(now - before));
    String holder =
        lease == null ? "" : Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "");
    ZonedDateTime acquired = lease == null ? null : lease.getSpec().getAcquireTime();
    Term last = term;
    if (!holder.equals(last.holder()) || !Objects.equals(acquired, last.acquired())) {
      term = new Term(holder, acquired, now);
      terms.incrementAndGet();
    }
  }

  /** Returns the name of the leader; empty if there is none. */
  String holder() {
    return term.holder();
  }

  /** Returns the time for which the leader has been the same, in nanoseconds. */
  long heldFor() {
    return System.nanoTime() - term.seen();
  }

  /** The number of terms that were seen. */
  int terms() {
    return terms.get();
  }

  /**
   * Returns the time since which the leader must place pods at once; empty while there is none, or
   * while it has a fault.
   */
  OptionalLong dutySince() {
    Term current = term;
    Optional<ExposedBerth> leader =
        berths.stream().filter(berth -> berth.name().equals(current.holder())).findFirst();
    if (leader.isEmpty()) {
      return OptionalLong.empty();
    }
    OptionalLong calm = leader.get().calmSince();
    return calm.isEmpty()
        ? calm
        : OptionalLong.of(
            Math.max(current.seen() + BEGIN.toNanos(), calm.getAsLong() + RECOVERY.toNanos()));
  }
}
