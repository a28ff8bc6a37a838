package io.berth.engine.decision;

import io.berth.engine.framework.Scale;
import java.util.ArrayList;
import java.util.List;

/** The scores of some nodes with their components, in arrays until they are requested. */
public final class ScoreTable {
  /** The table without nodes. */
  public static final ScoreTable EMPTY =
      new ScoreTable(List.of(), new int[0], List.of(), new int[0], List.of(), new int[0][]);

  private final List<String> nodes;
  private final int[] totals;
  private final List<String> plugins;
  private final int[] weights;
  private final List<Scale> scales;
  private final int[][] raw;

  /**
   * Creates a table backed by these arrays.
   *
   * @param nodes names, the best node first
   * @param totals by node
   * @param plugins names of the scorers that took part
   * @param weights by plugin
   * @param scales by plugin: how raw scores become scores
   * @param raw raw scores by plugin and node
   */
  public ScoreTable(
      List<String> nodes,
      int[] totals,
      List<String> plugins,
      int[] weights,
      List<Scale> scales,
      int[][] raw) {
    this.nodes = nodes;
    this.totals = totals;
    this.plugins = plugins;
    this.weights = weights;
    this.scales = scales;
    this.raw = raw;
  }

  /** Returns the scores as records. */
  public List<NodeScore> write() {
    List<NodeScore> scores = new ArrayList<>(nodes.size());
    for (int node = 0; node < nodes.size(); node++) {
      List<PluginScore> parts = new ArrayList<>(plugins.size());
      for (int plugin = 0; plugin < plugins.size(); plugin++) {
        int score = raw[plugin][node];
        parts.add(
            new PluginScore(
                plugins.get(plugin), score, scales.get(plugin).apply(score), weights[plugin]));
      }
      scores.add(new NodeScore(nodes.get(node), totals[node], parts));
    }
    return scores;
  }
}
