package io.berth.demo.picture;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A picture of a scheduling decision as SVG: the cluster on the left, and the best nodes for the
 * pod with the parts of their scores on the right.
 */
public final class WhyPicture {
  private static final int WIDTH = 1000;
  private static final int HEIGHT = 430;
  private static final String INK = "#1f2328";
  private static final String QUIET = "#59636e";
  private static final String LINE = "#d0d7de";
  private static final String EMPTY = "#f6f8fa";
  private static final String TAKEN = "#b6c2cf";
  private static final String CHOSEN = "#1a7f37";

  /** Colors of the plugins, largest contribution first. */
  private static final List<String> COLORS =
      List.of("#0969da", "#bf8700", "#8250df", "#1b7c83", "#cf222e", "#6e7781", "#bc4c00");

  private static final int CLUSTER_X = 28;
  private static final int SCORES_X = 400;
  private static final int TOP = 112;
  private static final int SLOT = 17;
  private static final int NODE_WIDTH = 108;
  private static final int POOL_HEIGHT = 92;
  private static final int BAR_WIDTH = 480;
  private static final int BAR_STEP = 62;

  private final PoolMoment moment;
  private final JsonNode decision;
  private final JsonNode status;

  private WhyPicture(PoolMoment moment) {
    this.moment = moment;
    this.decision = moment.decision();
    this.status = decision.path("status");
  }

  private String pod() {
    return decision.at("/metadata/name").asText();
  }

  private String node() {
    return status.path("node").asText();
  }

  /** Draws the decision for the last pod. The result is deterministic. */
  public static String of(PoolMoment moment) {
    return new WhyPicture(moment).drawn();
  }

  private String drawn() {
    String question = "Why is pod %s on %s?".formatted(pod(), node());
    Svg svg = new Svg(WIDTH, HEIGHT, question);
    svg.heading(CLUSTER_X, 40, 20, INK, question);
    svg.text(
        CLUSTER_X,
        64,
        13,
        QUIET,
        "kubectl berth why %s: policy %s, revision %s; %d nodes in the cluster, %d feasible"
            .formatted(
                pod(),
                status.at("/policy/name").asText(),
                status.at("/policy/revision").asText(),
                status.at("/nodes/total").asInt(),
                status.at("/nodes/feasible").asInt()));
    cluster(svg);
    scores(svg);
    return svg.done();
  }

  private void cluster(Svg svg) {
    svg.heading(CLUSTER_X, TOP - 14, 14, INK, "The cluster");
    Map<String, List<PooledNode>> pools =
        moment.nodes().stream()
            .collect(Collectors.groupingBy(PooledNode::pool, TreeMap::new, Collectors.toList()));
    int y = TOP;
    for (Map.Entry<String, List<PooledNode>> pool : pools.entrySet()) {
      svg.text(CLUSTER_X, y + 12, 12, QUIET, "pool " + pool.getKey());
      int x = CLUSTER_X;
      for (PooledNode node : pool.getValue()) {
        node(svg, node, x, y + 20);
        x += NODE_WIDTH + 8;
      }
      y += POOL_HEIGHT;
    }
    svg.box(CLUSTER_X, HEIGHT - 32, 11, 11, CHOSEN, CHOSEN);
    svg.text(CLUSTER_X + 17, HEIGHT - 22, 12, QUIET, "the pod");
    svg.box(CLUSTER_X + 84, HEIGHT - 32, 11, 11, TAKEN, TAKEN);
    svg.text(CLUSTER_X + 101, HEIGHT - 22, 12, QUIET, "other pods, 1 CPU each");
  }

  private void node(Svg svg, PooledNode node, int x, int y) {
    boolean chosen = node.name().equals(node());
    svg.box(x, y, NODE_WIDTH, POOL_HEIGHT - 36, "#ffffff", chosen ? CHOSEN : LINE);
    svg.text(x + 9, y + 20, 12, chosen ? CHOSEN : INK, node.name());
    for (int i = 0; i < node.cpus(); i++) {
      String fill =
          i >= node.pods().size() ? EMPTY : node.pods().get(i).equals(pod()) ? CHOSEN : TAKEN;
      svg.box(x + 9 + i * (SLOT + 3), y + 30, SLOT, SLOT, fill, fill.equals(EMPTY) ? LINE : fill);
    }
  }

  private void scores(Svg svg) {
    svg.heading(SCORES_X, TOP - 14, 14, INK, "Best nodes, by score times weight");
    Map<String, String> colors = colors();
    long greatest = status.path("bestNodes").path(0).path("total").asLong(1);
    int y = TOP;
    for (JsonNode node : status.path("bestNodes")) {
      boolean chosen = node.path("node").asText().equals(node());
      svg.text(SCORES_X, y + 12, 12, chosen ? CHOSEN : INK, node.path("node").asText());
      double x = SCORES_X;
      for (JsonNode plugin : parts(node)) {
        double width = (double) BAR_WIDTH * weighted(plugin) / greatest;
        String color = colors.get(plugin.path("plugin").asText());
        svg.box(x, y + 18, width, 24, color, color);
        x += width;
      }
      svg.heading(x + 8, y + 35, 14, INK, node.path("total").asText());
      y += BAR_STEP;
    }
    legend(svg, colors, y + 8);
    rejections(svg, y + 8 + 18 * ((colors.size() + 1) / 2) + 22);
  }

  private void legend(Svg svg, Map<String, String> colors, int top) {
    Map<String, JsonNode> winner = new TreeMap<>();
    status
        .path("bestNodes")
        .path(0)
        .path("plugins")
        .forEach(plugin -> winner.put(plugin.path("plugin").asText(), plugin));
    int i = 0;
    for (Map.Entry<String, String> color : colors.entrySet()) {
      int x = SCORES_X + (i % 2) * 280;
      int y = top + (i / 2) * 18;
      JsonNode plugin = winner.get(color.getKey());
      svg.box(x, y, 11, 11, color.getValue(), color.getValue());
      svg.text(
          x + 17,
          y + 10,
          12,
          QUIET,
          "%s  %d × %d"
              .formatted(
                  color.getKey(),
                  plugin.path("normalized").asLong(),
                  plugin.path("weight").asLong()));
      i++;
    }
  }

  private void rejections(Svg svg, int top) {
    svg.heading(SCORES_X, top, 14, INK, "Rejected nodes");
    int y = top + 20;
    for (JsonNode rejection : status.path("rejections")) {
      svg.text(
          SCORES_X,
          y,
          12,
          QUIET,
          "%d × %s: %s"
              .formatted(
                  rejection.path("nodes").asInt(),
                  rejection.path("plugin").asText(),
                  rejection.path("reason").asText()));
      y += 18;
    }
  }

  /** Returns a color for each plugin that contributes to the winner, in the order of the bars. */
  private Map<String, String> colors() {
    Map<String, String> colors = new LinkedHashMap<>();
    for (JsonNode plugin : parts(status.path("bestNodes").path(0))) {
      colors.put(plugin.path("plugin").asText(), COLORS.get(colors.size() % COLORS.size()));
    }
    return colors;
  }

  /** Returns the plugins of a node, largest contribution first. */
  private static List<JsonNode> parts(JsonNode node) {
    List<JsonNode> plugins = new ArrayList<>();
    node.path("plugins").forEach(plugins::add);
    plugins.sort(
        Comparator.comparingLong(WhyPicture::weighted)
            .reversed()
            .thenComparing(plugin -> plugin.path("plugin").asText()));
    return plugins;
  }

  private static long weighted(JsonNode plugin) {
    return plugin.path("normalized").asLong() * plugin.path("weight").asLong();
  }
}
