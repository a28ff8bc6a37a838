package io.berth.operator.load;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Prometheus queries, one per resource, whose results have a label with the node's name. */
final class PrometheusQueries implements UsageSource {
  private static final String PATH = "/api/v1/query?query=";

  private final ApiCalls prometheus;
  private final Map<String, String> queries;
  private final String nodeLabel;
  private final Duration window;

  /**
   * Creates the source without sending queries.
   *
   * @param prometheus calls to Prometheus' base URL
   * @param queries PromQL by resource; cpu in cores, memory in bytes
   * @param nodeLabel the label of the results that contains the node's name
   * @param window the time range over which the queries measure
   */
  PrometheusQueries(
      ApiCalls prometheus, Map<String, String> queries, String nodeLabel, Duration window) {
    this.prometheus = prometheus;
    this.queries = new TreeMap<>(queries);
    this.nodeLabel = nodeLabel;
    this.window = window;
  }

  /** The results by node, as they arrive. */
  private record Gathered(Map<String, Instant> at, Map<String, Map<String, Double>> used) {}

  @Override
  public void read(Consumer<Reading> then) {
    next(new ArrayList<>(queries.keySet()), new Gathered(new HashMap<>(), new TreeMap<>()), then);
  }

  private void next(List<String> left, Gathered gathered, Consumer<Reading> then) {
    if (left.isEmpty()) {
      List<Measurement> measurements = new ArrayList<>();
      gathered
          .used()
          .forEach(
              (node, used) ->
                  measurements.add(new Measurement(node, gathered.at().get(node), window, used)));
      then.accept(new Reading.Read(measurements));
      return;
    }
    String resource = left.removeFirst();
    prometheus.get(
        PATH + URLEncoder.encode(queries.get(resource), StandardCharsets.UTF_8),
        answer -> {
          if (!answer.ok() || !answer.json().path("status").asText().equals("success")) {
            then.accept(new Reading.Failed(failure(resource, answer)));
            return;
          }
          gather(resource, answer.json(), gathered);
          next(left, gathered, then);
        });
  }

  private static String failure(String resource, Answer answer) {
    String error = answer.json().path("error").asText();
    return "Prometheus, query for %s: %s"
        .formatted(resource, error.isEmpty() ? answer.message() : error);
  }

  private void gather(String resource, JsonNode answer, Gathered gathered) {
    for (JsonNode sample : answer.path("data").path("result")) {
      String node = sample.path("metric").path(nodeLabel).asText();
      if (node.isEmpty()) {
        continue; // the sample is not about a node
      }
      JsonNode value = sample.path("value");
      Instant at = Instant.ofEpochMilli((long) (value.path(0).asDouble() * 1000));
      gathered.at().merge(node, at, (one, other) -> one.isBefore(other) ? one : other);
      gathered
          .used()
          .computeIfAbsent(node, known -> new HashMap<>())
          .put(resource, number(value.path(1).asText()));
    }
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }
}
