package io.berth.sandbox.rest;

import java.util.Optional;

/**
 * metav1.DeleteOptions.
 *
 * @param gracePeriodSeconds empty for the object's own
 * @param uid precondition: the object must have this UID
 * @param resourceVersion precondition: the object must be of this version
 * @param propagationPolicy {@code Background}, {@code Foreground}, {@code Orphan}; empty for the
 *     kind's default
 * @param dryRun whether everything happens but the removal
 */
public record DeleteOptions(
    Optional<Long> gracePeriodSeconds,
    Optional<String> uid,
    Optional<String> resourceVersion,
    Optional<String> propagationPolicy,
    boolean dryRun) {

  /** The object's own grace period, no preconditions. */
  public static DeleteOptions plain() {
    return new DeleteOptions(
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);
  }

  /** The same, and what the object owns is deleted after it, whatever the kind's default is. */
  public static DeleteOptions background() {
    return plain().propagating("Background");
  }

  /** The same with a propagation policy. */
  public DeleteOptions propagating(String policy) {
    return new DeleteOptions(gracePeriodSeconds, uid, resourceVersion, Optional.of(policy), dryRun);
  }

  /** At once, as a kubelet does once the pod's containers have stopped. */
  public static DeleteOptions now() {
    return new DeleteOptions(
        Optional.of(0L), Optional.empty(), Optional.empty(), Optional.empty(), false);
  }

  /** The same, provided the object still has this UID. */
  public DeleteOptions ofUid(String expected) {
    return new DeleteOptions(
        gracePeriodSeconds, Optional.of(expected), resourceVersion, propagationPolicy, dryRun);
  }
}
