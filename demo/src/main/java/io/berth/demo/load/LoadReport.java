package io.berth.demo.load;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Results for pods that were pending when a scheduler started.
 *
 * @param scheduler its schedulerName
 * @param nodes how many nodes there were
 * @param pods how many pods waited
 * @param startup from the start of its process to the first binding; empty where the user started
 *     it
 * @param started when the scheduler began: when it led, where that can be seen, else when the first
 *     pod was bound
 * @param bound when each pod was seen bound, ascending; shorter than {@code pods} where some never
 *     were
 * @param events how many Scheduled events there were in the end
 * @param eventsDelay from the last binding to the last of these events
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

  /** Returns whether every pod was bound and every Scheduled event was there in the end. */
  public boolean complete() {
    return bound.size() == pods && events >= pods;
  }

  /** Bound pods per second from {@link #started} to the last binding; 0 if none was bound. */
  public double podsPerSecond() {
    if (bound.isEmpty()) {
      return 0;
    }
    double seconds = BindingWatch.seconds(Duration.between(started, bound.getLast()));
    return seconds > 0 ? bound.size() / seconds : 0;
  }

  /** Lines for a terminal. */
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
