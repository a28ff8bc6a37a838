package io.berth.engine.framework;

import io.berth.engine.state.NodeSet;
import java.util.Map;
import java.util.Optional;

/**
 * The number of members of a group that a filter admits on a node. It limits the search for groups
 * to nodes with room. A filter that reads pods and does not implement it is asked again for each
 * member that is placed.
 */
public interface GroupRoom {
  /**
   * Returns an upper bound of the number of pods of this kind that the node can take one after the
   * other, as of the last refresh of the filter.
   */
  int room(int slot);

  /**
   * Returns why none of these nodes could take a pod of this kind even if no pod were on them, as a
   * part of a sentence about the pod; empty if one of them could, or if that is not known.
   *
   * @param among nodes that exist, at least one
   */
  default Optional<String> tooLargeFor(NodeSet among) {
    return Optional.empty();
  }

  /**
   * Returns how much a pod of this kind takes of the allocatable resources of its node at least,
   * whichever it is. Resources whose amount on a node the filter does not limit are absent.
   */
  default Map<String, Long> taken() {
    return Map.of();
  }
}
