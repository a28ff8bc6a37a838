package io.berth.demo.story;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/** The taint that admission puts on a new node until a node controller sees it ready. */
public final class NodeTaints {
  private static final String NOT_READY = "node.kubernetes.io/not-ready";

  private NodeTaints() {}

  /** Takes it off a node that was just created, as a node controller would, were there one. */
  public static void clear(KubernetesClient client, Node created) {
    if (created.getSpec().getTaints().stream().noneMatch(t -> NOT_READY.equals(t.getKey()))) {
      return;
    }
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
}
