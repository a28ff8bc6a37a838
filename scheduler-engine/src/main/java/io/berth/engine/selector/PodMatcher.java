package io.berth.engine.selector;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A shared matcher: selects pods for all users with the same key. */
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

  /** Returns the id, which is never reused. */
  public int id() {
    return id;
  }

  public MatcherKey key() {
    return key;
  }

  /** Returns the counts of pods with terms that select the pods of this matcher. */
  public List<OwnerCounts> owners() {
    return owners;
  }

  /** Returns the number of matching placed pods on each node; null if they are not counted. */
  public @Nullable NodeCounts countsOrNull() {
    return counts;
  }

  NodeCounts startCounting() {
    NodeCounts started = new NodeCounts();
    counts = started;
    return started;
  }

  /** Returns whether a pod matches. */
  public boolean matches(
      String namespace,
      Map<String, String> namespaceLabels,
      Map<String, String> labels,
      boolean terminating) {
    return key.matches(namespace, namespaceLabels, labels, terminating);
  }
}
