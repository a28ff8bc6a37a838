package io.berth.engine.topology;

import io.berth.engine.state.ClusterState;
import java.util.List;
import java.util.stream.Stream;

/**
 * The topology keys that pods use in almost every cluster. They follow each node event, when the
 * labels of the node are at hand. Other keys are read when a pod first needs them, which takes a
 * pass over all nodes.
 */
public final class WellKnownTopologyKeys {
  public static final String HOSTNAME = "kubernetes.io/hostname";
  public static final String ZONE = "topology.kubernetes.io/zone";

  private final ClusterState state;
  private List<TopologyKey> keys = List.of();

  public WellKnownTopologyKeys(ClusterState state) {
    this.state = state;
  }

  /** Applies the changes of nodes, as long as there are nodes. */
  public void refresh() {
    if (state.nodes().size() == 0) {
      release();
    } else if (keys.isEmpty()) {
      keys = Stream.of(HOSTNAME, ZONE).map(key -> TopologyKey.acquire(key, state)).toList();
    } else {
      keys.forEach(TopologyKey::refresh);
    }
  }

  /** Drops the keys until the next {@link #refresh}. */
  public void release() {
    keys.forEach(key -> key.release(state));
    keys = List.of();
  }
}
