package io.berth.engine.state;

import java.util.List;

/**
 * The nodes of the cluster at the time of an attempt.
 *
 * @param readable the number of nodes that were considered
 * @param unreadable why each of the other nodes was not: it could not be parsed
 */
public record NodeCensus(int readable, List<String> unreadable) {
  public NodeCensus {
    unreadable = List.copyOf(unreadable);
  }

  /** Returns the number of all nodes. */
  public int all() {
    return readable + unreadable.size();
  }
}
