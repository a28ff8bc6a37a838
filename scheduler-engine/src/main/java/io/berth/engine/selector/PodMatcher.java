package io.berth.engine.selector;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A question of which pods are meant, shared by all who ask it. */
public final class PodMatcher {
  private final int id;
  private final MatcherKey key;
  private final List<OwnerCounts> owners = new ArrayList<>(1);
  private @Nullable NodeCounts counts;
  int uses;

  PodMatcher(int id, MatcherKey key) {
    this.id = id;
    this.key = key;
  }

  /** Never given to another matcher. */
  public int id() {
    return id;
  }

  public MatcherKey key() {
    return key;
  }

  /** The counts of pods that have terms which mean the pods of this matcher. */
  public List<OwnerCounts> owners() {
    return owners;
  }

  /** Returns the number of matching placed pods on each node; null while they are not counted. */
  public @Nullable NodeCounts countsOrNull() {
    return counts;
  }

  NodeCounts startCounting() {
    NodeCounts started = new NodeCounts();
    counts = started;
    return started;
  }

  /** Returns whether a pod is meant. */
  public boolean matches(
      String namespace,
      Map<String, String> namespaceLabels,
      Map<String, String> labels,
      boolean terminating) {
    return key.matches(namespace, namespaceLabels, labels, terminating);
  }
}
