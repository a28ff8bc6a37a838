package io.berth.engine.state;

import java.util.HashMap;
import java.util.Map;

/** Namespace labels, which affinity terms can select by. */
public final class Namespaces {
  private final Map<String, Map<String, String>> labels = new HashMap<>();

  /** Returns the namespace's labels; empty if the namespace is not known. */
  public Map<String, String> labelsOf(String namespace) {
    return labels.getOrDefault(namespace, Map.of());
  }

  /** Returns whether this changed anything. */
  boolean put(String namespace, Map<String, String> newLabels) {
    return !newLabels.equals(labels.put(namespace, newLabels));
  }

  boolean remove(String namespace) {
    return labels.remove(namespace) != null;
  }
}
