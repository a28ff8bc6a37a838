package io.berth.sandbox.rest;

import java.util.Optional;

/**
 * metav1.DeleteOptions.
 *
 * @param gracePeriodSeconds grace period in seconds; empty for the default of the object
 * @param uid precondition: the object must have this UID
 * @param resourceVersion precondition: the object must have this resourceVersion
 * @param propagationPolicy {@code Background}, {@code Foreground}, or {@code Orphan}; empty for the
 *     default of the kind
 * @param dryRun true to run all checks without deleting the object
 */
public record DeleteOptions(
    Optional<Long> gracePeriodSeconds,
    Optional<String> uid,
    Optional<String> resourceVersion,
    Optional<String> propagationPolicy,
    boolean dryRun) {

  /** Returns default options: the object's own grace period and no preconditions. */
  public static DeleteOptions plain() {
    return new DeleteOptions(
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);
  }

  /**
   * Returns default options with propagation policy Background, regardless of the kind's default.
   */
  public static DeleteOptions background() {
    return plain().propagating("Background");
  }

  /** Returns these options with a propagation policy. */
  public DeleteOptions propagating(String policy) {
    return new DeleteOptions(gracePeriodSeconds, uid, resourceVersion, Optional.of(policy), dryRun);
  }

  /**
   * Returns options for immediate deletion, as used by a kubelet after the containers of a pod have
   * stopped.
   */
  public static DeleteOptions now() {
    return new DeleteOptions(
        Optional.of(0L), Optional.empty(), Optional.empty(), Optional.empty(), false);
  }

  /** Returns these options with a UID precondition. */
  public DeleteOptions ofUid(String expected) {
    return new DeleteOptions(
        gracePeriodSeconds, Optional.of(expected), resourceVersion, propagationPolicy, dryRun);
  }
}
