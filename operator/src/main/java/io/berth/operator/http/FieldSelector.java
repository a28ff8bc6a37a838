package io.berth.operator.http;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A selection of objects by their fields, as in {@code metadata.name=web,status.result!=Placed}.
 *
 * @param text the selection as it was written
 * @param terms the conditions, all of which an object fulfills
 */
public record FieldSelector(String text, List<Term> terms) {

  /** A condition on one field. */
  public record Term(String field, boolean equal, String value) {}

  /** The selector that selects everything. */
  public static final FieldSelector ALL = new FieldSelector("", List.of());

  public FieldSelector {
    terms = List.copyOf(terms);
  }

  /**
   * Reads a selector.
   *
   * @param supported the fields that can be selected by
   * @throws IllegalArgumentException if it is malformed, or names another field
   */
  public static FieldSelector parse(String text, Collection<String> supported) {
    List<Term> terms = new ArrayList<>();
    for (String condition : conditions(text)) {
      if (!condition.isBlank()) {
        terms.add(term(condition, supported));
      }
    }
    return new FieldSelector(text, terms);
  }

  private static Term term(String condition, Collection<String> supported) {
    int sign = condition.indexOf('=');
    if (sign <= 0) {
      throw new IllegalArgumentException(
          "fieldSelector: \"%s\" is no condition; write FIELD=VALUE or FIELD!=VALUE"
              .formatted(condition));
    }
    boolean equal = condition.charAt(sign - 1) != '!';
    String field = condition.substring(0, equal ? sign : sign - 1).strip();
    int value = condition.startsWith("==", sign) ? sign + 2 : sign + 1;
    if (!supported.contains(field)) {
      throw new IllegalArgumentException(
          "fieldSelector: field \"%s\" is not supported; the supported fields are %s"
              .formatted(field, String.join(", ", supported)));
    }
    return new Term(field, equal, unescaped(condition.substring(value).strip()));
  }

  /** Returns the parts between commas; a backslash protects the next character. */
  private static List<String> conditions(String text) {
    List<String> parts = new ArrayList<>();
    int begin = 0;
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '\\') {
        i++;
      } else if (text.charAt(i) == ',') {
        parts.add(text.substring(begin, i));
        begin = i + 1;
      }
    }
    parts.add(text.substring(begin));
    return parts;
  }

  private static String unescaped(String value) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char next = value.charAt(i);
      out.append(next == '\\' && i + 1 < value.length() ? value.charAt(++i) : next);
    }
    return out.toString();
  }

  /** Returns whether an object fulfills all conditions; {@code valueOf} returns its fields. */
  public boolean matches(UnaryOperator<String> valueOf) {
    for (Term term : terms) {
      if (valueOf.apply(term.field()).equals(term.value()) != term.equal()) {
        return false;
      }
    }
    return true;
  }

  /** Returns the value that a field must have; empty if no condition says so. */
  public Optional<String> required(String field) {
    return terms.stream()
        .filter(term -> term.equal() && term.field().equals(field))
        .map(Term::value)
        .findFirst();
  }

  /** Returns whether everything is selected. */
  public boolean isEmpty() {
    return terms.isEmpty();
  }
}
