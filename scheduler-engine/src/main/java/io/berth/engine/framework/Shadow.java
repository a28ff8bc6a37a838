package io.berth.engine.framework;

/**
 * Another policy that is tried for a part of a policy's pods, without effect.
 *
 * @param policy the name of the policy that is tried
 * @param percent the percentage of the pods, 1 to 100
 * @param isLimited whether pods are left out to keep the additional work below twice the
 *     percentage; false for a replay, which nobody waits for
 */
public record Shadow(String policy, int percent, boolean isLimited) {
  /** Creates a limited shadow. */
  public Shadow(String policy, int percent) {
    this(policy, percent, true);
  }
}
