package io.berth.sandbox.admission.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;
import io.berth.sandbox.admission.AdmissionRequest;
import io.berth.sandbox.admission.MatchCriteria;
import io.berth.sandbox.admission.Operation;
import io.berth.sandbox.cel.CelValues;
import io.berth.sandbox.cel.Expressions;
import io.berth.sandbox.cel.Expressions.Expression;
import io.berth.sandbox.cel.RequestType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A webhook of a webhook configuration, with its match conditions compiled. */
final class Webhook {
  private static final Expressions CONDITIONS =
      Expressions.over(
          Map.of(
              "object", SimpleType.DYN,
              "oldObject", SimpleType.DYN,
              "request", RequestType.type()),
          Optional.of(RequestType.provider()));

  private final JsonNode json;
  private final MatchCriteria criteria;
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
    this.criteria = new MatchCriteria(json, json.path("rules"));
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
    return !json.path("rules").isEmpty() && criteria.cover(request, namespaceLabels);
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
