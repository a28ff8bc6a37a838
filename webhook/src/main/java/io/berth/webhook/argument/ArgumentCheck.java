package io.berth.webhook.argument;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.ParameterType;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Checks one value against one parameter, and converts it from JSON to the parameter's Java type.
 */
final class ArgumentCheck {

  private final DeclaredParameter parameter;
  private final List<Problem> problems;
  private long matching;

  /** Creates a check that adds problems to the list. */
  ArgumentCheck(DeclaredParameter parameter, List<Problem> problems) {
    this.parameter = parameter;
    this.problems = problems;
  }

  /**
   * Returns the value as a String, Long, Boolean, or List of String; empty if problems were added.
   */
  Optional<Object> check(JsonNode node, String path) {
    int before = problems.size();
    Optional<Object> value =
        switch (parameter.type()) {
          case STRING -> text(node, path).map(text -> text);
          case INTEGER -> integer(node, path).map(integer -> integer);
          case BOOLEAN -> truth(node, path);
          case STRING_LIST -> list(node, path);
        };
    return problems.size() == before ? value : Optional.empty();
  }

  private Optional<String> text(JsonNode node, String path) {
    if (!node.isTextual()) {
      String instead =
          node.isNumber() || node.isBoolean() ? ": write \"" + node.asText() + "\" in quotes" : "";
      return wrongType(node, path, ParameterType.STRING, instead);
    }
    String text = node.textValue();
    if (text.length() > ArgumentLimits.STRING) {
      add(
          ErrorCode.ARGUMENT_TOO_LARGE,
          path,
          "has " + text.length() + " characters; the limit is " + ArgumentLimits.STRING);
      return Optional.empty();
    }
    Optional<Integer> invisible = text.codePoints().filter(Quoted::isInvisible).boxed().findFirst();
    if (invisible.isPresent()) {
      add(
          ErrorCode.ARGUMENT_NOT_ACCEPTED,
          path,
          String.format("contains the invisible character U+%04X; remove it", invisible.get()));
      return Optional.empty();
    }
    if (parameter.pattern().isPresent()) {
      matching += (long) parameter.pattern().get().programSize() * text.length();
    }
    if (matching > PatternSize.MATCHING) {
      add(
          ErrorCode.ARGUMENT_TOO_LARGE,
          path,
          "is too long for the parameter's pattern; shorten it");
      return Optional.empty();
    }
    if (parameter.pattern().isPresent() && !parameter.pattern().get().matches(text)) {
      add(
          ErrorCode.ARGUMENT_NOT_ACCEPTED,
          path,
          Quoted.value(text)
              + " does not match the pattern "
              + parameter.pattern().get().pattern()
              + " as a whole");
      return Optional.empty();
    }
    return accepted(text, path);
  }

  private Optional<Long> integer(JsonNode node, String path) {
    if (!node.isIntegralNumber()) {
      String instead =
          node.isTextual() && node.textValue().matches("-?[0-9]{1,18}")
              ? ": write " + node.textValue() + " without quotes"
              : plain(node).map(plain -> ": write it as " + plain).orElse("");
      return wrongType(node, path, ParameterType.INTEGER, instead);
    }
    BigInteger value = node.bigIntegerValue();
    long minimum = parameter.minimum().orElse(Long.MIN_VALUE);
    long maximum = parameter.maximum().orElse(Long.MAX_VALUE);
    if (value.compareTo(BigInteger.valueOf(minimum)) < 0) {
      add(
          ErrorCode.ARGUMENT_NOT_ACCEPTED,
          path,
          cut(value.toString()) + " is less than the minimum, " + minimum);
      return Optional.empty();
    }
    if (value.compareTo(BigInteger.valueOf(maximum)) > 0) {
      add(
          ErrorCode.ARGUMENT_NOT_ACCEPTED,
          path,
          cut(value.toString()) + " is greater than the maximum, " + maximum);
      return Optional.empty();
    }
    return accepted(value.longValueExact(), path);
  }

  /**
   * Returns the digits of an integer that is written with a decimal point or an exponent, such as
   * 1e1.
   */
  private static Optional<String> plain(JsonNode node) {
    if (!node.isBigDecimal()) {
      return Optional.empty();
    }
    BigDecimal number = node.decimalValue().stripTrailingZeros();
    boolean wholeLong = number.scale() <= 0 && number.precision() - (long) number.scale() <= 18;
    return wholeLong ? Optional.of(number.toPlainString()) : Optional.empty();
  }

