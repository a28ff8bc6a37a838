package io.berth.engine.topology;

import io.berth.engine.state.NodeSet;

/** A set of nodes that follows changes of nodes. */
public interface NodeGroup {
  /** Applies the changes since the last refresh. */
  void refresh();

  /** Returns the nodes of the group as of the last refresh; callers must not modify it. */
  NodeSet nodes();

  /** Returns a version that changes whenever the group does. */
  long version();
}
