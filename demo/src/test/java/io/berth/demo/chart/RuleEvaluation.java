package io.berth.demo.chart;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.DoubleBinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An evaluation of the subset of PromQL that {@link PromQl} accepts, over scrapes of a metrics
 * page. As in Prometheus, {@code rate} and {@code increase} need two samples of a series in the
 * range, so a counter that appears with its first failure has not increased.
 */
final class RuleEvaluation {
  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)");
  private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"([^\"]*)\",?");
  private static final Map<String, DoubleBinaryOperator> COMPARISONS =
      Map.of(
          ">", (a, b) -> a > b ? 1 : 0,
          "<", (a, b) -> a < b ? 1 : 0,
          ">=", (a, b) -> a >= b ? 1 : 0,
          "<=", (a, b) -> a <= b ? 1 : 0,
          "==", (a, b) -> a == b ? 1 : 0,
          "!=", (a, b) -> a != b ? 1 : 0);
  private static final Map<String, DoubleBinaryOperator> ARITHMETIC =
      Map.of("+", Double::sum, "-", (a, b) -> a - b, "*", (a, b) -> a * b, "/", (a, b) -> a / b);
  private static final Map<String, BinaryOperator<Double>> AGGREGATIONS =
      Map.of("sum", Double::sum, "max", Math::max, "min", Math::min);
  private static final Set<String> RANGES = Set.of("rate", "increase");

  private final NavigableMap<Instant, Map<Series, Double>> scrapes;
  private final List<String> tokens;
  private final Instant at;
  private int next;

  /** A series: the name of a metric, and the values of its labels. */
  record Series(String name, Map<String, String> labels) {}

  private RuleEvaluation(
      NavigableMap<Instant, Map<Series, Double>> scrapes, String text, Instant at) {
    this.scrapes = scrapes;
    this.at = at;
    this.tokens = PromQl.tokens(text);
  }

  /** Reads a metrics page. */
  static Map<Series, Double> scrape(String page) {
    Map<Series, Double> samples = new HashMap<>();
    page.lines()
        .filter(line -> !line.startsWith("#"))
        .map(SAMPLE::matcher)
        .filter(Matcher::matches)
        .forEach(
            sample -> {
              Map<String, String> labels = new TreeMap<>();
              if (sample.group(2) != null) {
                LABEL
                    .matcher(sample.group(2))
                    .results()
                    .forEach(label -> labels.put(label.group(1), label.group(2)));
              }
              samples.put(
                  new Series(sample.group(1), labels),
                  Double.parseDouble(sample.group(3).replace("+Inf", "Infinity")));
            });
    return samples;
  }

  /**
   * Evaluates an expression at a time.
   *
   * @return the values of the result by their labels; empty if the rule is not satisfied
   */
  static Map<Map<String, String>, Double> evaluate(
      NavigableMap<Instant, Map<Series, Double>> scrapes, String expression, Instant at) {
    return new RuleEvaluation(scrapes, expression, at).or();
  }

  private Map<Map<String, String>, Double> or() {
    Map<Map<String, String>, Double> result = comparison();
    while (peek().equals("or")) {
      next++;
      Map<Map<String, String>, Double> both = new HashMap<>(comparison());
      both.putAll(result);
      result = both;
    }
    return result;
  }

  private Map<Map<String, String>, Double> comparison() {
    Map<Map<String, String>, Double> left = arithmetic();
    DoubleBinaryOperator compare = COMPARISONS.get(peek());
    if (compare == null) {
      return left;
    }
    next++;
    Map<Map<String, String>, Double> right = arithmetic();
    return left.entrySet().stream()
        .filter(
            entry ->
                right.containsKey(matching(entry.getKey(), right))
                    && compare.applyAsDouble(
                            entry.getValue(), right.get(matching(entry.getKey(), right)))
                        == 1)
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private Map<Map<String, String>, Double> arithmetic() {
    Map<Map<String, String>, Double> left = operand();
    while (ARITHMETIC.containsKey(peek())) {
      DoubleBinaryOperator operator = ARITHMETIC.get(tokens.get(next++));
      Map<Map<String, String>, Double> right = operand();
      Map<Map<String, String>, Double> result = new HashMap<>();
      left.forEach(
          (labels, value) -> {
            Double other = right.get(matching(labels, right));
            if (other != null) {
              result.put(labels, operator.applyAsDouble(value, other));
            }
          });
      left = result;
    }
    return left;
  }

  /** Returns the labels on the other side; a number has none. */
  private static Map<String, String> matching(
      Map<String, String> labels, Map<Map<String, String>, Double> other) {
    return other.containsKey(labels) ? labels : Map.of();
  }

  private Map<Map<String, String>, Double> operand() {
    String token = tokens.get(next++);
    if (token.equals("(")) {
      Map<Map<String, String>, Double> inner = or();
      next++;
      return inner;
    }
    if (token.matches("[0-9].*")) {
      return Map.of(Map.of(), Double.parseDouble(token));
    }
    if (AGGREGATIONS.containsKey(token)) {
      Set<String> by = peek().equals("by") ? by() : Set.of();
      return aggregated(inParentheses(), by, AGGREGATIONS.get(token));
    }
    if (token.equals("absent")) {
      return inParentheses().isEmpty() ? Map.of(Map.of(), 1.0) : Map.of();
    }
    if (token.equals("histogram_quantile")) {
      next++;
      double quantile = Double.parseDouble(tokens.get(next));
      next += 2;
      Map<Map<String, String>, Double> buckets = or();
      next++;
      return quantiles(quantile, buckets);
    }
    if (RANGES.contains(token)) {
      next++;
      String metric = tokens.get(next++);
      Map<String, String> matchers = matchers();
      Duration range = duration(tokens.get(next++));
      next++;
      double divisor = token.equals("rate") ? range.toSeconds() : 1;
      return increases(metric, matchers, range, divisor);
    }
    return samples(scrapes.floorEntry(at).getValue(), token, matchers());
  }

  private Map<Map<String, String>, Double> inParentheses() {
    next++;
    Map<Map<String, String>, Double> inner = or();
    next++;
    return inner;
  }

  private Set<String> by() {
    next += 2;
    List<String> labels = new ArrayList<>();
    while (!peek().equals(")")) {
      if (!peek().equals(",")) {
        labels.add(peek());
      }
      next++;
    }
    next++;
    return Set.copyOf(labels);
  }

  private Map<String, String> matchers() {
    Map<String, String> matchers = new HashMap<>();
    if (peek().equals("{")) {
      next++;
      while (!peek().equals("}")) {
        if (peek().equals(",")) {
          next++;
          continue;
        }
        String label = tokens.get(next++);
        String operator = tokens.get(next++);
        if (!operator.equals("=")) {
          throw new IllegalArgumentException("the matcher " + operator + " is not supported");
        }
        matchers.put(label, tokens.get(next++).replace("\"", ""));
      }
      next++;
    }
    return matchers;
  }

  private static Map<Map<String, String>, Double> samples(
      Map<Series, Double> scrape, String metric, Map<String, String> matchers) {
    Map<Map<String, String>, Double> found = new HashMap<>();
    scrape.forEach(
        (series, value) -> {
          if (series.name().equals(metric)
              && series.labels().entrySet().containsAll(matchers.entrySet())) {
            found.put(series.labels(), value);
          }
        });
    return found;
  }

  private Map<Map<String, String>, Double> increases(
      String metric, Map<String, String> matchers, Duration range, double divisor) {
    Map<Map<String, String>, List<Double>> values = new HashMap<>();
    scrapes
        .subMap(at.minus(range), true, at, true)
        .values()
        .forEach(
            scrape ->
                samples(scrape, metric, matchers)
                    .forEach(
                        (labels, value) ->
                            values.computeIfAbsent(labels, each -> new ArrayList<>()).add(value)));
    Map<Map<String, String>, Double> increases = new HashMap<>();
    values.forEach(
        (labels, ofSeries) -> {
          if (ofSeries.size() > 1) {
            increases.put(labels, (ofSeries.getLast() - ofSeries.getFirst()) / divisor);
          }
        });
    return increases;
  }

  private static Map<Map<String, String>, Double> aggregated(
      Map<Map<String, String>, Double> values, Set<String> by, BinaryOperator<Double> operator) {
    Map<Map<String, String>, Double> result = new HashMap<>();
    values.forEach((labels, value) -> result.merge(only(labels, by), value, operator));
    return result;
  }

  private static Map<String, String> only(Map<String, String> labels, Set<String> names) {
    return labels.entrySet().stream()
        .filter(label -> names.contains(label.getKey()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Returns the upper bound of the bucket that contains the quantile. */
  private static Map<Map<String, String>, Double> quantiles(
      double quantile, Map<Map<String, String>, Double> buckets) {
    Map<Map<String, String>, NavigableMap<Double, Double>> histograms = new HashMap<>();
    buckets.forEach(
        (labels, count) -> {
          Map<String, String> others = new HashMap<>(labels);
          double bound = Double.parseDouble(others.remove("le").replace("+Inf", "Infinity"));
          histograms.computeIfAbsent(others, each -> new TreeMap<>()).put(bound, count);
        });
    Map<Map<String, String>, Double> result = new HashMap<>();
    histograms.forEach(
        (labels, histogram) -> {
          double rank = quantile * histogram.lastEntry().getValue();
          histogram.entrySet().stream()
              .filter(bucket -> rank > 0 && bucket.getValue() >= rank)
              .findFirst()
              .ifPresent(bucket -> result.put(labels, bucket.getKey()));
        });
    return result;
  }

  private static Duration duration(String range) {
    return Duration.parse("PT" + range.substring(1, range.length() - 1));
  }

  private String peek() {
    return next < tokens.size() ? tokens.get(next) : "";
  }
}
