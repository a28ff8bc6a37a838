package io.berth.demo.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The number of Bindings that are sent for one pod: after a failure, it is tried after a pause. */
final class BindingRate {
  private static final Duration WINDOW = Duration.ofMinutes(1);

  /** More than the attempts of several Bindings, with the pauses between them. */
  private static final int MOST = 60;

  private final VirtualTime time;
  private final Consumer<String> onViolation;
  private final Map<String, Integer> sent = new HashMap<>();
  private final Set<String> reported = new HashSet<>();
  private long begun;

  BindingRate(VirtualTime time, Consumer<String> onViolation) {
    this.time = time;
    this.onViolation = onViolation;
  }

  /**
   * Counts a request if it is a Binding.
   *
   * @param line the method, path, and answer of a request
   */
  void answered(String line) {
    int end = line.indexOf("/binding ");
    if (end < 0) {
      return;
    }
    if (time.nanoTime() - begun >= WINDOW.toNanos()) {
      begun = time.nanoTime();
      sent.clear();
    }
    String pod = line.substring(0, end);
    if (sent.merge(pod, 1, Integer::sum) > MOST && reported.add(pod)) {
      onViolation.accept(
          "more than %d Bindings were sent within %d s: %s"
              .formatted(MOST, WINDOW.toSeconds(), line));
    }
  }
}
