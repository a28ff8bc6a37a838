package io.berth.sandbox.selector;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.rules.label.LabelOperator;
import io.berth.sandbox.failure.Failures;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A label selector, from the {@code labelSelector} parameter of a list or from a
 * metav1.LabelSelector.
 */
public final class LabelSelector {
  /** Selects everything. */
  public static final LabelSelector EVERYTHING = new LabelSelector(List.of(), false);

  private static final LabelSelector NOTHING = new LabelSelector(List.of(), true);

  private final List<Requirement> requirements;
  private final boolean nothing;

  private LabelSelector(List<Requirement> requirements, boolean nothing) {
    this.requirements = requirements;
    this.nothing = nothing;
  }

  private record Requirement(String key, LabelOperator operator, Set<String> values) {
    boolean matches(Map<String, String> labels) {
      return operator.holds(labels.get(key), values);
    }
  }

  /** Returns whether labels satisfy every requirement. */
  public boolean matches(Map<String, String> labels) {
    if (nothing) {
      return false;
    }
    for (Requirement requirement : requirements) {
      if (!requirement.matches(labels)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the selector is empty and selects everything. */
  public boolean isEmpty() {
    return requirements.isEmpty() && !nothing;
  }

  /**
   * Converts a metav1.LabelSelector. A missing selector selects nothing, and an empty one
   * everything. One with an unknown operator, which the API server rejects, selects nothing.
   */
  public static LabelSelector ofObject(JsonNode selector) {
    if (!selector.isObject()) {
      return NOTHING;
    }
    List<Requirement> requirements = new ArrayList<>();
    selector
        .path("matchLabels")
        .properties()
        .forEach(
            label ->
                requirements.add(
                    new Requirement(
                        label.getKey(), LabelOperator.IN, Set.of(label.getValue().asText()))));
    for (JsonNode expression : selector.path("matchExpressions")) {
      Set<String> values = new HashSet<>();
      expression.path("values").forEach(value -> values.add(value.asText()));
      Optional<LabelOperator> operator =
          LabelOperator.ofLabelSelector(expression.path("operator").asText());
      if (operator.isEmpty()) {
        return NOTHING;
      }
      requirements.add(new Requirement(expression.path("key").asText(), operator.get(), values));
    }
    return new LabelSelector(List.copyOf(requirements), false);
  }

  /**
   * Parses the {@code labelSelector} parameter, for example {@code app=web,tier in (a,b),!old}.
   *
   * @throws io.berth.sandbox.failure.ApiException 400 if it cannot be parsed
   */
  public static LabelSelector parse(String text) {
    if (text.isBlank()) {
      return EVERYTHING;
    }
    List<Requirement> requirements = new ArrayList<>();
    for (String part : split(text)) {
      requirements.add(requirement(text, part.strip()));
    }
    return new LabelSelector(List.copyOf(requirements), false);
  }

  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0) {
        parts.add(text.substring(from, i));
        from = i + 1;
      }
    }
    parts.add(text.substring(from));
    return parts;
  }

  private static Requirement requirement(String whole, String part) {
    if (part.startsWith("!")) {
      return new Requirement(key(whole, part.substring(1)), LabelOperator.DOES_NOT_EXIST, Set.of());
    }
    int open = part.indexOf('(');
    if (open >= 0) {
      return setBased(whole, part, open);
    }
    for (String sign : List.of("!=", "==", "=", ">", "<")) {
      int at = part.indexOf(sign);
      if (at >= 0) {
        LabelOperator operator =
            switch (sign) {
              case "!=" -> LabelOperator.NOT_IN;
              case ">" -> LabelOperator.GREATER_THAN;
              case "<" -> LabelOperator.LESS_THAN;
              default -> LabelOperator.IN;
            };
        String value = part.substring(at + sign.length()).strip();
        return new Requirement(key(whole, part.substring(0, at)), operator, Set.of(value));
      }
    }
    return new Requirement(key(whole, part), LabelOperator.EXISTS, Set.of());
  }

  private static Requirement setBased(String whole, String part, int open) {
    if (!part.endsWith(")")) {
      throw unparsable(whole, "found '" + part + "', expected: ')'");
    }
    List<String> words = List.of(part.substring(0, open).strip().split("\\s+", -1));
    Set<String> values = new HashSet<>();
    for (String value : part.substring(open + 1, part.length() - 1).split(",", -1)) {
      values.add(value.strip());
    }
    return switch (words.size() == 2 ? words.getLast() : "") {
      case "in" -> new Requirement(key(whole, words.getFirst()), LabelOperator.IN, values);
      case "notin" -> new Requirement(key(whole, words.getFirst()), LabelOperator.NOT_IN, values);
      default -> throw unparsable(whole, "found '" + part + "', expected: in, notin");
    };
  }

  private static String key(String whole, String key) {
    String stripped = key.strip();
    if (stripped.isEmpty()
        || stripped.chars().anyMatch(c -> Character.isWhitespace(c) || c == '(' || c == ')')) {
      throw unparsable(
          whole, "found '" + stripped + "', expected: !, identifier, or 'end of string'");
    }
    return stripped;
  }

  private static RuntimeException unparsable(String whole, String why) {
    return Failures.badRequest("unable to parse requirement: " + why + " (in \"" + whole + "\")");
  }
}
