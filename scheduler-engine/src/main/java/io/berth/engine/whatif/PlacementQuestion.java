package io.berth.engine.whatif;

import io.berth.engine.model.PodModel;

/**
 * A question about the placement of pods.
 *
 * @param pod the pod, of which only what does not depend on its state counts: a pod on a node is
 *     taken from it first, and placed again
 * @param replicas how many copies of the pod are placed, at least 1
 * @param whileTheyFit whether the copies are placed one by one until one does not fit, and so the
 *     answer says how many fit; otherwise they wait together, as when a controller has created them
 * @param hypothesis what is supposed about the cluster
 */
public record PlacementQuestion(
    PodModel pod, int replicas, boolean whileTheyFit, Hypothesis hypothesis) {
  /** Rejects a question without a pod. */
  public PlacementQuestion {
    if (replicas < 1) {
      throw new IllegalArgumentException("replicas must be 1 or more: " + replicas);
    }
  }

  /** Returns a question about the placement of one pod in the cluster as it is. */
  public static PlacementQuestion of(PodModel pod) {
    return new PlacementQuestion(pod, 1, false, Hypothesis.none());
  }
}
