package io.berth.demo.simulation;

import io.berth.demo.tenants.ObjectKey;
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
  private final Map<ObjectKey, Integer> sent = new HashMap<>();
  private final Set<ObjectKey> reported = new HashSet<>();
  private long begun;

  BindingRate(VirtualTime time, Consumer<String> onViolation) {
    this.time = time;
    this.onViolation = onViolation;
  }

  /** Counts a Binding of a pod. */
  void sent(ObjectKey pod) {
    if (time.nanoTime() - begun >= WINDOW.toNanos()) {
      begun = time.nanoTime();
      sent.clear();
    }
    if (sent.merge(pod, 1, Integer::sum) > MOST && reported.add(pod)) {
      onViolation.accept(
          "more than %d Bindings of pod %s/%s were sent within %d s"
              .formatted(MOST, pod.namespace(), pod.name(), WINDOW.toSeconds()));
    }
  }
}
