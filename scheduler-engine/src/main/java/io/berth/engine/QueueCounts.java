package io.berth.engine;

import java.util.List;

/**
 * The number of pods in each queue, and the number of arrivals by cause.
 *
 * @param active to be tried as soon as their turn comes
 * @param backoff to be tried when their pause is over
 * @param unschedulable waiting for something to change
 * @param gated waiting for their scheduling gates
 * @param incoming since the engine was made
 */
public record QueueCounts(
    int active, int backoff, int unschedulable, int gated, List<Incoming> incoming) {

  /**
   * Pods that came to a queue because of an event, both named as kube-scheduler names them.
   *
   * @param queue {@code active}, {@code backoff} or {@code unschedulable}; gated pods come to the
   *     last
   * @param event {@code UnschedulablePodAdd}, {@code ScheduleAttemptFailure}, {@code
   *     BackoffComplete}, {@code UnschedulableTimeout}, or what changed in the cluster, as {@code
   *     NodeAdd}
   */
  public record Incoming(String queue, String event, long pods) {}

  public QueueCounts {
    incoming = List.copyOf(incoming);
  }
}
