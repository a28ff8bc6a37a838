package io.berth.engine.framework;

/** The figures behind the verdicts of a {@link NodeFilter}, for the pod's owner. */
public interface VerdictFigures {
  /**
   * Returns the figures behind the verdict on a node, in words, as of the last {@link
   * NodeFilter#refresh}. They name no pods and no other nodes, because the owner may not be allowed
   * to see these.
   *
   * @param slot the slot of a node that exists
   * @return empty if there are none, or they say nothing about this node
   */
  String figures(int slot);
}
