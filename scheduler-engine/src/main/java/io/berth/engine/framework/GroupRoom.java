package io.berth.engine.framework;

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
}
