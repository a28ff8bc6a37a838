package io.berth.webhook.validation;

import io.berth.crds.SchedulingQueueSpec;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Warnings of fields of a valid queue that do not have the effect that they seem to have. */
final class QueueWarnings {
  private final Map<String, SchedulingQueueSpec> queues;
  private final List<Problem> warnings = new ArrayList<>();

  /**
   * @param queues all queues by name, with the one to check
   */
  QueueWarnings(Map<String, SchedulingQueueSpec> queues) {
    this.queues = new TreeMap<>(queues);
  }

  /** Returns the warnings of one queue. */
  List<Problem> of(String name, SchedulingQueueSpec spec) {
    if (!partsOf(name).isEmpty()) {
      checkWhole(name, spec);
    }
    if (spec.parent() != null) {
      checkFirstPart(name, spec.parent());
    }
    checkPast(name, spec);
    return warnings;
  }

  private List<String> partsOf(@Nullable String whole) {
    return queues.entrySet().stream()
        .filter(each -> Objects.equals(whole, each.getValue().parent()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private void checkWhole(String name, SchedulingQueueSpec spec) {
    String part = Quoted.name(partsOf(name).getFirst());
    if (spec.namespaces() != null) {
      warn(
          "spec.namespaces",
          "has no effect, because the queue has parts, such as %s: select the namespaces in a queue without parts"
              .formatted(part));
    }
    if (spec.minRunTime() != null) {
      warn(
          "spec.minRunTime",
          "has no effect, because the queue has parts, such as %s: set it there".formatted(part));
    }
  }

  private void checkFirstPart(String name, String parent) {
    SchedulingQueueSpec whole = queues.get(parent);
    if (whole != null && whole.namespaces() != null && partsOf(parent).equals(List.of(name))) {
      warn(
          "spec.parent",
          "SchedulingQueue %s selects namespaces and has no parts yet: with this one, their pods belong to the queue \"default\" unless a queue without parts selects their namespaces"
              .formatted(Quoted.name(parent)));
    }
  }

  /** Reports a half-life that only some of the queues with the same parent have. */
  private void checkPast(String name, SchedulingQueueSpec spec) {
    boolean hasPast = spec.usageHalfLife() != null;
    List<String> others =
        queues.entrySet().stream()
            .filter(other -> Objects.equals(spec.parent(), other.getValue().parent()))
            .filter(other -> !other.getKey().equals(name))
            .filter(other -> (other.getValue().usageHalfLife() != null) != hasPast)
            .map(Map.Entry::getKey)
            .toList();
    if (!others.isEmpty()) {
      String other = Quoted.name(others.getFirst());
      warn(
          "spec.usageHalfLife",
          hasPast
              ? "is set here, but not in SchedulingQueue %s with the same parent, whose past does not count: set it in all of them, or in none"
                  .formatted(other)
              : "is not set here, but in SchedulingQueue %s with the same parent, so only the past of that one counts: set it in all of them, or in none"
                  .formatted(other));
    }
  }

  private void warn(String path, String message) {
    warnings.add(new Problem(ErrorCode.QUEUE_FIELD_WITHOUT_EFFECT, path, message));
  }
}
