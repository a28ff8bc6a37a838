package io.berth.engine.selector;

/**
 * On which nodes there are pods that have an affinity term, counted per term: the other side of
 * affinity, by which placed pods have a say in where the pods they mean go.
 */
public final class OwnerCounts {
  /** The kind of the term. */
  public enum Kind {
    REQUIRED_AFFINITY,
    REQUIRED_ANTI_AFFINITY,
    PREFERRED
  }

  /**
   * The identity of terms that several pods share.
   *
   * @param weight of a preferred term, negative for anti-affinity; 0 for a required one
   */
  record Key(PodMatcher matcher, String topologyKey, Kind kind, int weight) {}

  private final Key key;
  private final NodeCounts counts = new NodeCounts();
  int uses;

  OwnerCounts(Key key) {
    this.key = key;
  }

  /** The pods that the term means. */
  public PodMatcher matcher() {
    return key.matcher;
  }

  public String topologyKey() {
    return key.topologyKey;
  }

  public Kind kind() {
    return key.kind;
  }

  /** Weight of a preferred term, negative for anti-affinity; 0 for a required one. */
  public int weight() {
    return key.weight;
  }

  /** Returns the number of such terms of the pods on each node. */
  public NodeCounts counts() {
    return counts;
  }

  Key key() {
    return key;
  }
}
