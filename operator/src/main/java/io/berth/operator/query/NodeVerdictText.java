package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;

/** A verdict about one node as plain text. */
final class NodeVerdictText {
  private NodeVerdictText() {}

  /** Returns the text of a NodeVerdict. */
  static String of(JsonNode verdict) {
    JsonNode status = verdict.path("status");
    StringBuilder out = new StringBuilder();
    line(out, "Node", status.path("node").asText());
    line(out, "Result", status.path("result").asText() + ": " + status.path("message").asText());
    if (status.has("policy")) {
      line(
          out,
          "Policy",
          status.at("/policy/name").asText()
              + ", revision "
              + status.at("/policy/revision").asText());
      out.append("\nFilters\n");
      status.path("filters").forEach(filter -> filter(out, filter));
    }
    if (status.has("scores")) {
      scores(out, status);
    }
    return out.toString();
  }

  private static void filter(StringBuilder out, JsonNode filter) {
    StringBuilder text = new StringBuilder(filter.path("message").asText(""));
    if (filter.path("besideNominatedPods").asBoolean()) {
      text.append(" beside the pods that are nominated for it");
    }
    if (filter.has("figures")) {
      text.append(text.isEmpty() ? "" : ": ").append(filter.path("figures").asText());
    }
    out.append(
        "  %-8s %-28s %s"
            .formatted(
                filter.path("passes").asBoolean() ? "passes" : "rejects",
                filter.path("plugin").asText(),
                text)
            .stripTrailing());
    out.append('\n');
  }

  private static void scores(StringBuilder out, JsonNode status) {
    out.append("\nScores (normalized to 0..100 x weight): this node, and the best one");
    if (status.has("winner")) {
      out.append(", ").append(status.path("winner").asText());
    }
    out.append('\n');
    for (JsonNode score : status.path("scores")) {
      long weight = score.path("weight").asLong();
      out.append(
          "  %-34s %12s %12s%n"
              .formatted(
                  score.path("plugin").asText(),
                  score.has("normalized")
                      ? score.path("normalized").asLong() + " x " + weight
                      : "-",
                  score.path("winnerNormalized").asLong() + " x " + weight));
    }
    out.append(
        "  %-34s %12s %12s%n"
            .formatted(
                "total", status.path("score").asText("-"), status.path("winnerScore").asText("-")));
  }

  private static void line(StringBuilder out, String name, String value) {
    out.append("%-9s %s%n".formatted(name, value));
  }
}
