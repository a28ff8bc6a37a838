package io.berth.engine.api;

import io.berth.engine.model.PodRef;

/**
 * The decision that the shadow of a policy would have made about a pod, compared with that of the
 * policy.
 *
 * @param policy the name of the pod's policy
 * @param shadow the name of the policy that was only tried
 * @param nodeName the node that the shadow selected; empty if none
 * @param message the reason why the shadow selected none, or what it would have to evict; empty if
 *     the pod would fit
 */
public record ShadowDecision(
    PodRef pod, String policy, String shadow, Result result, String nodeName, String message) {
  /** The difference between the two decisions. */
  public enum Result {
    /** Both select the same node, or none. */
    SAME,
    /** The shadow selects another node. */
    ELSEWHERE,
    /** The policy places the pod, and the shadow could do so only by evicting others. */
    EVICTING,
    /** The policy places the pod, and the shadow finds no node. */
    FITS_NOWHERE,
    /** The policy finds no node, and the shadow does. */
    FITS_INSTEAD,
    /** The attempt of the shadow failed. */
    FAILED
  }
}
