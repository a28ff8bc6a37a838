package io.berth.webhook.affinity;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Checks the operators {@code Gt} and {@code Lt} in node affinity. The API server accepts any
 * value, but a node selector term with a value that is not an integer never matches.
 */
final class NodeComparisons {
  private static final Set<String> OPERATORS = Set.of("Gt", "Lt");

  /** A decimal integer as accepted by Go's {@code strconv.ParseInt}. */
  private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]{1,20}");

  private final FieldErrors errors;

  NodeComparisons(FieldErrors errors) {
    this.errors = errors;
  }

  void check(JsonNode affinity, String path) {
    String required = "requiredDuringSchedulingIgnoredDuringExecution";
    String preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    JsonNode terms = affinity.path(required).path("nodeSelectorTerms");
    for (int i = 0; i < terms.size(); i++) {
      term(terms.get(i), path + "." + required + ".nodeSelectorTerms[" + i + "]");
    }
    JsonNode preferences = affinity.path(preferred);
    for (int i = 0; i < preferences.size(); i++) {
      term(
          preferences.get(i).path("preference"), path + "." + preferred + "[" + i + "].preference");
    }
  }

  private void term(JsonNode term, String path) {
    JsonNode expressions = term.path("matchExpressions");
    for (int i = 0; i < expressions.size(); i++) {
      JsonNode values = expressions.get(i).path("values");
      JsonNode operator = expressions.get(i).path("operator");
      if (values.size() != 1
          || !Tree.isKnown(values.get(0))
          || !Tree.isKnown(operator)
          || !OPERATORS.contains(operator.asText())) {
        continue;
      }
      String value = values.get(0).asText();
      if (!isInteger(value)) {
        errors.invalid(
            path + ".matchExpressions[" + i + "].values[0]",
            value,
            "must be a 64-bit integer when `operator` is 'Lt' or 'Gt'");
      }
    }
  }

  private static boolean isInteger(String text) {
    return INTEGER.matcher(text).matches() && new BigInteger(text).bitLength() < Long.SIZE;
  }
}
