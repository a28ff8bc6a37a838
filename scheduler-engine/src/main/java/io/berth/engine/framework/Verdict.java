package io.berth.engine.framework;

import java.util.List;

/**
 * Why a filter rejects a node.
 *
 * @param resolvable whether evicting pods from the node could change the verdict (kube-scheduler's
 *     Unschedulable; otherwise UnschedulableAndUnresolvable)
 * @param reasons user-visible words, at least one
 */
public record Verdict(boolean resolvable, List<String> reasons) {
  public Verdict {
    reasons = List.copyOf(reasons);
  }

  /** A rejection that evicting pods may cure. */
  public static Verdict unschedulable(String... reasons) {
    return new Verdict(true, List.of(reasons));
  }

  /** A rejection that no eviction cures. */
  public static Verdict unresolvable(String... reasons) {
    return new Verdict(false, List.of(reasons));
  }
}
