package io.berth.engine.framework;

import java.util.List;

/**
 * The reason why a filter rejects a node.
 *
 * @param resolvable whether evicting pods from the node could change the verdict (kube-scheduler's
 *     Unschedulable; otherwise UnschedulableAndUnresolvable)
 * @param releasable whether evicting pods from the node could change the verdict, although
 *     kube-scheduler never tries that (its UnschedulableAndUnresolvable): pods hold what is missing
 * @param momentary whether the rejection will end soon by itself, so that the pod waits instead of
 *     evicting others
 * @param error whether the plugin cannot judge the node, because something is wrong with the pod or
 *     with an object that it names (kube-scheduler's Error)
 * @param reasons user-visible words, at least one
 */
public record Verdict(
    boolean resolvable,
    boolean releasable,
    boolean momentary,
    boolean error,
    List<String> reasons) {
  public Verdict {
    reasons = List.copyOf(reasons);
  }

  /** A rejection that evicting pods may resolve. */
  public static Verdict unschedulable(String... reasons) {
    return new Verdict(true, false, false, false, List.of(reasons));
  }

  /** A rejection that evictions cannot resolve. */
  public static Verdict unresolvable(String... reasons) {
    return new Verdict(false, false, false, false, List.of(reasons));
  }

  /** A rejection that kube-scheduler takes for unresolvable, and evictions may resolve. */
  public static Verdict releasable(String... reasons) {
    return new Verdict(false, true, false, false, List.of(reasons));
  }

  /** A rejection for these reasons. */
  public static Verdict of(boolean resolvable, List<String> reasons) {
    return new Verdict(resolvable, false, false, false, reasons);
  }

  /** A rejection that ends by itself soon. */
  public static Verdict momentary(String... reasons) {
    return new Verdict(false, false, true, false, List.of(reasons));
  }

  /** Returns the same verdict for other reasons. */
  public Verdict withReasons(List<String> others) {
    return new Verdict(resolvable, releasable, momentary, error, others);
  }

  /** A rejection because something is wrong with the pod, or with an object that it names. */
  public static Verdict error(String... reasons) {
    return new Verdict(false, false, false, true, List.of(reasons));
  }

  /** Returns whether evicting pods from the node could change the verdict. */
  public boolean mayBeCuredByEviction() {
    return resolvable || releasable;
  }
}
