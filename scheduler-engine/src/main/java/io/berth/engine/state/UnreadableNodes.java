package io.berth.engine.state;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Nodes that cannot be parsed and never could: no pod is placed on them, and they are not in the
 * {@link NodeTable}. A node that could be parsed before keeps its last state there instead.
 */
public final class UnreadableNodes {
  /** The reason for each node, by its name. */
  private final Map<String, String> reasons = new TreeMap<>();

  UnreadableNodes() {}

  void put(String name, String reason) {
    reasons.put(name, reason);
  }

  void remove(String name) {
    reasons.remove(name);
  }

  /** Returns the number of these nodes. */
  public int size() {
    return reasons.size();
  }

  /** Returns one text for each node, which names it and says why it cannot be parsed. */
  public List<String> texts() {
    return reasons.entrySet().stream()
        .map(node -> "node(s) that Berth cannot read: " + node.getKey() + ", " + node.getValue())
        .toList();
  }
}
