package io.berth.demo.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.function.Supplier;

/**
 * Heartbeats for nodes without kubelets: Leases that make a node controller consider them healthy.
 */
public final class Heartbeats {
  private static final String NAMESPACE = "kube-node-lease";
  private static final int VALID_SECONDS = 40;

  private final KubernetesClient client;
  private final Supplier<List<Node>> nodes;

  /**
   * @param nodes returns the nodes at this time
   */
  public Heartbeats(KubernetesClient client, Supplier<List<Node>> nodes) {
    this.client = client;
    this.nodes = nodes;
  }

  /** Renews all Leases. They are valid for 40 s. */
  public void beat() {
    for (Node node : nodes.get()) {
      Lease lease =
          new LeaseBuilder()
              .withNewMetadata()
              .withName(node.getMetadata().getName())
              .withNamespace(NAMESPACE)
              .addNewOwnerReference()
              .withApiVersion("v1")
              .withKind("Node")
              .withName(node.getMetadata().getName())
              .withUid(node.getMetadata().getUid())
              .endOwnerReference()
              .endMetadata()
              .withNewSpec()
              .withHolderIdentity(node.getMetadata().getName())
              .withLeaseDurationSeconds(VALID_SECONDS)
              .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
              .endSpec()
              .build();
      client.resource(lease).forceConflicts().serverSideApply();
    }
  }
}
