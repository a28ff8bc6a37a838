package io.berth.sandbox.admission.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.CelValidationException;
import dev.cel.runtime.CelEvaluationException;
import io.berth.sandbox.admission.AdmissionRequest;
import io.berth.sandbox.admission.MatchCriteria;
import io.berth.sandbox.cel.Expressions.Expression;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A ValidatingAdmissionPolicy with its expressions compiled. The policy was validated when it was
 * stored, so an expression that does not compile fails like one that cannot be evaluated.
 */
final class ValidatingPolicy {
  private static final String INVALID = "Invalid";
  private static final int LONGEST_MESSAGE = 5 * 1024;

  private final MatchCriteria criteria;
  private final boolean ignoresFailures;
  private final List<Compiled> conditions;
  private final List<Compiled> variables;
  private final List<Validation> validations = new ArrayList<>();

  /**
   * An outcome of a validation that does not admit the request.
   *
   * @param reason the reason of the response's Status
   * @param message why the request is not admitted
   */
  record Refusal(String reason, String message) {}

  private record Compiled(
      String name, String text, Optional<Expression> expression, String problem) {

    static Compiled of(String name, String text, Compiler compiler) {
      try {
        return new Compiled(name, text, Optional.of(compiler.compile(text)), "");
      } catch (CelValidationException e) {
        return new Compiled(name, text, Optional.empty(), String.valueOf(e.getMessage()));
      }
    }

    Object evaluate(Map<String, ?> values) throws FailedException {
      try {
        return expression.orElseThrow(() -> new FailedException(problem)).evaluate(values);
      } catch (CelEvaluationException e) {
        throw new FailedException(
            "expression '" + text + "' resulted in error: " + e.getMessage(), e);
      }
    }
  }

  private record Validation(
      Compiled expression, Optional<Compiled> messageExpression, String message, String reason) {}

  @FunctionalInterface
  private interface Compiler {
    Expression compile(String text) throws CelValidationException;
  }

  /** Thrown if an expression cannot be evaluated. */
  private static final class FailedException extends Exception {
    private static final long serialVersionUID = 1L;

    FailedException(String message) {
      super(message);
    }

    FailedException(String message, CelEvaluationException cause) {
      super(message, cause);
    }
  }

  /**
   * @param spec the spec of the policy
   */
  ValidatingPolicy(JsonNode spec) {
    JsonNode constraints = spec.path("matchConstraints");
    this.criteria = new MatchCriteria(constraints, constraints.path("resourceRules"));
    this.ignoresFailures = spec.path("failurePolicy").asText().equals("Ignore");
    this.conditions = compiled(spec.path("matchConditions"), PolicyExpressions::condition);
    this.variables = compiled(spec.path("variables"), PolicyExpressions::expression);
    for (JsonNode validation : spec.path("validations")) {
      Optional<Compiled> words =
          Optional.of(validation.path("messageExpression").asText())
              .filter(text -> !text.isEmpty())
              .map(text -> Compiled.of("", text, PolicyExpressions::expression));
      validations.add(
          new Validation(
              Compiled.of(
                  "", validation.path("expression").asText(), PolicyExpressions::expression),
              words,
              validation.path("message").asText().strip(),
              validation.path("reason").asText(INVALID)));
    }
  }

  private static List<Compiled> compiled(JsonNode list, Compiler compiler) {
    List<Compiled> all = new ArrayList<>();
    for (JsonNode each : list) {
      all.add(Compiled.of(each.path("name").asText(), each.path("expression").asText(), compiler));
    }
    return all;
  }

  /** Returns whether the policy's constraints match a request, apart from its conditions. */
  boolean covers(AdmissionRequest request, Map<String, String> namespaceLabels) {
    return criteria.cover(request, namespaceLabels);
  }

  /**
   * Evaluates conditions and validations.
   *
   * @param request the values of the variables that requests have
   * @return what does not admit the request
   */
  List<Refusal> refusals(Map<String, Object> request) {
    List<Refusal> refusals = new ArrayList<>();
    try {
      if (!matches(request)) {
        return refusals;
      }
    } catch (FailedException e) {
      failed(e, refusals);
      return refusals;
    }
    Map<String, FailedException> failures = new HashMap<>();
    Map<String, Object> values = withVariables(request, failures);
    for (Validation validation : validations) {
      try {
        if (!Boolean.TRUE.equals(validation.expression.evaluate(values))) {
          refusals.add(new Refusal(validation.reason, message(validation, values)));
        }
      } catch (FailedException e) {
        failed(cause(validation.expression.text, failures).orElse(e), refusals);
      }
    }
    return refusals;
  }

  private void failed(FailedException failure, List<Refusal> refusals) {
    if (!ignoresFailures) {
      refusals.add(new Refusal(INVALID, String.valueOf(failure.getMessage())));
    }
  }

  /**
   * Returns whether all conditions hold. One that is false decides, even if others cannot be
   * evaluated.
   */
  private boolean matches(Map<String, Object> values) throws FailedException {
    Optional<FailedException> failure = Optional.empty();
    for (Compiled condition : conditions) {
      try {
        if (Boolean.FALSE.equals(condition.evaluate(values))) {
          return false;
        }
      } catch (FailedException e) {
        failure = failure.or(() -> Optional.of(e));
      }
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
    return true;
  }

  /**
   * Adds the policy's variables, in their order. One that cannot be evaluated is left out, so that
   * only the expressions that use it fail.
   *
   * @param failures receives why variables cannot be evaluated
   */
  private Map<String, Object> withVariables(
      Map<String, Object> request, Map<String, FailedException> failures) {
    Map<String, Object> values = new HashMap<>(request);
    Map<String, Object> own = new HashMap<>();
    values.put(PolicyExpressions.VARIABLES, own);
    for (Compiled variable : variables) {
      try {
        own.put(variable.name, variable.evaluate(values));
      } catch (FailedException e) {
        failures.put(variable.name, cause(variable.text, failures).orElse(e));
      }
    }
    return values;
  }

  /** Returns why an expression fails that uses a variable which cannot be evaluated. */
  private static Optional<FailedException> cause(
      String expression, Map<String, FailedException> failures) {
    return failures.entrySet().stream()
        .filter(failed -> uses(expression, failed.getKey()))
        .findFirst()
        .map(
            failed ->
                new FailedException(
                    "composited variable \"%s\" fails to evaluate: %s"
                        .formatted(failed.getKey(), failed.getValue().getMessage())));
  }

  private static boolean uses(String expression, String variable) {
    return Pattern.compile("\\bvariables\\." + Pattern.quote(variable) + "\\b")
        .matcher(expression)
        .find();
  }

  /** Returns the message of a validation that failed: evaluated, given, or else its expression. */
  private static String message(Validation validation, Map<String, Object> values) {
    String evaluated = validation.messageExpression.map(words -> text(words, values)).orElse("");
    if (!evaluated.isEmpty()) {
      return evaluated;
    }
    return validation.message.isEmpty()
        ? "failed expression: " + validation.expression.text.strip()
        : validation.message;
  }

  private static String text(Compiled words, Map<String, Object> values) {
    try {
      String text = words.evaluate(values) instanceof String made ? made.strip() : "";
      return text.length() > LONGEST_MESSAGE || text.contains("\n") ? "" : text;
    } catch (FailedException e) {
      return ""; // as documented for messageExpression: the message takes its place
    }
  }
}
