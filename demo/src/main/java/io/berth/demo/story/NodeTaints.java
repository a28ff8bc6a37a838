package io.berth.demo.story;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;

/** The not-ready taint that admission adds to a new node. */
public final class NodeTaints {
  private static final String NOT_READY = "node.kubernetes.io/not-ready";
  private static final int ATTEMPTS = 10;

  private NodeTaints() {}

  /**
   * Removes the taint from a new node, as a node controller would. Other controllers may also write
   * to a new node, so conflicts are retried.
   */
  public static void clear(KubernetesClient client, Node created) {
    Node node = created;
    for (int attempt = 1; node.getSpec().getTaints().stream().anyMatch(NodeTaints::isNotReady); ) {
      try {
        edit(client, node);
        return;
      } catch (KubernetesClientException e) {
        if (e.getCode() != HttpURLConnection.HTTP_CONFLICT || ++attempt > ATTEMPTS) {
          throw e;
        }
        node = client.nodes().withName(created.getMetadata().getName()).require();
      }
    }
  }

  private static void edit(KubernetesClient client, Node created) {
    client
        .nodes()
        .withName(created.getMetadata().getName())
        .edit(
            node ->
                new NodeBuilder(node)
                    .editSpec()
                    .removeMatchingFromTaints(taint -> NOT_READY.equals(taint.getKey()))
                    .endSpec()
                    .build());
  }

  private static boolean isNotReady(Taint taint) {
    return NOT_READY.equals(taint.getKey());
  }
}
