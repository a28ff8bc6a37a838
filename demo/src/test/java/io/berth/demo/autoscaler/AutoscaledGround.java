package io.berth.demo.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** An embedded cluster with Berth, in which simulated autoscalers buy nodes. */
final class AutoscaledGround implements AutoCloseable {
  /** The time between two steps of an autoscaler. */
  static final Duration INTERVAL = Duration.ofMillis(500);

  /** Steps in which an autoscaler with wrong signals buys a node. */
  private static final int STEPS_OF_PATIENCE = 8;

  private static final Duration LONG = BerthGround.SOON.multipliedBy(2);

  private final BerthGround ground;

  private AutoscaledGround(BerthGround ground) {
    this.ground = ground;
  }

  /** Starts a cluster of nine nodes with four CPUs each. */
  static AutoscaledGround start() throws IOException, InterruptedException {
    AutoscaledGround started = new AutoscaledGround(BerthGround.start());
    started.apply(
        """
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: high}
        value: 1000
        """);
    return started;
  }

  @Override
  public void close() {
    ground.close();
  }

  BerthGround berth() {
    return ground;
  }

  KubernetesClient admin() {
    return ground.admin();
  }

  void apply(String yaml) {
    ground.apply(yaml);
  }

  static NodeGroup group(String name, String cpu, Delivery... first) {
    return new NodeGroup(
        name,
        size(cpu),
        Map.of("cloud.ctrip.com/pool", name),
        10,
        INTERVAL.multipliedBy(2),
        List.of(first));
  }

  static Map<String, Quantity> size(String cpu) {
    return Map.of(
        "cpu", new Quantity(cpu), "memory", new Quantity("64Gi"), "pods", new Quantity("110"));
  }

  Autoscaler autoscaler(Rules rules, NodeGroup... groups) {
    return autoscaler(rules, Duration.ofHours(1), groups);
  }

  Autoscaler autoscaler(Rules rules, Duration unneeded, NodeGroup... groups) {
    return autoscaler(rules, unneeded, CapacityRequests.NONE, groups);
  }

  Autoscaler autoscaler(
      Rules rules, Duration unneeded, CapacityRequests requests, NodeGroup... groups) {
    return new Autoscaler(
        ground.admin(),
        new ClientCluster(ground.admin()),
        requests,
        rules,
        List.of(groups),
        new Autoscaler.Times(unneeded, INTERVAL.multipliedBy(8)),
        System.err::println);
  }

  /** Creates a pod; {@code metadata} and {@code spec} are more YAML in flow style. */
  void create(String name, String cpu, String metadata, String spec) {
    Pod pod =
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata: {namespace: default, name: %s%s}
            spec:
              schedulerName: berth
              containers:
              - {name: main, image: main, resources: {requests: {cpu: "%s"}}}
            %s
            """
                .formatted(name, metadata, cpu, spec),
            Pod.class);
    ground.admin().resource(pod).create();
  }

  private Pod pod(String name) {
    return ground.admin().pods().inNamespace("default").withName(name).get();
  }

  boolean isBound(String name) {
    return nodeOf(name) != null;
  }

  String nodeOf(String name) {
    return pod(name).getSpec().getNodeName();
  }

  String nominatedNodeOf(String name) {
    String node = pod(name).getStatus().getNominatedNodeName();
    return node == null ? "" : node;
  }

  /** Adds a device to a node, whose preparation does not end, and a claim for it. */
  void offerDeviceThatIsPreparedForLong(String node) {
    apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: card}
        spec: {}
        """);
    apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceSlice
        metadata: {name: cards}
        spec:
          driver: example.com
          nodeName: %s
          pool: {name: cards, generation: 1, resourceSliceCount: 1}
          devices: [{name: a, bindingConditions: [attached], bindingFailureConditions: [broken]}]
        """
            .formatted(node));
    apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: one-card, namespace: default}
        spec: {devices: {requests: [{name: card, exactly: {deviceClassName: card}}]}}
        """);
  }

  /** Returns the nodes of the pods with this label. */
  List<String> nodesOf(String app) {
    return ground
        .admin()
        .pods()
        .inNamespace("default")
        .withLabel("app", app)
        .list()
        .getItems()
        .stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .map(pod -> pod.getSpec().getNodeName())
        .toList();
  }

  void delete(String name) {
    ground.admin().pods().inNamespace("default").withName(name).withGracePeriod(0).delete();
  }

  boolean hasTaint(String node, String key) {
    return AutoscalerNodes.hasTaint(ground.admin().nodes().withName(node).get(), key);
  }

  String reasonOf(String name) {
    return pod(name).getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("PodScheduled"))
        .map(condition -> String.valueOf(condition.getReason()))
        .findFirst()
        .orElse("");
  }

  /** Fills nodes with pods that need them whole. */
  void fill(int nodes, String metadata, String spec) {
    for (int i = 0; i < nodes; i++) {
      create("filler-" + i, "4", metadata, spec);
    }
    for (int i = 0; i < nodes; i++) {
      awaitBound("filler-" + i);
    }
  }

  void awaitBound(String name) {
    await().atMost(BerthGround.SOON).until(() -> isBound(name));
  }

  void awaitReason(String name, String reason) {
    await().atMost(BerthGround.SOON).until(() -> reasonOf(name).equals(reason));
  }

  static void step(Autoscaler autoscaler) {
    autoscaler.step(Instant.now());
    try {
      Thread.sleep(INTERVAL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void stepUntil(Autoscaler autoscaler, String what, BooleanSupplier reached) {
    Instant end = Instant.now().plus(LONG);
    while (!reached.getAsBoolean()) {
      assertThat(Instant.now()).as("time until " + what).isBefore(end);
      step(autoscaler);
    }
  }

  void stepUntilBound(Autoscaler autoscaler, String name) {
    stepUntil(autoscaler, name + " is placed", () -> isBound(name));
  }

  static void stepForAWhile(Autoscaler autoscaler) {
    for (int i = 0; i < STEPS_OF_PATIENCE; i++) {
      step(autoscaler);
    }
  }
}