  private Optional<Object> truth(JsonNode node, String path) {
    if (!node.isBoolean()) {
      String instead =
          node.isTextual() && node.textValue().matches("true|false")
              ? ": write " + node.textValue() + " without quotes"
              : "";
      return wrongType(node, path, ParameterType.BOOLEAN, instead);
    }
    return Optional.of(node.booleanValue());
  }

  private Optional<Object> list(JsonNode node, String path) {
    if (!node.isArray()) {
      String instead = node.isTextual() ? ": write [" + Quoted.value(node.textValue()) + "]" : "";
      return wrongType(node, path, ParameterType.STRING_LIST, instead);
    }
    if (node.size() > ArgumentLimits.ITEMS) {
      add(
          ErrorCode.ARGUMENT_TOO_LARGE,
          path,
          "has " + node.size() + " items; the limit is " + ArgumentLimits.ITEMS);
      return Optional.empty();
    }
    List<String> items = new ArrayList<>(node.size());
    for (int i = 0; i < node.size() && problems.size() < ArgumentLimits.PROBLEMS; i++) {
      if (node.get(i).isTextual() && node.get(i).textValue().isEmpty() && !parameter.takesEmpty()) {
        add(
            ErrorCode.ARGUMENT_NOT_ACCEPTED,
            path + "[" + i + "]",
            "is an empty string, which is not accepted: remove the item");
        continue;
      }
      text(node.get(i), path + "[" + i + "]").ifPresent(items::add);
    }
    return Optional.of(List.copyOf(items));
  }

  private <T> Optional<T> accepted(T value, String path) {
    if (parameter.accepted().isEmpty() || parameter.accepted().contains(value)) {
      return Optional.of(value);
    }
    List<String> names = parameter.accepted().stream().map(Object::toString).toList();
    String shown = value instanceof String text ? Quoted.value(text) : value.toString();
    String question = value instanceof String text ? NearestName.question(text, names) : "";
    add(
        ErrorCode.ARGUMENT_NOT_ACCEPTED,
        path,
        shown + " is not accepted; accepted: " + acceptedWords(parameter) + question);
    return Optional.empty();
  }

  private <T> Optional<T> wrongType(
      JsonNode node, String path, ParameterType wanted, String instead) {
    add(
        ErrorCode.ARGUMENT_TYPE,
        path,
        "must be " + words(wanted) + ", not " + describe(node) + instead);
    return Optional.empty();
  }

  private void add(ErrorCode code, String path, String message) {
    problems.add(new Problem(code, path, message));
  }

  /**
   * Returns a description of a parameter's accepted values: {@code one of "A", "B"} or {@code an
   * integer from 1 to 100}.
   */
  static String takes(DeclaredParameter parameter) {
    if (!parameter.accepted().isEmpty()) {
      String one = parameter.type() == ParameterType.STRING_LIST ? "a list of " : "one of ";
      return one + acceptedWords(parameter);
    }
    String from = parameter.minimum().map(least -> " from " + least).orElse("");
    String to = parameter.maximum().map(most -> " to " + most).orElse("");
    String matching =
        parameter.pattern().map(pattern -> " matching " + pattern.pattern()).orElse("");
    return words(parameter.type()) + from + to + matching;
  }

  static String words(ParameterType type) {
    return switch (type) {
      case STRING -> "a string";
      case INTEGER -> "an integer";
      case BOOLEAN -> "true or false";
      case STRING_LIST -> "a list of strings";
    };
  }

  private static String acceptedWords(DeclaredParameter parameter) {
    return parameter.accepted().stream()
        .limit(20)
        .map(value -> value instanceof String text ? Quoted.value(text) : value.toString())
        .collect(Collectors.joining(", "));
  }

  private static String describe(JsonNode node) {
    return switch (node.getNodeType()) {
      case STRING -> "the string " + Quoted.value(node.textValue());
      case NUMBER -> "the number " + cut(node.asText());
      case BOOLEAN -> node.asText();
      case NULL, MISSING -> "null";
      case ARRAY -> "a list";
      default -> "an object";
    };
  }

  private static String cut(String number) {
    return number.length() <= 40 ? number : number.substring(0, 40) + "...";
  }
}
