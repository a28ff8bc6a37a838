package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import java.util.List;

/** Gives pods their node's region and zone: the admission plugin PodTopologyLabels. */
public final class TopologyLabels {
  private static final List<String> LABELS =
      List.of("topology.kubernetes.io/region", "topology.kubernetes.io/zone");

  private final ObjectStore store;
  private final ResourceType nodes;

  /** Looks nodes up in a store. */
  public TopologyLabels(ObjectStore store, ResourceRegistry registry) {
    this.store = store;
    this.nodes = registry.builtIn("", "nodes");
  }

  /**
   * Sets a node's labels on a Binding or a pod, in place, over those that are there.
   *
   * @param node its name; nothing happens if there is no such node
   */
  public void copy(String node, ObjectNode object) {
    if (node.isEmpty()) {
      return;
    }
    store
        .get(nodes.storage(), ObjectKey.clusterScoped(node))
        .ifPresent(
            found -> {
              for (String label : LABELS) {
                String value = found.labels().get(label);
                if (value != null) {
                  object
                      .withObjectProperty("metadata")
                      .withObjectProperty("labels")
                      .put(label, value);
                }
              }
            });
  }
}
