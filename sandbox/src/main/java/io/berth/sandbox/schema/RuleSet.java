package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;
import io.berth.sandbox.cel.Expressions;
import io.berth.sandbox.cel.Expressions.Expression;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The {@code x-kubernetes-validations} rules of a schema. They are compiled once and evaluated on
 * objects.
 */
final class RuleSet {
  private static final Pattern SYNTAX_ERROR =
      Pattern.compile(
          "(ERROR: <input>:\\d+:\\d+: )(token recognition error|extraneous input|mismatched input"
              + "|no viable alternative|missing )");

  /** A compiled rule. */
  record Rule(
      JsonNode json,
      Expression expression,
      @Nullable Expression message,
      boolean optionalOldSelf) {}

  private final List<FieldError> compileErrors = new ArrayList<>();

  /**
   * Compiles all rules, adds them to the schema, and returns the errors of rules that do not
   * compile.
   */
  static List<FieldError> compile(StructuralSchema schema, String path) {
    RuleSet rules = new RuleSet();
    rules.compileNode(schema, path, true);
    return rules.compileErrors;
  }

  private void compileNode(StructuralSchema schema, String path, boolean root) {
    JsonNode rules = schema.json.path("x-kubernetes-validations");
    if (!rules.isEmpty()) {
      Environments environments = new Environments(schema, root);
      List<Rule> compiled = new ArrayList<>();
      for (int i = 0; i < rules.size(); i++) {
        String at = path + ".x-kubernetes-validations[" + i + "]";
        Rule rule = compileRule(rules.get(i), environments, at);
        if (rule != null) {
          compiled.add(rule);
        }
      }
      schema.rules = List.copyOf(compiled);
    }
    schema.properties.forEach(
        (name, property) -> compileNode(property, path + ".properties[" + name + "]", false));
    if (schema.items != null) {
      compileNode(schema.items, path + ".items", false);
    }
    if (schema.additional != null) {
      compileNode(schema.additional, path + ".additionalProperties", false);
    }
  }

  /**
   * The two environments for the rules of a schema node. They are expensive and therefore created
   * on demand.
   */
  private static final class Environments {
    private final CelType self;
    private final RuleTypes types = new RuleTypes();
    private @Nullable Expressions plain;
    private @Nullable Expressions optional;

    Environments(StructuralSchema schema, boolean root) {
      this.self = types.typeOf(schema, root, "berth.Object");
    }

    Expressions of(boolean optionalOldSelf) {
      Expressions known = optionalOldSelf ? optional : plain;
      if (known != null) {
        return known;
      }
      CelType oldSelf = optionalOldSelf ? OptionalType.create(self) : self;
      Expressions made =
          Expressions.over(Map.of("self", self, "oldSelf", oldSelf), Optional.of(types.provider()));
      if (optionalOldSelf) {
        optional = made;
      } else {
        plain = made;
      }
      return made;
    }
  }

  private @Nullable Rule compileRule(JsonNode json, Environments environments, String path) {
    boolean optional = json.path("optionalOldSelf").asBoolean();
    Expressions expressions = environments.of(optional);
    String text = json.path("rule").asText("");
    if (text.isBlank()) {
      compileErrors.add(FieldError.required(path + ".rule", "rule is not specified"));
      return null;
    }
    Expression expression;
    try {
      expression = expressions.compile(text, SimpleType.BOOL);
    } catch (CelValidationException e) {
      compileErrors.add(
          FieldError.invalid(path + ".rule", text, "compilation failed: " + problems(e)));
      return null;
    }
    JsonNode message = json.get("messageExpression");
    if (message == null) {
      return new Rule(json, expression, null, optional);
    }
    try {
      return new Rule(
          json, expression, expressions.compile(message.asText(), SimpleType.STRING), optional);
    } catch (CelValidationException e) {
      compileErrors.add(
          FieldError.invalid(
              path + ".messageExpression",
              message.asText(),
              "messageExpression compilation failed: " + problems(e)));
      return null;
    }
  }

