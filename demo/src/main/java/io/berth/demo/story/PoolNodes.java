package io.berth.demo.story;

import io.berth.demo.cluster.ReadyNodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;

/** Creation of ready nodes that have no machine behind them. */
public final class PoolNodes {
  static final String POOL_LABEL = "cloud.ctrip.com/pool";

  private PoolNodes() {}

  /**
   * Adds a node to a pool.
   *
   * @param size capacity and allocatable by resource name, including {@code pods}
   */
  public static Node add(
      KubernetesClient client, String name, String pool, Map<String, Quantity> size) {
    Node created =
        client
            .nodes()
            .resource(
                new NodeBuilder()
                    .withNewMetadata()
                    .withName(name)
                    .addToLabels(POOL_LABEL, pool)
                    .addToLabels("kubernetes.io/hostname", name)
                    .endMetadata()
                    .withStatus(ReadyNodes.status(size))
                    .build())
            .create();
    NodeTaints.clear(client, created);
    return created;
  }
}
