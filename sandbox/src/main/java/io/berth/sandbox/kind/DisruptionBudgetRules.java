package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.List;

/** The rules of PodDisruptionBudgets. */
final class DisruptionBudgetRules implements KindRules {

  @Override
  public boolean countsGenerations() {
    return true;
  }

  @Override
  public boolean allowsUnconditionalUpdate() {
    return false;
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode budget) {
    JsonNode spec = budget.path("spec");
    return spec.has("minAvailable") && spec.has("maxUnavailable")
        ? List.of(
            FieldError.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"))
        : List.of();
  }
}
