package io.berth.engine.plugins;

import io.berth.engine.model.Requirement;
import io.berth.engine.state.ClusterState;
import io.berth.engine.topology.TopologyKey;
import io.berth.rules.label.LabelOperator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Finds the nodes that a label selector matches by the value of one label, so that a change that
 * concerns one node (such as that of a local volume) does not require a pass over all nodes.
 */
final class LabelledNodes {
  private final ClusterState state;
  private final Map<String, TopologyKey> keys = new HashMap<>();

  LabelledNodes(ClusterState state) {
    this.state = state;
  }

  /**
   * Visits all nodes that satisfy the requirements, and possibly others.
   *
   * @return whether that was possible; false if no requirement names values of a label
   */
  boolean visit(List<Requirement> requirements, IntConsumer visitor) {
    for (Requirement requirement : requirements) {
      if (requirement.operator() == LabelOperator.IN) {
        TopologyKey key =
            keys.computeIfAbsent(requirement.key(), label -> TopologyKey.acquire(label, state));
        key.refresh();
        for (String value : requirement.values()) {
          int domain = key.domainNamed(value);
          int slot = domain == TopologyKey.NONE ? -1 : key.firstIn(domain);
          for (; slot >= 0; slot = key.nextAfter(slot)) {
            visitor.accept(slot);
          }
        }
        return true;
      }
    }
    return false;
  }

  void release() {
    keys.values().forEach(key -> key.release(state));
    keys.clear();
  }
}
