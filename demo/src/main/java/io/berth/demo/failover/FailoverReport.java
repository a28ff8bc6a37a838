package io.berth.demo.failover;

import java.time.Duration;
import java.util.Locale;

/**
 * The times of a change of leader, each from the signal that the leader was sent.
 *
 * @param pods pods that were created right after the signal
 * @param lease until another replica had taken the Lease
 * @param first until the first binding of that replica
 * @param last until the last pod was bound; after a planned restart some of the pods may have been
 *     bound by the replica that was ending
 */
public record FailoverReport(
    String change, int pods, Duration lease, Duration first, Duration last) {

  /** One line. */
  public String text() {
    return String.format(
        Locale.ROOT,
        "%-16s %5d pods   lease taken after %5.2f s   first binding after %5.2f s   last after"
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
