package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import java.util.List;

/**
 * Copies the region and zone labels of a node to its pods: the admission plugin PodTopologyLabels.
 */
public final class TopologyLabels {
  private static final List<String> LABELS =
      List.of("topology.kubernetes.io/region", "topology.kubernetes.io/zone");

  private final ObjectStore store;
  private final ResourceType nodes;

  /** Creates the plugin over the nodes of a store. */
  public TopologyLabels(ObjectStore store, ResourceRegistry registry) {
    this.store = store;
    this.nodes = registry.builtIn("", "nodes");
  }

  /**
   * Copies a node's topology labels to a Binding or a pod, in place, overwriting existing values.
   *
   * @param node name of the node; if it does not exist, the object is left unchanged
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
