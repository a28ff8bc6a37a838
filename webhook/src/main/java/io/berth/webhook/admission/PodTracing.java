package io.berth.webhook.admission;

import java.time.Duration;
import java.util.Optional;

/**
 * Traces pods, starting with their review by the webhook. Called on request threads;
 * implementations must return quickly and must not throw.
 */
@FunctionalInterface
public interface PodTracing {

  /**
   * A pod that is being created.
   *
   * @param name its name, or its generateName
   * @param schedulerName the scheduler that it has after the review
   * @param policy the SchedulingPolicy that it names after the review; empty if it names none
   * @param traceparent the traceparent annotation in the request; empty if there is none
   */
  record CreatedPod(
      String namespace, String name, String schedulerName, String policy, String traceparent) {}

  /**
   * Records the review of a pod, if the pod is traced.
   *
   * @param took the duration of the review
   * @return the traceparent to set on the pod; empty if the pod is not traced
   */
  Optional<String> reviewed(CreatedPod pod, Duration took);
}
