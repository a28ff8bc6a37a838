package io.berth.demo.failover;

import java.time.Duration;
import java.util.Locale;

/**
 * The times of a change of leader, measured from the signal to the old leader.
 *
 * @param pods number of pods created directly after the signal
 * @param lease time until the other replica had acquired the Lease
 * @param first time until the first binding of that replica
 * @param last time until the last pod was bound; in a planned restart, some pods may be bound by
 *     the replica that is shutting down
 */
public record FailoverReport(
    String change, int pods, Duration lease, Duration first, Duration last) {

  /** Returns the report as one line. */
  public String text() {
    return String.format(
        Locale.ROOT,
        "%-16s %5d pods   lease acquired after %5.2f s   first binding after %5.2f s   last after"
            + " %5.2f s",
        change,
        pods,
        seconds(lease),
        seconds(first),
        seconds(last));
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
