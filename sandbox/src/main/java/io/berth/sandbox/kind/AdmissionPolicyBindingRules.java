package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/** The rules of ValidatingAdmissionPolicyBindings: defaults and required fields. */
final class AdmissionPolicyBindingRules implements KindRules {

  @Override
  public boolean countsGenerations() {
    return true;
  }

  @Override
  public void applyDefaults(ObjectNode binding) {
    AdmissionPolicyRules.setMatchDefaults(binding.path("spec").path("matchResources"));
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode binding) {
    JsonNode spec = binding.path("spec");
    List<FieldError> errors = new ArrayList<>();
    if (spec.path("policyName").asText().isEmpty()) {
      errors.add(FieldError.required("spec.policyName", ""));
    }
    if (spec.has("paramRef")) {
      errors.add(
          FieldError.forbidden(
              "spec.paramRef", "the embedded cluster does not support policies with parameters"));
    }
    if (spec.path("validationActions").isEmpty()) {
      errors.add(FieldError.required("spec.validationActions", ""));
    }
    return errors;
  }
}
