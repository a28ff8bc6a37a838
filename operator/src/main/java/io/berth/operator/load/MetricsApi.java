package io.berth.operator.load;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.schema.DurationText;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.fabric8.kubernetes.api.model.Quantity;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The metrics.k8s.io API, as served by metrics-server. */
final class MetricsApi implements UsageSource {
  private static final String PATH = "/apis/metrics.k8s.io/v1beta1/nodes";

  private final ApiCalls api;

  MetricsApi(ApiCalls api) {
    this.api = api;
  }

  @Override
  public void read(Consumer<Reading> then) {
    api.get(PATH, answer -> then.accept(reading(answer)));
  }

  private static Reading reading(Answer answer) {
    if (answer.ok()) {
      JsonNode list = answer.json();
      return list.path("items").isArray()
          ? new Reading.Read(measurements(list))
          : new Reading.Failed(
              "metrics.k8s.io: the answer is not a list of nodes: " + answer.message());
    }
    return new Reading.Failed(
        switch (answer.code()) {
          case HttpURLConnection.HTTP_NOT_FOUND, HttpURLConnection.HTTP_UNAVAILABLE ->
              "metrics.k8s.io is not available (%s): install metrics-server, or set"
                      .formatted(answer.message())
                  + " --usage-prometheus-url";
          case HttpURLConnection.HTTP_FORBIDDEN ->
              "metrics.k8s.io: %s: allow Berth to list nodes there".formatted(answer.message());
          default -> "metrics.k8s.io: " + answer.message();
        });
  }

  static List<Measurement> measurements(JsonNode list) {
    List<Measurement> measurements = new ArrayList<>();
    for (JsonNode item : list.path("items")) {
      Map<String, Double> used = new HashMap<>();
      item.path("usage")
          .properties()
          .forEach(entry -> used.put(entry.getKey(), number(entry.getValue().asText())));
      measurements.add(
          new Measurement(
              item.path("metadata").path("name").asText(),
              time(item.path("timestamp").asText()),
              DurationText.read(item.path("window").asText()).orElse(Duration.ZERO),
              used));
    }
    return measurements;
  }

  /** Returns the time; an invalid timestamp counts as long ago. */
  private static Instant time(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      return Instant.EPOCH;
    }
  }

  private static double number(String quantity) {
    try {
      return new Quantity(quantity).getNumericalAmount().doubleValue();
    } catch (IllegalArgumentException e) {
      return Double.NaN;
    }
  }
}
