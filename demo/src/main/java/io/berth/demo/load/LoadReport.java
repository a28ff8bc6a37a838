package io.berth.demo.load;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The results for pods that were pending when a scheduler started.
 *
 * @param scheduler schedulerName of the scheduler
 * @param nodes number of nodes
 * @param pods number of pending pods
 * @param startup time from the start of its process to the first binding; empty if the user started
 *     it
 * @param started start of the measurement: when the scheduler became leader if that is known,
 *     otherwise when the first pod was bound
 * @param bound times at which pods were observed as bound, ascending; fewer than {@code pods} if
 *     some were never bound
 * @param events number of Scheduled events at the end
 * @param eventsDelay time from the last binding to the last of these events
 */
public record LoadReport(
    String scheduler,
    int nodes,
    int pods,
    Optional<Duration> startup,
    Instant started,
    List<Instant> bound,
    int events,
    Duration eventsDelay) {

  /** Returns whether every pod was bound and has a Scheduled event. */
  public boolean complete() {
    return bound.size() == pods && events >= pods;
  }

  /**
   * Returns the bound pods per second from {@link #started} to the last binding; 0 if none was
   * bound.
   */
  public double podsPerSecond() {
    if (bound.isEmpty()) {
      return 0;
    }
    double seconds = BindingWatch.seconds(Duration.between(started, bound.getLast()));
    return seconds > 0 ? bound.size() / seconds : 0;
  }

  /** Returns the report as lines for a terminal. */
  public String text() {
    return """
    scheduler                 %s
    nodes                     %,d
    process to first binding  %s
    measured from             %s
    pods bound                %,d of %,d
    start to last binding     %.2f s
    pods per second           %,.0f
    Scheduled events          %,d, the last %.2f s after the last binding
    """
        .formatted(
            scheduler,
            nodes,
            startup.map(took -> "%.2f s".formatted(BindingWatch.seconds(took))).orElse("unknown"),
            started,
            bound.size(),
            pods,
            bound.isEmpty()
                ? 0.0
                : BindingWatch.seconds(Duration.between(started, bound.getLast())),
            podsPerSecond(),
            events,
            BindingWatch.seconds(eventsDelay));
  }
}
