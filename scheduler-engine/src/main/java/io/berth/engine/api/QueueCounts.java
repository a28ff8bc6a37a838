package io.berth.engine.api;

import java.util.List;

/**
 * The number of pods in each queue, and the number of arrivals by cause.
 *
 * @param active pods that are tried in order of priority
 * @param backoff pods that are retried when their backoff has passed
 * @param unschedulable pods that wait for an event that may help
 * @param gated pods with scheduling gates
 * @param incoming arrivals since the engine was created
 */
public record QueueCounts(
    int active, int backoff, int unschedulable, int gated, List<Incoming> incoming) {

  /**
   * The number of pods that an event moved to a queue, both named as in kube-scheduler's metrics.
   *
   * @param queue {@code active}, {@code backoff} or {@code unschedulable}; gated pods count as
   *     {@code unschedulable}
   * @param event {@code UnschedulablePodAdd}, {@code ScheduleAttemptFailure}, {@code
   *     BackoffComplete}, {@code UnschedulableTimeout}, or the change in the cluster, such as
   *     {@code NodeAdd}
   */
  public record Incoming(String queue, String event, long pods) {}

  public QueueCounts {
    incoming = List.copyOf(incoming);
  }
}
