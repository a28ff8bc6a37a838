package io.berth.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.List;
import java.util.regex.Pattern;

/** The rules for tolerations. */
final class TolerationRules {
  private static final List<String> OPERATORS = List.of("Equal", "Exists");
  private static final List<String> ALL_OPERATORS = List.of("Equal", "Exists", "Lt", "Gt");
  private static final List<String> EFFECTS =
      List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
  private static final Pattern CANONICAL = Pattern.compile("0|-?[1-9][0-9]*");

  private final Checks checks;

  /** True if {@code Lt} and {@code Gt} are accepted: gate TaintTolerationComparisonOperators. */
  private final boolean compares;

  TolerationRules(Checks checks, boolean compares) {
    this.checks = checks;
    this.compares = compares;
  }

  void check(JsonNode tolerations, String path) {
    for (int i = 0; i < tolerations.size(); i++) {
      toleration(tolerations.get(i), path + "[" + i + "]");
    }
  }

  private void toleration(JsonNode toleration, String path) {
    JsonNode key = toleration.path("key");
    JsonNode operator = toleration.path("operator");
    JsonNode effect = toleration.path("effect");
    boolean noKey = checks.isKnown(key) && Checks.text(key).isEmpty();
    if (!noKey) {
      checks.labelName(key, path + ".key");
    }
    if (noKey && checks.isKnown(operator) && !Checks.text(operator).equals("Exists")) {
      checks.add(
          Violation.invalid(
              path + ".operator",
              Checks.text(operator),
              "operator must be Exists when `key` is empty, which means \"match all values and all"
                  + " keys\""));
    }
    if (!Checks.isAbsent(toleration.path("tolerationSeconds"))
        && checks.isKnown(effect)
        && !Checks.text(effect).equals("NoExecute")) {
      checks.add(
          Violation.invalid(
              path + ".effect",
              Checks.text(effect),
              "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    if (checks.isKnown(operator)) {
      value(toleration.path("value"), Checks.text(operator), path);
    }
    if (!Checks.text(effect).isEmpty()) {
      checks.oneOf(effect, EFFECTS, path + ".effect");
    }
  }

  private void value(JsonNode value, String operator, String path) {
    switch (operator) {
      case "", "Equal" -> {
        List<String> wrong = LabelSyntax.ofLabelValue(Checks.text(value));
        if (checks.isKnown(value) && !wrong.isEmpty()) {
          refuse(value, String.join(";", wrong), path);
        }
      }
      case "Exists" -> {
        if (checks.isKnown(value) && !Checks.text(value).isEmpty()) {
          refuse(value, "value must be empty when `operator` is 'Exists'", path);
        }
      }
      case "Lt", "Gt" -> {
        if (!compares) {
          checks.add(Violation.unsupported(path + ".operator", operator, ALL_OPERATORS));
        } else if (checks.isKnown(value)) {
          integer(Checks.text(value), path + ".value");
        }
      }
      default -> checks.add(Violation.unsupported(path + ".operator", operator, OPERATORS));
    }
  }

  /** Adds a violation of the value, which the API server reports at the path of the operator. */
  private void refuse(JsonNode value, String detail, String path) {
    checks.add(Violation.invalid(path + ".value", path + ".operator", Checks.text(value), detail));
  }

  private void integer(String value, String path) {
    if (!CANONICAL.matcher(value).matches()) {
      checks.add(
          Violation.invalid(path, value, "must be a valid decimal integer in canonical form"));
    } else if (new BigInteger(value).bitLength() >= Long.SIZE) {
      checks.add(Violation.invalid(path, value, "must fit into 64 bits"));
    }
  }
}
