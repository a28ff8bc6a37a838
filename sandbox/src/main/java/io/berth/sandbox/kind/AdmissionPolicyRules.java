package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.common.CelValidationException;
import io.berth.sandbox.admission.policy.PolicyExpressions;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/** The rules of ValidatingAdmissionPolicies: defaults, required fields, and expressions. */
final class AdmissionPolicyRules implements KindRules {

  @FunctionalInterface
  private interface Compiler {
    Object compile(String text) throws CelValidationException;
  }

  @Override
  public boolean countsGenerations() {
    return true;
  }

  @Override
  public void applyDefaults(ObjectNode policy) {
    if (policy.path("spec") instanceof ObjectNode spec) {
      Defaults.text(spec, "failurePolicy", "Fail");
      setMatchDefaults(spec.path("matchConstraints"));
    }
  }

  /** Sets the defaults of {@code matchConstraints} or {@code matchResources}, if present. */
  static void setMatchDefaults(JsonNode criteria) {
    if (criteria instanceof ObjectNode match) {
      Defaults.text(match, "matchPolicy", "Equivalent");
      Defaults.object(match, "namespaceSelector");
      Defaults.object(match, "objectSelector");
      for (String rules : new String[] {"resourceRules", "excludeResourceRules"}) {
        for (JsonNode rule : match.path(rules)) {
          if (rule instanceof ObjectNode one) {
            Defaults.text(one, "scope", "*");
          }
        }
      }
    }
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode policy) {
    JsonNode spec = policy.path("spec");
    List<FieldError> errors = new ArrayList<>();
    if (spec.has("paramKind")) {
      errors.add(
          FieldError.forbidden(
              "spec.paramKind", "the embedded cluster does not support policies with parameters"));
    }
    if (!spec.path("matchConstraints").isObject()) {
      errors.add(FieldError.required("spec.matchConstraints", ""));
    } else if (spec.path("matchConstraints").path("resourceRules").isEmpty()) {
      errors.add(FieldError.required("spec.matchConstraints.resourceRules", ""));
    }
    if (spec.path("validations").isEmpty() && spec.path("auditAnnotations").isEmpty()) {
      errors.add(
          FieldError.required(
              "spec.validations",
              "validations or auditAnnotations must contain at least one item"));
    }
    compileAll(spec, "matchConditions", "expression", PolicyExpressions::condition, errors);
    compileAll(spec, "variables", "expression", PolicyExpressions::expression, errors);
    compileAll(spec, "validations", "expression", PolicyExpressions::expression, errors);
    compileAll(spec, "validations", "messageExpression", PolicyExpressions::expression, errors);
    return errors;
  }

  private static void compileAll(
      JsonNode spec, String list, String field, Compiler compiler, List<FieldError> errors) {
    JsonNode items = spec.path(list);
    for (int i = 0; i < items.size(); i++) {
      String at = "spec." + list + "[" + i + "]." + field;
      String text = items.get(i).path(field).asText();
      if (!text.isBlank()) {
        try {
          compiler.compile(text);
        } catch (CelValidationException e) {
          errors.add(FieldError.invalid(at, text, "compilation failed: " + e.getMessage()));
        }
      } else if (field.equals("expression")) {
        errors.add(FieldError.required(at, "expression is not specified"));
      }
    }
  }
}
