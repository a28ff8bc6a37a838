package io.berth.engine.decision;

import io.berth.engine.framework.Verdict;
import java.util.Collection;
import java.util.List;

/**
 * The number of nodes with the same verdict.
 *
 * @param plugins the plugin that rejected them, or the plugins that rejected them together
 */
public record RejectionCount(List<String> plugins, Verdict verdict, int nodes) {
  public RejectionCount {
    plugins = List.copyOf(plugins);
  }

  /** Returns the rejections by one plugin. */
  public static RejectionCount by(String plugin, Verdict verdict, int nodes) {
    return new RejectionCount(List.of(plugin), verdict, nodes);
  }

  /** Returns the rejections by several plugins together. */
  public static RejectionCount byAll(Collection<String> plugins, Verdict verdict, int nodes) {
    return new RejectionCount(List.copyOf(plugins), verdict, nodes);
  }
}
