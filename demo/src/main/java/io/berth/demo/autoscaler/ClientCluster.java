package io.berth.demo.autoscaler;

import io.berth.demo.story.NodeTaints;
import io.berth.sandbox.kubelet.Kubelets;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.List;

/** A cluster with an API server. */
public final class ClientCluster implements AutoscaledCluster {
  private static final String NOT_READY = "node.kubernetes.io/not-ready";

  private static final int ATTEMPTS = 10;

  private final KubernetesClient client;

  /**
   * @param client an administrator of the cluster
   */
  public ClientCluster(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public List<Node> nodes() {
    return client.nodes().list().getItems();
  }

  @Override
  public List<Pod> pods() {
    return client.pods().inAnyNamespace().list().getItems();
  }

  @Override
  public void join(Node node, boolean reports) {
    if (reports) {
      NodeTaints.clear(client, client.resource(node).create());
      return;
    }
    client
        .resource(
            new NodeBuilder(node)
                .editMetadata()
                .addToAnnotations(Kubelets.SILENT, "true")
                .endMetadata()
                .editSpec()
                .addNewTaint()
                .withKey(NOT_READY) // before any scheduler sees the node
                .withEffect("NoSchedule")
                .endTaint()
                .endSpec()
                .editStatus()
                .editMatchingCondition(condition -> condition.getType().equals("Ready"))
                .withStatus("False")
                .withReason("KubeletNotReady")
                .endCondition()
                .endStatus()
                .build())
        .create();
  }

  @Override
  public void report(String nodeName) {
    for (int attempt = 1; ; attempt++) {
      try {
        reportOnce(nodeName);
        return;
      } catch (KubernetesClientException e) {
        // Controllers write to a new node, too.
        if (e.getCode() != HttpURLConnection.HTTP_CONFLICT || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private void reportOnce(String nodeName) {
    client
        .nodes()
        .withName(nodeName)
        .edit(
            node ->
                new NodeBuilder(node)
                    .editMetadata()
                    .removeFromAnnotations(Kubelets.SILENT)
                    .endMetadata()
                    .build());
    client
        .nodes()
        .withName(nodeName)
        .editStatus(
            node ->
                new NodeBuilder(node)
                    .editStatus()
                    .editMatchingCondition(condition -> condition.getType().equals("Ready"))
                    .withStatus("True")
                    .withReason("KubeletReady")
                    .endCondition()
                    .endStatus()
                    .build());
    NodeTaints.clear(client, client.nodes().withName(nodeName).require());
  }

  @Override
  public void taint(String nodeName, Taint taint) {
    client
        .nodes()
        .withName(nodeName)
        .edit(node -> new NodeBuilder(node).editSpec().addToTaints(taint).endSpec().build());
  }

  @Override
  public void untaint(String nodeName, String key) {
    client
        .nodes()
        .withName(nodeName)
        .edit(
            node ->
                new NodeBuilder(node)
                    .editSpec()
                    .removeMatchingFromTaints(taint -> taint.getKey().equals(key))
                    .endSpec()
                    .build());
  }

  @Override
  public void evict(Pod pod) {
    client
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName())
        .evict();
  }

  @Override
  public void remove(String nodeName) {
    client.nodes().withName(nodeName).delete();
  }
}
