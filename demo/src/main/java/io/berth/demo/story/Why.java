package io.berth.demo.story;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** A one-line explanation of a placement. */
final class Why {
  private static final int PARTS = 2;

  private Why() {}

  /**
   * Returns the score of the selected node with its largest parts, and the reasons for which other
   * nodes were rejected.
   */
  static String words(JsonNode decision) {
    JsonNode winner = decision.path("bestNodes").path(0);
    List<JsonNode> plugins = new ArrayList<>();
    winner.path("plugins").forEach(plugins::add);
    plugins.sort(Comparator.comparingLong(Why::weighted).reversed());
    String parts =
        plugins.stream()
            .limit(PARTS)
            .filter(plugin -> weighted(plugin) > 0)
            .map(plugin -> plugin.path("plugin").asText() + " " + weighted(plugin))
            .collect(Collectors.joining(" + "));
    String rejected =
        StreamSupport.stream(decision.path("rejections").spliterator(), false)
            .map(one -> one.path("nodes").asText() + " " + one.path("reason").asText())
            .collect(Collectors.joining(", "));
    return "%d = %s + …; best of %d%s"
        .formatted(
            winner.path("total").asLong(),
            parts,
            decision.path("feasibleNodes").asInt(),
            rejected.isEmpty() ? "" : " (" + rejected + ")");
  }

  private static long weighted(JsonNode plugin) {
    return plugin.path("normalized").asLong() * plugin.path("weight").asLong();
  }
}
