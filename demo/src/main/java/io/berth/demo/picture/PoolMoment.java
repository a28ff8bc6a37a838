package io.berth.demo.picture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicy;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.cluster.Manifests;
import io.berth.demo.cluster.Patience;
import io.berth.operator.BerthOptions;
import io.berth.operator.Feature;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The state of the sample {@code resource-pool} when pool A gets its last pod, on an embedded
 * cluster with nine nodes. Pods are created one by one with fixed names, so every run results in
 * the same placements.
 *
 * @param nodes all nodes, sorted by name
 * @param decision the Decision about the last pod, as the API server returns it
 */
public record PoolMoment(List<PooledNode> nodes, JsonNode decision) {
  private static final int NODES = 9;
  private static final int PODS = 12;
  private static final String NAMESPACE = "default";
  private static final String POOL_LABEL = "cloud.ctrip.com/pool";
  private static final String DECISIONS =
      "/apis/query.sched.cloud.ctrip.com/v1alpha1/namespaces/" + NAMESPACE + "/decisions/";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Starts a cluster with Berth, waits until the pods are placed, and returns the resulting state.
   */
  public static PoolMoment reach() throws IOException, InterruptedException {
    Checkout checkout = Checkout.find();
    try (LocalCluster cluster = LocalCluster.start(0, NODES, KubeletOptions.immediate());
        BerthInstallation berth =
            BerthInstallation.start(
                cluster.admin(),
                checkout,
                BerthOptions.local("picture").withFeatures(Feature.QUERY_API))) {
      berth.leadQueriesHere(cluster.admin());
      KubernetesClient client = cluster.admin();
      Manifests manifests = new Manifests(client);
      manifests.apply(
          checkout.sample("resource-pool"), object -> !object.getKind().equals("Deployment"));
      Deployment workload =
          checkout.sample("resource-pool").stream()
              .flatMap(file -> manifests.read(file).stream())
              .filter(Deployment.class::isInstance)
              .map(Deployment.class::cast)
              .findFirst()
              .orElseThrow();
      awaitServing(client);
      String last = "";
      for (int i = 0; i < PODS; i++) {
        last = "web-%02d".formatted(i);
        place(client, workload, last);
      }
      return new PoolMoment(nodes(client), decision(client, last));
    }
  }

  /** Returns the decision about a pod, as kubectl reads it from the API server. */
  private static JsonNode decision(KubernetesClient client, String pod)
      throws IOException, InterruptedException {
    AtomicReference<String> found = new AtomicReference<>("");
    Patience.until(
        PATIENCE,
        () -> {
          read(client, DECISIONS + pod).ifPresent(found::set);
          return !found.get().isEmpty();
        },
        "the API server has no decision about the pod " + pod);
    return JSON.readTree(found.get());
  }

  /** Returns an object of the API group; empty while Berth is not available behind it. */
  private static Optional<String> read(KubernetesClient client, String path) {
    try {
      return Optional.ofNullable(client.raw(path));
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_UNAVAILABLE) {
        throw e;
      }
      return Optional.empty();
    }
  }

  private static void awaitServing(KubernetesClient client) throws InterruptedException {
    Patience.until(
        PATIENCE,
        () -> {
          var status =
              client.resources(SchedulingPolicy.class).withName("pool-first").get().getStatus();
          return status != null && status.servingRevision() != null;
        },
        "the policy pool-first is not serving");
  }

  private static void place(KubernetesClient client, Deployment workload, String name)
      throws InterruptedException {
    var template = workload.getSpec().getTemplate();
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(name)
                .withLabels(template.getMetadata().getLabels())
                .withAnnotations(template.getMetadata().getAnnotations())
                .endMetadata()
                .withSpec(template.getSpec())
                .build())
        .create();
    Patience.until(
        PATIENCE,
        () ->
            client.pods().inNamespace(NAMESPACE).withName(name).get().getSpec().getNodeName()
                != null,
        "the pod " + name + " is not placed");
  }

  private static List<PooledNode> nodes(KubernetesClient client) {
    List<Pod> pods = client.pods().inNamespace(NAMESPACE).list().getItems();
    return client.nodes().list().getItems().stream()
        .map(node -> pooled(node, pods))
        .sorted(Comparator.comparing(PooledNode::name))
        .toList();
  }

  private static PooledNode pooled(Node node, List<Pod> pods) {
    String name = node.getMetadata().getName();
    return new PooledNode(
        name,
        node.getMetadata().getLabels().get(POOL_LABEL),
        node.getStatus().getAllocatable().get("cpu").getNumericalAmount().intValue(),
        pods.stream()
            .filter(pod -> name.equals(pod.getSpec().getNodeName()))
            .map(pod -> pod.getMetadata().getName())
            .sorted()
            .toList());
  }
}
