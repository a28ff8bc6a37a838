package io.berth.engine.topology;

import io.berth.engine.state.NodeSet;

/** Some of the nodes, followed as nodes change. */
public interface NodeGroup {
  /** Takes over what changed. */
  void refresh();

  /** The nodes of the group as of the last refresh; not to be written to. */
  NodeSet nodes();

  /** Changes whenever the group does. */
  long version();
}
