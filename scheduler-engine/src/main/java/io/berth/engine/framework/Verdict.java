package io.berth.engine.framework;

import java.util.List;

/**
 * The reason why a filter rejects a node.
 *
 * @param resolvable whether evicting pods from the node could change the verdict (kube-scheduler's
 *     Unschedulable; otherwise UnschedulableAndUnresolvable)
 * @param momentary whether the rejection will end soon by itself, so that the pod waits instead of
 *     evicting others
 * @param reasons user-visible words, at least one
 */
public record Verdict(boolean resolvable, boolean momentary, List<String> reasons) {
  public Verdict {
    reasons = List.copyOf(reasons);
  }

  /** A rejection that evicting pods may resolve. */
  public static Verdict unschedulable(String... reasons) {
    return new Verdict(true, false, List.of(reasons));
  }

  /** A rejection that evictions cannot resolve. */
  public static Verdict unresolvable(String... reasons) {
    return new Verdict(false, false, List.of(reasons));
  }

  /** A rejection for these reasons. */
  public static Verdict of(boolean resolvable, List<String> reasons) {
    return new Verdict(resolvable, false, reasons);
  }

  /** A rejection that ends by itself soon. */
  public static Verdict momentary(String... reasons) {
    return new Verdict(false, true, List.of(reasons));
  }
}
