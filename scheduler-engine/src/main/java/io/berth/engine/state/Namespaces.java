package io.berth.engine.state;

import java.util.HashMap;
import java.util.Map;

/** The labels of namespaces, which affinity terms may select by. */
public final class Namespaces {
  private final Map<String, Map<String, String>> labels = new HashMap<>();

  /** The namespace's labels; none where it is not known. */
  public Map<String, String> labelsOf(String namespace) {
    return labels.getOrDefault(namespace, Map.of());
  }

  /** Answers whether that changed anything. */
  boolean put(String namespace, Map<String, String> newLabels) {
    return !newLabels.equals(labels.put(namespace, newLabels));
  }

  boolean remove(String namespace) {
    return labels.remove(namespace) != null;
  }
}
