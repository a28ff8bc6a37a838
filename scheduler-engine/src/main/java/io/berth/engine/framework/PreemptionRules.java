package io.berth.engine.framework;

import io.berth.engine.state.PodEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The pods that a policy lets a pod evict. Rules are values: what dry runs found under equal rules
 * is shared.
 */
public interface PreemptionRules {
  /**
   * An answer to the question whether a pod may be evicted.
   *
   * @param until until when the answer holds if nothing but the time changes; {@link Instant#MAX}
   *     for always
   */
  record Permission(boolean granted, Instant until) {
    /** It may, whatever the time. */
    public static final Permission GRANTED = new Permission(true, Instant.MAX);

    /** It may not, whatever the time. */
    public static final Permission DENIED = new Permission(false, Instant.MAX);
  }

  /** Returns whether victims are looked for at all. */
  boolean enabled();

  /** Returns whether victims are only named, and nobody is evicted. */
  default boolean isDryRun() {
    return false;
  }

  /** The most pods that may be evicted for one pod. */
  default int maxVictims() {
    return Integer.MAX_VALUE;
  }

  /** The number of pods that may be evicted within a minute. */
  default EvictionLimits limits() {
    return EvictionLimits.NONE;
  }

  /**
   * Says whether the victim may be evicted for the preemptor; only one of lower priority ever may.
   * Depends on nothing but the two pods and the time; a change of a placed pod is noticed.
   */
  Permission mayEvict(PodEntry victim, PodEntry preemptor, Instant now);

  /** All that {@link #mayEvict} reads of a preemptor. */
  default Object kindOf(PodEntry preemptor) {
    return preemptor.priority();
  }

  /** No eviction: priorities order the queue alone. */
  static PreemptionRules off() {
    return new Off();
  }

  /** kube-scheduler's rule: pods of lower priority may be evicted. */
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
      return victim.priority() < preemptor.priority() ? Permission.GRANTED : Permission.DENIED;
    }
  }

  /**
   * Pods of lower priority may be evicted, within bounds.
   *
   * @param isDryRun whether victims are only named
   * @param maxVictims the most pods that may be evicted for one pod
   * @param minRunTime how long a pod must have run before it may be evicted, as of when its kubelet
   *     acknowledged it; zero where it need not run at all
   * @param sparesDaemonSets whether pods of DaemonSets are never evicted
   */
  record Bounded(
      boolean isDryRun,
      int maxVictims,
      EvictionLimits limits,
      Duration minRunTime,
      boolean sparesDaemonSets)
      implements PreemptionRules {
    @Override
    public boolean enabled() {
      return true;
    }

    @Override
    public Permission mayEvict(PodEntry victim, PodEntry preemptor, Instant now) {
      if (victim.priority() >= preemptor.priority()
          || (sparesDaemonSets && victim.model().isOfDaemonSet())) {
        return Permission.DENIED;
      }
      if (minRunTime.isZero()) {
        return Permission.GRANTED;
      }
      Optional<Instant> startedAt = victim.model().startedAt();
      if (startedAt.isEmpty()) {
        return Permission.DENIED;
      }
      Instant ripe = startedAt.get().plus(minRunTime);
      return ripe.isAfter(now) ? new Permission(false, ripe) : Permission.GRANTED;
    }
  }
}
