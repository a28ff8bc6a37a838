package io.berth.engine.cycle;

import io.berth.engine.framework.DomainGate;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.state.NodeSet;
import org.jspecify.annotations.Nullable;

/** The nodes that the gate of one filter is the first to reject. */
final class GateRejections {
  private final DomainGate gate;
  private final NodeSet nodes = new NodeSet();
  private int seenClosed;

  private GateRejections(DomainGate gate) {
    this.gate = gate;
  }

  /** Returns the rejections by the filter's gate; null if it has none. */
  static @Nullable GateRejections of(NodeFilter filter) {
    return filter.gate().map(GateRejections::new).orElse(null);
  }

  DomainGate gate() {
    return gate;
  }

  /** Returns the nodes, for the caller to keep. */
  NodeSet nodes() {
    return nodes;
  }

  /** Removes all nodes, before those of the domains that are closed now are added. */
  void clear(int slots) {
    nodes.grow(slots);
    nodes.clear();
    seenClosed = gate.closed();
  }

  /** Returns the domains that have been opened or closed since the last call, one bit each. */
  int turned() {
    int turned = gate.closed() ^ seenClosed;
    seenClosed = gate.closed();
    return turned;
  }
}
