package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/** The rules of ResourceQuotas: limits must be valid quantities, and scopes are immutable. */
final class ResourceQuotaRules implements KindRules {
  @Override
  public List<FieldError> validateCreate(ObjectNode quota) {
    List<FieldError> errors = new ArrayList<>();
    Quantities.validateList(quota.path("spec").path("hard"), "spec.hard", errors);
    return errors;
  }

  @Override
  public List<FieldError> validateUpdate(ObjectNode quota, ObjectNode old) {
    List<FieldError> errors = new ArrayList<>(validateCreate(quota));
    if (!quota.path("spec").path("scopes").equals(old.path("spec").path("scopes"))) {
      errors.add(
          FieldError.invalid(
              "spec.scopes", quota.path("spec").path("scopes"), "field is immutable"));
    }
    return errors;
  }
}
