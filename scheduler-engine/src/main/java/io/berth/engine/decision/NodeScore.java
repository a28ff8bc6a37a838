package io.berth.engine.decision;

import java.util.List;

/**
 * A node's score.
 *
 * @param total the sum over all plugins of normalized score times weight
 * @param plugins the plugins that took part, in the policy's order
 */
public record NodeScore(String node, long total, List<PluginScore> plugins) {
  public NodeScore {
    plugins = List.copyOf(plugins);
  }
}
