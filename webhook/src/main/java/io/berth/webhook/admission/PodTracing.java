package io.berth.webhook.admission;

import java.time.Duration;
import java.util.Optional;

/**
 * Traces of pods, which begin where the webhook reviews them. Called on request threads;
 * implementations must return quickly and must not throw.
 */
@FunctionalInterface
public interface PodTracing {

  /**
   * A pod that is being created.
   *
   * @param name its name, or its generateName
   * @param schedulerName the scheduler that it has after the review
   * @param policy the SchedulingPolicy that it names after the review; empty where it names none
   * @param traceparent the annotation that it came with; empty where it had none
   */
  record CreatedPod(
      String namespace, String name, String schedulerName, String policy, String traceparent) {}

  /**
   * Records the review of a pod, if the pod is one that is traced.
   *
   * @param took how long the review has taken
   * @return the traceparent that the pod gets; empty for a pod that is not traced
   */
  Optional<String> reviewed(CreatedPod pod, Duration took);
}
