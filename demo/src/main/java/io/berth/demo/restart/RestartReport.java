package io.berth.demo.restart;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The results of a stream of pods while replicas were restarted.
 *
 * @param length how long pods were created
 * @param restarts how often a replica was stopped and was ready again
 * @param starts how often a replica was started, the first time included; more than {@code
 *     restarts} and the replicas together means that one ended by itself
 * @param unrendered the pods that were admitted without what the binding asks for
 * @param refused the pods that were not created, and why
 * @param median how long half of the pods took to be created at most
 * @param longest how long one took
 * @param mostHeapBytes the most heap that a replica was seen to use; 0 where nobody looked
 */
public record RestartReport(
    int created,
    Duration length,
    int restarts,
    int starts,
    List<String> unrendered,
    List<String> refused,
    Duration median,
    Duration longest,
    long mostHeapBytes) {

  static RestartReport of(PodStream stream, int restarts, int starts, long mostHeapBytes) {
    List<Duration> times = stream.times();
    return new RestartReport(
        stream.created(),
        stream.length(),
        restarts,
        starts,
        stream.unrendered(),
        stream.refused(),
        times.isEmpty() ? Duration.ZERO : times.get(times.size() / 2),
        times.isEmpty() ? Duration.ZERO : times.getLast(),
        mostHeapBytes);
  }

  /** A few lines for people. */
  public String text() {
    return String.format(
        Locale.ROOT,
        """
        %d pods in %d s (%.1f a second), %d restarts (%d starts): %d unrendered, %d refused
        creating a pod took %d ms in the median, %d ms at most%s
        %s\
        """,
        created,
        length.toSeconds(),
        created * 1e3 / Math.max(1, length.toMillis()),
        restarts,
        starts,
        unrendered.size(),
        refused.size(),
        median.toMillis(),
        longest.toMillis(),
        mostHeapBytes == 0
            ? ""
            : "; a replica used %d MiB of heap at most".formatted(mostHeapBytes >> 20),
        refused.isEmpty() ? "" : "the first refusal: " + refused.getFirst() + "\n");
  }
}
