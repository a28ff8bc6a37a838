package io.berth.operator.offline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The value of a plain YAML scalar, as kubectl reads it: YAML 1.1, with {@code yes}, {@code on},
 * and {@code y} as booleans, and with octal, hexadecimal, and binary numbers, but without
 * sexagesimal numbers and timestamps, which are text.
 */
final class YamlScalar {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
  private static final Set<String> NOT_FINITE =
      Set.of(
          ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf",
          "-.Inf", "-.INF");
  private static final Map<String, Boolean> BOOLEANS = booleans();
  private static final Pattern DECIMAL = Pattern.compile("[-+]?(0|[1-9][0-9]*)");
  private static final Map<Integer, Pattern> RADIXES =
      Map.of(
          2, Pattern.compile("([-+]?)0[bB]([01]+)"),
          8, Pattern.compile("([-+]?)0[oO]?([0-7]+)"),
          16, Pattern.compile("([-+]?)0[xX]([0-9a-fA-F]+)"));
  private static final Pattern FLOAT =
      Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
  private static final int MOST_DIGITS = 1_000;

  private YamlScalar() {}

  /** Returns the value; empty if it is a number that JSON does not have, such as infinity. */
  static Optional<JsonNode> of(String text) {
    if (NULLS.contains(text)) {
      return Optional.of(JSON.nullNode());
    }
    Boolean truth = BOOLEANS.get(text);
    if (truth != null) {
      return Optional.of(JSON.booleanNode(truth));
    }
    if (NOT_FINITE.contains(text)) {
      return Optional.empty();
    }
    String digits = text.replace("_", "");
    boolean startsAsNumber = !digits.isEmpty() && "+-.0123456789".indexOf(text.charAt(0)) >= 0;
    if (!startsAsNumber || digits.length() > MOST_DIGITS) {
      return Optional.of(JSON.textNode(text));
    }
    return Optional.of(number(digits).orElseGet(() -> JSON.textNode(text)));
  }

  private static Optional<JsonNode> number(String digits) {
    if (DECIMAL.matcher(digits).matches()) {
      return Optional.of(whole(new BigInteger(digits)));
    }
    for (Map.Entry<Integer, Pattern> radix : RADIXES.entrySet()) {
      var matcher = radix.getValue().matcher(digits);
      if (matcher.matches()) {
        return Optional.of(
            whole(new BigInteger(matcher.group(1) + matcher.group(2), radix.getKey())));
      }
    }
    if (FLOAT.matcher(digits).matches()) {
      double value = Double.parseDouble(digits);
      if (Double.isFinite(value)) {
        boolean isWhole = value == Math.rint(value) && Math.abs(value) < 1L << 53;
        return Optional.of(
            isWhole ? whole(BigInteger.valueOf((long) value)) : JSON.numberNode(value));
      }
    }
    return Optional.empty();
  }

  private static JsonNode whole(BigInteger value) {
    if (value.bitLength() < Integer.SIZE) {
      return JSON.numberNode(value.intValue());
    }
    return value.bitLength() < Long.SIZE
        ? JSON.numberNode(value.longValue())
        : JSON.numberNode(value);
  }

  private static Map<String, Boolean> booleans() {
    return Map.ofEntries(
        Map.entry("y", true),
        Map.entry("Y", true),
        Map.entry("yes", true),
        Map.entry("Yes", true),
        Map.entry("YES", true),
        Map.entry("true", true),
        Map.entry("True", true),
        Map.entry("TRUE", true),
        Map.entry("on", true),
        Map.entry("On", true),
        Map.entry("ON", true),
        Map.entry("n", false),
        Map.entry("N", false),
        Map.entry("no", false),
        Map.entry("No", false),
        Map.entry("NO", false),
        Map.entry("false", false),
        Map.entry("False", false),
        Map.entry("FALSE", false),
        Map.entry("off", false),
        Map.entry("Off", false),
        Map.entry("OFF", false));
  }
}
