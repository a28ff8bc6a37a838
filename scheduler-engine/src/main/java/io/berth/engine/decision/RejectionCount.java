package io.berth.engine.decision;

import io.berth.engine.framework.Verdict;
import java.util.Collection;
import java.util.List;

/**
 * The number of nodes that were rejected with a verdict.
 *
 * @param plugins the plugin that rejected them, or those that did so together
 */
public record RejectionCount(List<String> plugins, Verdict verdict, int nodes) {
  public RejectionCount {
    plugins = List.copyOf(plugins);
  }

  /** The rejections of one plugin. */
  public static RejectionCount by(String plugin, Verdict verdict, int nodes) {
    return new RejectionCount(List.of(plugin), verdict, nodes);
  }

  /** The rejections of plugins that reject together. */
  public static RejectionCount byAll(Collection<String> plugins, Verdict verdict, int nodes) {
    return new RejectionCount(List.copyOf(plugins), verdict, nodes);
  }
}
