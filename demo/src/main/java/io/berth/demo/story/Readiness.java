package io.berth.demo.story;

import io.berth.crds.schema.ResourceStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.Optional;

/**
 * The Ready condition of one of Berth's resources.
 *
 * @param ready whether it is True
 * @param words its reason and, if present, its message, or a note that the condition is missing
 */
record Readiness(boolean ready, String words) {

  static Readiness of(Optional<? extends ResourceStatus> status) {
    return status.stream()
        .flatMap(known -> known.conditions().stream())
        .filter(condition -> condition.getType().equals("Ready"))
        .map(Readiness::of)
        .findFirst()
        .orElse(new Readiness(false, "no Ready condition"));
  }

  private static Readiness of(Condition condition) {
    String message = condition.getMessage().isEmpty() ? "" : ", " + condition.getMessage();
    return new Readiness(condition.getStatus().equals("True"), condition.getReason() + message);
  }
}
