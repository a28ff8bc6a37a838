package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.rules.LabelSyntax;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The rules of Nodes: a create may set the status, and taints and capacities are validated. */
final class NodeRules implements KindRules {
  private static final List<String> EFFECTS =
      List.of("NoSchedule", "PreferNoSchedule", "NoExecute");

  @Override
  public boolean keepsStatusOnCreate() {
    return true;
  }

  @Override
  public void applyDefaults(ObjectNode node) {
    ObjectNode status = node.withObjectProperty("status");
    if (!status.has("allocatable") && status.has("capacity")) {
      status.set("allocatable", status.path("capacity").deepCopy());
    }
    Defaults.object(node, "spec");
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode node) {
    List<FieldError> errors = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    int i = 0;
    for (JsonNode taint : node.path("spec").path("taints")) {
      String at = "spec.taints[" + i++ + "]";
      String key = taint.path("key").asText();
      LabelSyntax.ofLabelName(key)
          .forEach(problem -> errors.add(FieldError.invalid(at + ".key", key, problem)));
      String value = taint.path("value").asText();
      LabelSyntax.ofLabelValue(value)
          .forEach(problem -> errors.add(FieldError.invalid(at + ".value", value, problem)));
      String effect = taint.path("effect").asText();
      if (effect.isEmpty()) {
        errors.add(FieldError.required(at + ".effect", ""));
      } else if (!EFFECTS.contains(effect)) {
        errors.add(
            FieldError.notSupported(at + ".effect", effect, EFFECTS.stream().sorted().toList()));
      }
      if (!seen.add(key + ":" + effect)) {
        errors.add(
            new FieldError(
                at,
                "FieldValueDuplicate",
                "Duplicate value: " + taint + ": taints must be unique by key and effect pair"));
      }
    }
    Quantities.validateList(node.path("status").path("capacity"), "status.capacity", errors);
    Quantities.validateList(node.path("status").path("allocatable"), "status.allocatable", errors);
    return errors;
  }

  @Override
  public List<FieldError> validateUpdate(ObjectNode node, ObjectNode old) {
    List<FieldError> errors = new ArrayList<>(validateCreate(node));
    String before = old.path("spec").path("providerID").asText();
    if (!before.isEmpty() && !before.equals(node.path("spec").path("providerID").asText())) {
      errors.add(
          FieldError.forbidden(
              "spec.providerID",
              "node updates may not change providerID except from \"\" to valid"));
    }
    return errors;
  }
}
