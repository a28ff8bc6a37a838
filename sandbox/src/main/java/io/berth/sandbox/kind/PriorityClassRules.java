package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/** The rules of PriorityClasses: the value and the preemption policy are immutable. */
final class PriorityClassRules implements KindRules {
  private static final int HIGHEST_USER_PRIORITY = 1_000_000_000;
  private static final String UNCHANGEABLE = "may not be changed in an update.";

  @Override
  public void applyDefaults(ObjectNode priorityClass) {
    Defaults.text(priorityClass, "preemptionPolicy", "PreemptLowerPriority");
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode priorityClass) {
    String name = priorityClass.path("metadata").path("name").asText();
    int value = priorityClass.path("value").asInt();
    boolean systems = name.startsWith("system-");
    if (systems
        && !name.equals("system-cluster-critical")
        && !name.equals("system-node-critical")) {
      return List.of(
          FieldError.forbidden(
              "metadata.name",
              "priority class names with 'system-' prefix are reserved for system use only"));
    }
    if (!systems && value > HIGHEST_USER_PRIORITY) {
      return List.of(
          FieldError.forbidden(
              "value",
              "maximum allowed value of a user defined priority is " + HIGHEST_USER_PRIORITY));
    }
    return List.of();
  }

  @Override
  public List<FieldError> validateUpdate(ObjectNode priorityClass, ObjectNode old) {
    List<FieldError> errors = new ArrayList<>();
    if (priorityClass.path("value").asInt() != old.path("value").asInt()) {
      errors.add(FieldError.forbidden("value", UNCHANGEABLE));
    }
    if (!priorityClass.path("preemptionPolicy").equals(old.path("preemptionPolicy"))) {
      errors.add(
          FieldError.invalid(
              "preemptionPolicy",
              priorityClass.path("preemptionPolicy").asText(),
              "field is immutable"));
    }
    return errors;
  }
}
