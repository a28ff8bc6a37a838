package io.berth.demo.load;

import io.berth.demo.cluster.ReadyNodes;
import io.berth.demo.story.NodeTaints;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The nodes and pending pods of scheduler_perf's SchedulingBasic workload, on any API server: a
 * node has 4 CPUs, 32 GiB of memory, and room for 110 pods; a pod requests 100m CPU and 500 MiB.
 * Each node can have devices, and each pod a claim for one. Everything is labelled with the name of
 * the load and deleted by {@link #remove()}.
 */
public final class ClusterLoad {
  private static final int ATTEMPTS = 5;
  private static final String POD_NAME = "pod-name";
  private static final String CLAIM = "device";

  /** The label of everything that a load creates, with its name. */
  static final String RUN_LABEL = "berth.io/load";

  private final KubernetesClient client;
  private final String name;
  private final Optional<LoadClaims> claims;

  /**
   * Creates a load without devices.
   *
   * @param name name of the namespace and prefix of the node names; a DNS label
   */
  public ClusterLoad(KubernetesClient client, String name) {
    this(client, name, 0);
  }

  /**
   * Creates a load.
   *
   * @param name name of the namespace and prefix of the node names; a DNS label
   * @param devicesPerNode the number of devices of a node, of which each pod claims one; 0 for pods
   *     without claims
   */
  public ClusterLoad(KubernetesClient client, String name, int devicesPerNode) {
    this.client = client;
    this.name = name;
    this.claims =
        devicesPerNode > 0
            ? Optional.of(new LoadClaims(client, name, devicesPerNode))
            : Optional.empty();
  }

  /** Returns the namespace of the pods. */
  public String namespace() {
    return name;
  }

  /** Creates the namespace, and its default ServiceAccount if no controller does. */
  public void createNamespace() {
    client
        .namespaces()
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
    try {
      client
          .serviceAccounts()
          .inNamespace(name)
          .resource(
              new ServiceAccountBuilder()
                  .withNewMetadata()
                  .withName("default")
                  .endMetadata()
                  .build())
          .create();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
    }
  }

  /**
   * Creates ready nodes, and removes the not-ready taint that admission adds to new nodes, because
   * there may be no node controller to remove it.
   */
  public void createNodes(int count) {
    ParallelCalls.make(
        count,
        i -> {
          Node created = client.nodes().resource(node(i)).create();
          NodeTaints.clear(client, created);
        });
    claims.ifPresent(
        each -> each.createDevices(IntStream.range(0, count).mapToObj(this::nodeName).toList()));
  }

  /** Creates the claims of pods that are to be created, if the load has devices. */
  public void createClaims(String prefix, int count) {
    claims.ifPresent(each -> each.createClaims(prefix, count));
  }

  /**
   * Checks that each pod has a device of its own, if the load has devices.
   *
   * @throws IOException if not
   */
  public void requireDistinctDevices(int pods) throws IOException {
    if (claims.isPresent()) {
      claims.get().requireDistinctDevices(pods);
    }
  }

  /**
   * Creates pending pods with a schedulerName and names that start with a prefix. The bodies are
   * prepared before, and responses are not parsed, to take as little CPU time as possible from the
   * scheduler being measured.
   */
  public void createPods(String prefix, int count, String schedulerName) {
    IntConsumer create = creation(prefix, schedulerName);
    ParallelCalls.make(count, create);
  }

  /**
   * Creates pending pods at a steady rate. If the API server is slower, it gets up to as many
   * requests at once as by {@link #createPods}, and the rate is lower.
   *
   * @param rate pods per second
   * @return the rate that was reached, in pods per second
   */
  public double createPodsAt(int rate, String prefix, int count, String schedulerName) {
    IntConsumer create = creation(prefix, schedulerName);
    long began = System.nanoTime();
    ParallelCalls.make(
        count, create, i -> awaitNanoTime(began + i * TimeUnit.SECONDS.toNanos(1) / rate));
    return count * (double) TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - began);
  }

  private IntConsumer creation(String prefix, String schedulerName) {
    String path = "/api/v1/namespaces/%s/pods".formatted(name);
    String body = Serialization.asJson(pod(POD_NAME, schedulerName));
    return i -> create(path, body.replace(POD_NAME, podName(prefix, i)));
  }

  static String podName(String prefix, int i) {
    return "%s-%05d".formatted(prefix, i);
  }

  /**
   * Creates an object. Retries if the connection breaks before the response, which happens if the
   * API server has too little CPU time.
   */
  private void create(String path, String body) {
    for (int attempt = 1; ; attempt++) {
      try {
        client.raw(path, "POST", body);
        return;
      } catch (KubernetesClientException e) {
        if (attempt > 1 && e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
          return;
        }
        if (attempt == ATTEMPTS || e.getStatus() != null) {
          throw e;
        }
      }
    }
  }

  /** Deletes the pods with their claims, the namespace, the devices, and the nodes. */
  public void remove() throws IOException {
    removePods();
    claims.ifPresent(LoadClaims::removeDevices);
    client.namespaces().withName(name).delete();
    client.nodes().withLabel(RUN_LABEL, name).delete();
  }

  /** Deletes the pods and their claims. */
  public void removePods() throws IOException {
    // One by one, because a single call for thousands of pods can exceed the client timeout.
    List<Pod> pods = client.pods().inNamespace(name).list().getItems();
    ParallelCalls.make(pods.size(), i -> client.resource(pods.get(i)).withGracePeriod(0).delete());
    if (claims.isPresent()) {
      claims.get().removeClaims();
    }
  }

  private String nodeName(int i) {
    return "%s-node-%05d".formatted(name, i);
  }

  private Node node(int i) {
    Map<String, Quantity> capacity =
        Map.of(
            "cpu", new Quantity("4"),
            "memory", new Quantity("32Gi"),
            "pods", new Quantity("110"),
            "ephemeral-storage", new Quantity("100Gi"));
    String nodeName = nodeName(i);
    return new NodeBuilder()
        .withNewMetadata()
        .withName(nodeName)
        .addToLabels(RUN_LABEL, name)
        .addToLabels("kubernetes.io/hostname", nodeName)
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withStatus(ReadyNodes.status(capacity))
        .build();
  }

  private Pod pod(String podName, String schedulerName) {
    PodBuilder pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(podName)
            .addToLabels(RUN_LABEL, name)
            .endMetadata();
    if (claims.isPresent()) {
      pod.editOrNewSpec()
          .addNewResourceClaim()
          .withName(CLAIM)
          .withResourceClaimName(podName)
          .endResourceClaim()
          .endSpec();
    }
    var resources =
        new ResourceRequirementsBuilder()
            .addToRequests("cpu", new Quantity("100m"))
            .addToRequests("memory", new Quantity("500Mi"));
    if (claims.isPresent()) {
      resources.addNewClaim().withName(CLAIM).endClaim();
    }
    return pod.editOrNewSpec()
        .withSchedulerName(schedulerName)
        .addNewContainer()
        .withName("pause")
        .withImage("pause:3.10")
        .withResources(resources.build())
        .endContainer()
        .endSpec()
        .build();
  }

  private static void awaitNanoTime(long due) {
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
