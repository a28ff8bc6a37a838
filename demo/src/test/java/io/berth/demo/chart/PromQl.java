package io.berth.demo.chart;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parser of the subset of PromQL that Berth's rules and dashboard use: selectors with ranges,
 * functions, aggregations, and operators. Anything else is an error.
 */
final class PromQl {

  /** A metric in an expression, with all labels that the expression uses. */
  record Selector(String metric, Set<String> labels) {}

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*(?:([a-zA-Z_:][a-zA-Z0-9_:]*)|([0-9]+(?:\\.[0-9]+)?)|(\"[^\"]*\")"
              + "|(\\[(?:[0-9]+[smhd]|\\$__rate_interval)])|(==|!=|=~|!~|>=|<=|[-+*/<>=(){},]))");
  private static final Set<String> AGGREGATIONS = Set.of("sum", "max", "min", "avg", "count");
  private static final Set<String> RANGE_FUNCTIONS = Set.of("rate", "increase");
  private static final Set<String> FUNCTIONS = Set.of("histogram_quantile", "absent");
  private static final Set<String> OPERATORS =
      Set.of("==", "!=", ">", "<", ">=", "<=", "+", "-", "*", "/", "and", "or", "unless");

  private final String text;
  private final List<String> tokens;
  private final List<Selector> selectors = new ArrayList<>();
  private int next;

  private PromQl(String text) {
    this.text = text;
    this.tokens = tokens(text);
  }

  /**
   * Splits an expression into tokens.
   *
   * @throws IllegalArgumentException if a part of it is none
   */
  static List<String> tokens(String text) {
    List<String> tokens = new ArrayList<>();
    Matcher matcher = TOKEN.matcher(text);
    int at = 0;
    while (at < text.stripTrailing().length()) {
      if (!matcher.find(at) || matcher.start() != at) {
        throw new IllegalArgumentException(text + ": cannot be read at column " + at);
      }
      tokens.add(matcher.group().strip());
      at = matcher.end();
    }
    return tokens;
  }

  /**
   * Parses an expression.
   *
   * @return the selected metrics
   * @throws IllegalArgumentException if the expression is malformed or not supported
   */
  static List<Selector> parse(String text) {
    PromQl parser = new PromQl(text);
    parser.expression(Set.of());
    if (parser.next < parser.tokens.size()) {
      throw parser.unexpected("the end");
    }
    return parser.selectors;
  }

  private void expression(Set<String> grouping) {
    operand(grouping);
    while (OPERATORS.contains(peek())) {
      next++;
      operand(grouping);
    }
  }

  private void operand(Set<String> grouping) {
    String token = take("an operand");
    if (token.equals("(")) {
      expression(grouping);
      expect(")");
    } else if (AGGREGATIONS.contains(token)) {
      Set<String> by = new LinkedHashSet<>(grouping);
      if (peek().equals("by")) {
        next++;
        by.addAll(labels());
      }
      expect("(");
      expression(by);
      expect(")");
    } else if (RANGE_FUNCTIONS.contains(token)) {
      expect("(");
      selector(take("a metric"), grouping);
      if (!take("a range").startsWith("[")) {
        next--;
        throw unexpected("a range, as " + token + " takes one");
      }
      expect(")");
    } else if (FUNCTIONS.contains(token)) {
      expect("(");
      if (token.equals("histogram_quantile")) {
        if (!take("a quantile").matches("0\\.[0-9]+")) {
          next--;
          throw unexpected("a quantile");
        }
        expect(",");
      }
      expression(grouping);
      expect(")");
    } else if (token.matches("[a-zA-Z_:].*")) {
      selector(token, grouping);
    } else if (!token.matches("[0-9].*")) {
      next--;
      throw unexpected("an operand");
    }
  }

  private void selector(String metric, Set<String> grouping) {
    if (!metric.matches("[a-zA-Z_:][a-zA-Z0-9_:]*")) {
      next--;
      throw unexpected("a metric");
    }
    Set<String> labels = new LinkedHashSet<>(grouping);
    if (peek().equals("{")) {
      do {
        next++;
        labels.add(take("a label"));
        if (!Set.of("=", "!=", "=~", "!~").contains(take("a matcher"))) {
          next--;
          throw unexpected("a matcher");
        }
        if (!take("a value").startsWith("\"")) {
          next--;
          throw unexpected("a value in quotes");
        }
      } while (peek().equals(","));
      expect("}");
    }
    selectors.add(new Selector(metric, labels));
  }

  private List<String> labels() {
    List<String> labels = new ArrayList<>();
    expect("(");
    labels.add(take("a label"));
    while (peek().equals(",")) {
      next++;
      labels.add(take("a label"));
    }
    expect(")");
    return labels;
  }

  private String peek() {
    return next < tokens.size() ? tokens.get(next) : "";
  }

  private String take(String what) {
    if (next >= tokens.size()) {
      throw unexpected(what);
    }
    return tokens.get(next++);
  }

  private void expect(String token) {
    if (!peek().equals(token)) {
      throw unexpected(token);
    }
    next++;
  }

  private IllegalArgumentException unexpected(String what) {
    return new IllegalArgumentException(
        "%s: expected %s, and found \"%s\"".formatted(text, what, peek()));
  }
}
