package io.berth.demo.ground;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulerConfigBindingStatus;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicyStatus;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.cluster.Manifests;
import io.berth.operator.BerthOptions;
import io.berth.sandbox.SandboxOptions;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.berth.sandbox.release.KubernetesVersion;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An embedded cluster with Berth. The pools A, B, and public have three nodes with four CPUs each.
 * Berth runs with the permissions of its ServiceAccount, and its webhook is registered.
 */
public final class BerthGround implements AutoCloseable {

  /** The timeout of tests for effects that should be immediate. */
  public static final Duration SOON = Duration.ofSeconds(30);

  private static final int NODES = 9;
  private static final String POOL_LABEL = "cloud.ctrip.com/pool";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final LocalCluster cluster;
  private final BerthOptions options;
  private BerthInstallation berth;

  private BerthGround(LocalCluster cluster, BerthOptions options, BerthInstallation berth) {
    this.cluster = cluster;
    this.options = options;
    this.berth = berth;
  }

  /** Starts a cluster and Berth. */
  public static BerthGround start() throws IOException, InterruptedException {
    return start(options());
  }

  /** Starts a cluster and Berth with these options. */
  public static BerthGround start(BerthOptions options) throws IOException, InterruptedException {
    return start(options, KubernetesVersion.standard());
  }

  /** Starts a cluster that emulates a Kubernetes version, and Berth with these options. */
  public static BerthGround start(BerthOptions options, KubernetesVersion version)
      throws IOException, InterruptedException {
    LocalCluster cluster =
        LocalCluster.start(
            SandboxOptions.defaults().withVersion(version), NODES, KubeletOptions.immediate());
    try {
      BerthInstallation berth = BerthInstallation.start(cluster.admin(), Checkout.find(), options);
      berth.leadQueriesHere(cluster.admin());
      return new BerthGround(cluster, options, berth);
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** Returns the default options of Berth in tests. */
  public static BerthOptions options() {
    return BerthOptions.local("one").withHttp(0, true);
  }

  /** Stops Berth. The cluster keeps running. */
  public void stopBerth() {
    berth.close();
  }

  /** Starts Berth again, with the same options. */
  public void startBerth() throws IOException, InterruptedException {
    berth = BerthInstallation.startInstalled(cluster.admin(), options);
  }

  /** Returns a kubeconfig for the cluster administrator. */
  public String kubeconfig() {
    return cluster.sandbox().kubeconfig();
  }

  public KubernetesClient admin() {
    return cluster.admin();
  }

  public BerthInstallation berth() {
    return berth;
  }

  /** Applies the objects of a YAML text, as {@code kubectl apply --server-side} does. */
  public void apply(String yaml) {
    Manifests manifests = new Manifests(admin());
    admin()
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .items()
        .forEach(manifests::apply);
  }

  public void delete(Class<? extends HasMetadata> kind, String name) {
    admin().resources(kind).withName(name).delete();
  }

  public void createNamespace(String name, Map<String, String> labels) {
    admin()
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .build())
        .create();
  }

  /**
   * Creates a pod that requests one CPU. {@code metadata} is additional YAML in flow style, without
   * braces.
   */
  public Pod createPod(String namespace, String name, String metadata) {
    return admin().resource(pod(namespace, name, metadata)).create();
  }

  /** Returns a pod that requests one CPU, for {@link #createPod}. */
  public static Pod pod(String namespace, String name, String metadata) {
    return Serialization.unmarshal(
        """
        apiVersion: v1
        kind: Pod
        metadata: {namespace: %s, name: %s%s}
        spec:
          containers:
          - {name: main, image: "busybox:1.37", resources: {requests: {cpu: "1"}}}
        """
            .formatted(namespace, name, metadata.isEmpty() ? "" : ", " + metadata),
        Pod.class);
  }

  public Pod pod(String namespace, String name) {
    return admin().pods().inNamespace(namespace).withName(name).get();
  }

  public List<Pod> pods(String namespace, String app) {
    return admin().pods().inNamespace(namespace).withLabel("app", app).list().getItems();
  }

  /**
   * Returns the number of these pods per pool. Pods without a node are counted under {@code none}.
   */
  public Map<String, Integer> byPool(List<Pod> pods) {
    Map<String, Integer> counts = new TreeMap<>();
    pods.forEach(pod -> counts.merge(pool(pod), 1, Integer::sum));
    return counts;
  }

  private String pool(Pod pod) {
    String node = pod.getSpec().getNodeName();
    return node == null
        ? "none"
        : admin().nodes().withName(node).get().getMetadata().getLabels().get(POOL_LABEL);
  }

  /** Waits until the pod has a node, and returns its name. */
  public String awaitNode(String namespace, String name) {
    return await()
        .atMost(SOON)
        .until(() -> pod(namespace, name).getSpec().getNodeName(), node -> node != null);
  }

  /** Returns the message of a pending pod's condition; empty if the pod is not pending. */
  public static String waitsBecause(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("PodScheduled"))
        .filter(condition -> "False".equals(condition.getStatus()))
        .map(PodCondition::getMessage)
        .findFirst()
        .orElse("");
  }

