package io.berth.engine.state;

import java.util.HashMap;
import java.util.Map;

/**
 * The keys of node labels. A topology key that no node has defines no domains, so no state is kept
 * for it: users may write arbitrary keys.
 */
public final class LabelKeys {
  private final Map<String, Integer> nodesWith = new HashMap<>();
  private long version;

  /** Returns whether any node has a label with this key. */
  public boolean contains(String key) {
    return nodesWith.containsKey(key);
  }

  /** Returns a version that changes whenever a key gets its first node or loses its last one. */
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