  /**
   * Returns the message of a compilation error. Syntax errors are marked like those of the real API
   * server.
   */
  private static String problems(CelValidationException e) {
    return SYNTAX_ERROR.matcher(String.valueOf(e.getMessage())).replaceAll("$1Syntax error: $2");
  }

  /** Evaluates the rules on a value and its children. */
  static void validate(
      JsonNode value,
      @Nullable JsonNode old,
      @Nullable StructuralSchema schema,
      String path,
      List<FieldError> errors) {
    if (schema == null || value.isNull()) {
      return;
    }
    for (Rule rule : schema.rules) {
      run(rule, value, old, schema, path, errors);
    }
    if (value instanceof ObjectNode map) {
      for (Map.Entry<String, JsonNode> member : map.properties()) {
        validate(
            member.getValue(),
            old == null ? null : old.get(member.getKey()),
            schema.member(member.getKey()),
            schema.declares(member.getKey())
                ? ValueValidation.child(path, member.getKey())
                : path + "[" + member.getKey() + "]",
            errors);
      }
    } else if (value instanceof ArrayNode list && schema.items != null) {
      for (int i = 0; i < list.size(); i++) {
        validate(
            list.get(i),
            ListTypes.correlated(list, i, old, schema),
            schema.items,
            path + "[" + i + "]",
            errors);
      }
    }
  }

  private static void run(
      Rule rule,
      JsonNode value,
      @Nullable JsonNode old,
      StructuralSchema schema,
      String path,
      List<FieldError> errors) {
    boolean transition = rule.expression.usesOldSelf();
    if (transition && old == null && !rule.optionalOldSelf) {
      return;
    }
    if (!transition && value.equals(old)) {
      return;
    }
    Map<String, Object> variables = new HashMap<>();
    variables.put("self", RuleTypes.valueOf(value, schema));
    if (transition) {
      Optional<Object> before =
          Optional.ofNullable(old).map(present -> RuleTypes.valueOf(present, schema));
      variables.put("oldSelf", rule.optionalOldSelf ? before : before.orElseThrow());
    }
    String at = path + rule.json.path("fieldPath").asText("");
    try {
      if (Boolean.TRUE.equals(rule.expression.evaluate(variables))) {
        return;
      }
      errors.add(failed(rule, value, schema, at, message(rule, variables)));
    } catch (CelEvaluationException e) {
      errors.add(
          FieldError.invalid(
              path, schema.type, e.getMessage() + " evaluating rule: " + words(rule)));
    }
  }

  private static String message(Rule rule, Map<String, Object> variables) {
    if (rule.message != null) {
      try {
        Object text = rule.message.evaluate(variables);
        if (text instanceof String message && !message.isBlank()) {
          return message;
        }
      } catch (CelEvaluationException e) {
        // If messageExpression cannot be evaluated, the plain message is used, as in the API
        // server.
        return words(rule);
      }
    }
    return words(rule);
  }

  private static String words(Rule rule) {
    String message = rule.json.path("message").asText("");
    return message.isEmpty() ? "failed rule: " + rule.json.path("rule").asText() : message;
  }

  private static FieldError failed(
      Rule rule, JsonNode value, StructuralSchema schema, String path, String words) {
    String field = path.startsWith(".") ? path.substring(1) : path;
    boolean scalar = !schema.type.equals("object") && !schema.type.equals("array");
    return switch (rule.json.path("reason").asText("")) {
      case "FieldValueForbidden" -> FieldError.forbidden(field, words);
      case "FieldValueRequired" -> FieldError.required(field, words);
      case "FieldValueDuplicate" -> FieldError.duplicate(field, GoValue.shown(value));
      default ->
          scalar
              ? FieldError.invalid(field, GoValue.shown(value), words)
              : new FieldError(field, "FieldValueInvalid", "Invalid value: " + words);
    };
  }
}
