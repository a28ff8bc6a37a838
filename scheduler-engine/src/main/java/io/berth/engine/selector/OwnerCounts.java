package io.berth.engine.selector;

/**
 * The number of pods on each node that have an affinity term, by term: the reverse direction of
 * affinity, in which the terms of placed pods apply to incoming pods.
 */
public final class OwnerCounts {
  /** The kind of the term. */
  public enum Kind {
    REQUIRED_AFFINITY,
    REQUIRED_ANTI_AFFINITY,
    PREFERRED
  }

  /**
   * The identity of a term, which several pods may share.
   *
   * @param weight the weight of a preferred term, negative for anti-affinity; 0 for a required one
   */
  record Key(PodMatcher matcher, String topologyKey, Kind kind, int weight) {}

  private final Key key;
  private final NodeCounts counts = new NodeCounts();
  int uses;

  OwnerCounts(Key key) {
    this.key = key;
  }

  /** Returns the matcher for the pods that the term selects. */
  public PodMatcher matcher() {
    return key.matcher;
  }

  public String topologyKey() {
    return key.topologyKey;
  }

  public Kind kind() {
    return key.kind;
  }

  /** Returns the weight of a preferred term, negative for anti-affinity; 0 for a required one. */
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
