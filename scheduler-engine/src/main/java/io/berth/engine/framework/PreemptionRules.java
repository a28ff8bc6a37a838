package io.berth.engine.framework;

import io.berth.engine.state.PodEntry;
import java.time.Instant;

/**
 * Which pods a policy lets a pod evict. Rules are values: what dry runs found under equal rules is
 * shared.
 */
public interface PreemptionRules {
  /**
   * Whether a pod may be evicted.
   *
   * @param until until when that holds if nothing but the time changes; {@link Instant#MAX} for
   *     ever
   */
  record Permission(boolean granted, Instant until) {
    /** It may, whatever the time. */
    public static final Permission GRANTED = new Permission(true, Instant.MAX);

    /** It may not, whatever the time. */
    public static final Permission DENIED = new Permission(false, Instant.MAX);
  }

  /** Whether anybody may be evicted. */
  boolean enabled();

  /**
   * Whether the victim may be evicted for the preemptor. Depends on nothing but the two pods and
   * the time; a change of a placed pod is noticed.
   */
  Permission mayEvict(PodEntry victim, PodEntry preemptor, Instant now);

  /** All that {@link #mayEvict} reads of a preemptor. */
  default Object kindOf(PodEntry preemptor) {
    return preemptor.priority();
  }

  /** Priorities order the queue; nobody is evicted. */
  static PreemptionRules off() {
    return new Off();
  }

  /** kube-scheduler's: pods of lower priority may be evicted. */
  static PreemptionRules byPriority() {
    return new ByPriority();
  }

  /** See {@link #off}. */
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

  /** See {@link #byPriority}. */
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
}
