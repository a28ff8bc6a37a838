package io.berth.engine.framework;

import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A policy's rules about which pods a pod may evict. Rules are values: pods with equal rules share
 * dry-run results.
 */
public interface PreemptionRules {
  /**
   * The permission to evict a pod, or its denial.
   *
   * @param until the time until which the answer holds if nothing else changes
   * @param protection the reason why a pod of lower priority must not be evicted
   */
  record Permission(boolean granted, Due until, Optional<Protection> protection) {
    /** The permission to evict, at any time. */
    public static final Permission GRANTED = new Permission(true, Due.NEVER, Optional.empty());

    /** The denial of eviction, at any time. */
    public static final Permission DENIED = new Permission(false, Due.NEVER, Optional.empty());

    private static final Permission OF_DAEMON_SET =
        new Permission(false, Due.NEVER, Optional.of(Protection.DAEMON_SET));

    private static final Permission NOT_STARTED = tooEarly(Due.NEVER);

    /** Returns the denial for a pod that has not run for long enough until that time. */
    public static Permission tooEarly(Due until) {
      return new Permission(false, until, Optional.of(Protection.MIN_RUN_TIME));
    }
  }

  /** Returns whether preemption is enabled. */
  boolean enabled();

  /** Returns whether victims are only reported, and not evicted. */
  default boolean isDryRun() {
    return false;
  }

  /** Returns the maximum number of pods that may be evicted for one pod. */
  default int maxVictims() {
    return Integer.MAX_VALUE;
  }

  /**
   * Returns whether the pods of a group with disruption {@code Group} are evicted together where
   * the limits allow it; otherwise each of them is a single victim.
   */
  default boolean keepsGroupsWhole() {
    return true;
  }

  /** Returns the maximum number of pods that may be evicted within a minute. */
  default EvictionLimits limits() {
    return EvictionLimits.NONE;
  }

  /**
   * Returns whether the victim may be evicted for the preemptor, provided that the {@link
   * io.berth.engine.state.EvictionOrder} allows it. The result depends only on the two pods and the
   * time, and is updated when a placed pod changes.
   */
  Permission mayEvict(PodEntry victim, PodEntry preemptor, Instant now);

  /**
   * Returns whether {@link #mayEvict} grants the eviction of every pod at any time, except those of
   * DaemonSets.
   */
  default boolean grantsAtAnyTime() {
    return false;
  }

  /** Returns whether {@link #mayEvict} never grants the eviction of pods of DaemonSets. */
  default boolean sparesDaemonSets() {
    return false;
  }

  /** Returns the part of a preemptor that {@link #mayEvict} reads. */
  default Object kindOf(PodEntry preemptor) {
    return preemptor.priority();
  }

  /** Returns rules without eviction: priorities only order the queue. */
  static PreemptionRules off() {
    return new Off();
  }

  /** Returns kube-scheduler's rule: every pod may be evicted that the order allows. */
  static PreemptionRules byPriority() {
    return new ByPriority();
  }

  /** No eviction. */
  record Off() implements PreemptionRules {
    @Override
    public boolean enabled() {
      return false;
    }

    @Override
    public Permission mayEvict(PodEntry victim, PodEntry preemptor, Instant now) {
      return Permission.DENIED;
    }
  }

  /** kube-scheduler's rule. */
  record ByPriority() implements PreemptionRules {
    @Override
    public boolean enabled() {
      return true;
    }

    @Override
    public Permission mayEvict(PodEntry victim, PodEntry preemptor, Instant now) {
      return Permission.GRANTED;
    }

    @Override
    public boolean grantsAtAnyTime() {
      return true;
    }
  }

  /**
   * Eviction of pods of lower priority, within limits.
   *
   * @param isDryRun whether victims are only reported
   * @param maxVictims the maximum number of pods that may be evicted for one pod
   * @param minRunTime the minimum time since the kubelet acknowledged a pod before it may be
   *     evicted; zero for no minimum
   * @param sparesDaemonSets whether pods of DaemonSets are never evicted
   * @param keepsGroupsWhole whether groups with disruption {@code Group} are evicted as a whole
   */
  record Bounded(
      boolean isDryRun,
      int maxVictims,
      EvictionLimits limits,
      Duration minRunTime,
      boolean sparesDaemonSets,
      boolean keepsGroupsWhole)
      implements PreemptionRules {
    @Override
    public boolean enabled() {
      return true;
    }

    @Override
    public Permission mayEvict(PodEntry victim, PodEntry preemptor, Instant now) {
      if (sparesDaemonSets && victim.model().isOfDaemonSet()) {
        return Permission.OF_DAEMON_SET;
      }
      if (minRunTime.isZero()) {
        return Permission.GRANTED;
      }
      Optional<Instant> startedAt = victim.model().startedAt();
      if (startedAt.isEmpty()) {
        return Permission.NOT_STARTED;
      }
      Instant ripe = startedAt.get().plus(minRunTime);
      return ripe.isAfter(now) ? Permission.tooEarly(Due.at(ripe)) : Permission.GRANTED;
    }

    @Override
    public boolean grantsAtAnyTime() {
      return minRunTime.isZero();
    }
  }
}