  /** Returns the messages of an object's events with a reason. */
  public List<String> events(String namespace, String name, String reason) {
    return admin()
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", name)
        .withField("reason", reason)
        .list()
        .getItems()
        .stream()
        .map(Event::getMessage)
        .toList();
  }

  public SchedulerConfigBindingStatus binding(String namespace, String name) {
    return Optional.ofNullable(
            admin()
                .resources(SchedulerConfigBinding.class)
                .inNamespace(namespace)
                .withName(name)
                .get()
                .getStatus())
        .orElseGet(
            () -> new SchedulerConfigBindingStatus(null, null, null, null, null, null, null));
  }

  public SchedulingPolicyStatus policy(String name) {
    return Optional.ofNullable(
            admin().resources(SchedulingPolicy.class).withName(name).get().getStatus())
        .orElseGet(
            () ->
                new SchedulingPolicyStatus(
                    null, null, null, null, null, null, null, null, null, null));
  }

  /** Returns the Ready condition as {@code reason: message}; empty if there is none. */
  public static String ready(List<Condition> conditions) {
    return conditions.stream()
        .filter(condition -> condition.getType().equals("Ready"))
        .map(condition -> condition.getReason() + ": " + condition.getMessage())
        .findFirst()
        .orElse("");
  }

  /** Returns whether the Ready condition is True. */
  public static boolean isReady(List<Condition> conditions) {
    return conditions.stream()
        .anyMatch(
            condition ->
                condition.getType().equals("Ready") && "True".equals(condition.getStatus()));
  }

  /**
   * Waits until the Ready condition of a binding, as {@code reason: message}, starts with a text.
   */
  public void awaitBinding(String namespace, String name, String words) {
    await()
        .atMost(SOON)
        .until(
            () -> ready(binding(namespace, name).conditions()), ready -> ready.startsWith(words));
  }

  /**
   * Waits until the Ready condition of a policy, as {@code reason: message}, starts with a text.
   */
  public void awaitPolicy(String name, String words) {
    await()
        .atMost(SOON)
        .until(() -> ready(policy(name).conditions()), ready -> ready.startsWith(words));
  }

  /** Returns Berth's explanation of its last decision for a pod. */
  public JsonNode explain(String namespace, String pod) {
    return explained(namespace + "/" + pod);
  }

  /** Returns the GPU cards of a node with the pods that use them. */
  public JsonNode cards(String node) {
    return explained("node/" + node + "/gpus");
  }

  /** Returns the inside of the engine. */
  public JsonNode engine() {
    return explained("engine");
  }

  private JsonNode explained(String what) {
    try {
      return JSON.readTree(berth.explain(what));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    berth.close();
    cluster.close();
  }
}
