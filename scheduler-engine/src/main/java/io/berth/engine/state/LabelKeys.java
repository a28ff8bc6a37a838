package io.berth.engine.state;

import java.util.HashMap;
import java.util.Map;

/**
 * The label keys that nodes have. A topology key that is none of them divides no nodes, so nothing
 * has to be kept for it: anybody may invent such keys.
 */
public final class LabelKeys {
  private final Map<String, Integer> nodesWith = new HashMap<>();
  private long version;

  /** Returns whether some node has a label with this key. */
  public boolean contains(String key) {
    return nodesWith.containsKey(key);
  }

  /** Changes whenever the first node gets a label, or the last one loses it. */
  public long version() {
    return version;
  }

  void add(Map<String, String> labels) {
    for (String key : labels.keySet()) {
      if (nodesWith.merge(key, 1, Integer::sum) == 1) {
        version++;
      }
    }
  }

  void remove(Map<String, String> labels) {
    for (String key : labels.keySet()) {
      if (nodesWith.merge(key, -1, (nodes, less) -> nodes == 1 ? null : nodes + less) == null) {
        version++;
      }
    }
  }
}
