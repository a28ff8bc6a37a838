package io.berth.sandbox.admission.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;
import io.berth.sandbox.admission.AdmissionRequest;
import io.berth.sandbox.admission.Operation;
import io.berth.sandbox.cel.CelValues;
import io.berth.sandbox.cel.Expressions;
import io.berth.sandbox.cel.Expressions.Expression;
import io.berth.sandbox.selector.ObjectLabelSelector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A webhook of a webhook configuration, with its match conditions compiled. */
final class Webhook {
  private static final Expressions CONDITIONS =
      Expressions.over(
          Map.of("object", SimpleType.DYN, "oldObject", SimpleType.DYN, "request", SimpleType.DYN),
          Optional.empty());

  private final JsonNode json;
  private final List<Condition> conditions = new ArrayList<>();

  private record Condition(String name, Optional<Expression> expression, String problem) {}

  /**
   * The result of evaluating match conditions: call the webhook, skip it, or fail because a
   * condition could not be evaluated.
   */
  enum Match {
    YES,
    NO,
    ERROR
  }

  Webhook(JsonNode json) {
    this.json = json;
    for (JsonNode condition : json.path("matchConditions")) {
      String name = condition.path("name").asText();
      String text = condition.path("expression").asText();
      try {
        conditions.add(
            new Condition(name, Optional.of(CONDITIONS.compile(text, SimpleType.BOOL)), ""));
      } catch (CelValidationException e) {
        conditions.add(new Condition(name, Optional.empty(), String.valueOf(e.getMessage())));
      }
    }
  }

  String name() {
    return json.path("name").asText();
  }

  boolean ignoresFailures() {
    return json.path("failurePolicy").asText("Fail").equals("Ignore");
  }

  boolean isReinvoked() {
    return json.path("reinvocationPolicy").asText("Never").equals("IfNeeded");
  }

  int timeoutSeconds() {
    return json.path("timeoutSeconds").asInt(10);
  }

  boolean hasSideEffects() {
    String effects = json.path("sideEffects").asText("Unknown");
    return !effects.equals("None") && !effects.equals("NoneOnDryRun");
  }

  JsonNode clientConfig() {
    return json.path("clientConfig");
  }

  /**
   * Returns whether the rules and selectors match a request. Match conditions are not considered.
   */
  boolean reaches(AdmissionRequest request, Map<String, String> namespaceLabels) {
    boolean ruled = false;
    for (JsonNode rule : json.path("rules")) {
      ruled |= ruleMatches(rule, request);
    }
    return ruled && namespaceMatches(request, namespaceLabels) && objectMatches(request);
  }

  private boolean ruleMatches(JsonNode rule, AdmissionRequest request) {
    // All versions of a resource share one stored object, so under Equivalent they match each
    // other.
    boolean anyVersion = json.path("matchPolicy").asText("Equivalent").equals("Equivalent");
    return lists(rule.path("operations"), request.operation().name())
        && lists(rule.path("apiGroups"), request.type().group())
        && (anyVersion || lists(rule.path("apiVersions"), request.type().version()))
        && resourceMatches(rule.path("resources"), request)
        && scopeMatches(rule.path("scope").asText("*"), request);
  }

  private static boolean lists(JsonNode list, String value) {
    for (JsonNode one : list) {
      if (one.asText().equals("*") || one.asText().equals(value)) {
        return true;
      }
    }
    return false;
  }

  private static boolean resourceMatches(JsonNode resources, AdmissionRequest request) {
    for (JsonNode one : resources) {
      String[] parts = one.asText().split("/", 2);
      String subresource = parts.length > 1 ? parts[1] : "";
      boolean resource = parts[0].equals("*") || parts[0].equals(request.type().plural());
      boolean sub = subresource.equals("*") || subresource.equals(request.subresource());
      if (resource && sub) {
        return true;
      }
    }
    return false;
  }

  private static boolean scopeMatches(String scope, AdmissionRequest request) {
    boolean namespaced = request.type().namespaced();
    return switch (scope) {
      case "Cluster" -> !namespaced;
      case "Namespaced" -> namespaced;
      default -> true;
    };
  }

  private boolean namespaceMatches(AdmissionRequest request, Map<String, String> labels) {
    JsonNode selector = json.path("namespaceSelector");
    boolean inNamespace = request.type().namespaced() || request.type().is("", "namespaces");
    return !inNamespace || selector.isEmpty() || ObjectLabelSelector.matches(selector, labels);
  }

  private boolean objectMatches(AdmissionRequest request) {
    JsonNode selector = json.path("objectSelector");
    return selector.isEmpty()
        || request.object().filter(each -> matches(selector, each)).isPresent()
        || request.oldObject().filter(each -> matches(selector, each)).isPresent();
  }

  private static boolean matches(JsonNode selector, JsonNode object) {
    return ObjectLabelSelector.matches(selector, labels(object));
  }

  static Map<String, String> labels(JsonNode object) {
    Map<String, String> labels = new HashMap<>();
    object
        .path("metadata")
        .path("labels")
        .properties()
        .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
    return labels;
  }

  /**
   * Evaluates the match conditions. One condition that is false decides, even if others fail to
   * evaluate.
   *
   * @param problems receives the errors of conditions that could not be evaluated
   */
  Match conditions(AdmissionRequest request, JsonNode review, List<String> problems) {
    if (conditions.isEmpty()) {
      return Match.YES;
    }
    Map<String, Object> variables = new HashMap<>();
    variables.put("object", CelValues.of(review.path("object")));
    variables.put("oldObject", CelValues.of(review.path("oldObject")));
    variables.put("request", CelValues.of(review));
    for (Condition condition : conditions) {
      try {
        if (condition.expression.isEmpty()) {
          problems.add(condition.problem);
        } else if (Boolean.FALSE.equals(condition.expression.get().evaluate(variables))) {
          return Match.NO;
        }
      } catch (CelEvaluationException e) {
        problems.add(String.valueOf(e.getMessage()));
      }
    }
    boolean unknown = !problems.isEmpty();
    if (unknown && request.operation() == Operation.DELETE && ignoresFailures()) {
      return Match.NO;
    }
    return unknown ? Match.ERROR : Match.YES;
  }
}
