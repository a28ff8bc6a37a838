package io.berth.demo.restart;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The results of a stream of pods during restarts of the replicas.
 *
 * @param created number of created pods
 * @param length time during which pods were created
 * @param restarts number of completed restarts
 * @param starts number of process starts, including the first ones; if larger than {@code restarts}
 *     plus the number of replicas, a replica exited on its own
 * @param unrendered the pods that were admitted without being rendered
 * @param refused the pods that could not be created, with the errors
 * @param median median time to create a pod
 * @param longest maximum time to create a pod
 * @param mostHeapBytes maximum heap usage of a replica; 0 if not sampled
 * @param uploadedBytes number of bytes sent by slow clients
 * @param rejectedUploads number of uploads of slow clients that were rejected
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
    long mostHeapBytes,
    long uploadedBytes,
    long rejectedUploads) {

  static RestartReport of(
      PodStream stream,
      int restarts,
      int starts,
      long mostHeapBytes,
      SlowUploadProcess.Sent uploads) {
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
        mostHeapBytes,
        uploads.bytes(),
        uploads.rejections());
  }

  /** Returns the report as a few lines. */
  public String text() {
    return String.format(
        Locale.ROOT,
        """
        %d pods in %d s (%.1f per second), %d restarts (%d starts): %d unrendered, %d rejected
        creating a pod took %d ms (median), %d ms (maximum)%s
        %s%s\
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
            : "; a replica used up to %d MiB of heap".formatted(mostHeapBytes >> 20),
        rejectedUploads == 0
            ? ""
            : "slow clients sent %d MiB and were rejected %d times%n"
                .formatted(uploadedBytes >> 20, rejectedUploads),
        refused.isEmpty() ? "" : "the first rejection: " + refused.getFirst() + "\n");
  }
}
