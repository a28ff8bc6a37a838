package io.berth.engine.decision;

import io.berth.engine.framework.Scale;
import java.util.ArrayList;
import java.util.List;

/** The scores of some nodes with their components, in arrays until they are requested. */
public final class ScoreTable {
  /** The table without nodes. */
  public static final ScoreTable EMPTY =
      new ScoreTable(
          new String[0], new int[0], 0, new String[0], new int[0], new Scale[0], new int[0][]);

  private final String[] nodes;
  private final int[] totals;
  private final int plugins;
  private final String[] pluginNames;
  private final int[] weights;
  private final Scale[] scales;
  private final int[][] raw;

  /**
   * Creates a table backed by these arrays.
   *
   * @param nodes names, the best node first
   * @param totals by node
   * @param plugins the number of scorers that took part; the arrays by plugin may be longer
   * @param pluginNames by plugin
   * @param weights by plugin
   * @param scales by plugin: how raw scores become scores
   * @param raw raw scores by plugin and node
   */
  public ScoreTable(
      String[] nodes,
      int[] totals,
      int plugins,
      String[] pluginNames,
      int[] weights,
      Scale[] scales,
      int[][] raw) {
    this.nodes = nodes;
    this.totals = totals;
    this.plugins = plugins;
    this.pluginNames = pluginNames;
    this.weights = weights;
    this.scales = scales;
    this.raw = raw;
  }

  /** Returns the scores as records. */
  public List<NodeScore> write() {
    List<NodeScore> scores = new ArrayList<>(nodes.length);
    for (int node = 0; node < nodes.length; node++) {
      List<PluginScore> parts = new ArrayList<>(plugins);
      for (int plugin = 0; plugin < plugins; plugin++) {
        int score = raw[plugin][node];
        parts.add(
            new PluginScore(
                pluginNames[plugin], score, scales[plugin].apply(score), weights[plugin]));
      }
      scores.add(new NodeScore(nodes[node], totals[node], parts));
    }
    return scores;
  }
}
