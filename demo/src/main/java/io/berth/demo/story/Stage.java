package io.berth.demo.story;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicyStatus;
import io.berth.demo.cluster.Manifests;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The cluster operations of the story. If no controllers are running, it creates the pods of a
 * Deployment from its pod template.
 */
final class Stage {
  private final KubernetesClient client;
  private final String namespace;
  private final boolean controllers;

  Stage(KubernetesClient client, String namespace, boolean controllers) {
    this.client = client;
    this.namespace = namespace;
    this.controllers = controllers;
  }

  KubernetesClient client() {
    return client;
  }

  String namespace() {
    return namespace;
  }

  /** Applies an object. Namespaced objects are applied to the namespace of the story. */
  HasMetadata apply(HasMetadata object) {
    if (object.getMetadata().getNamespace() != null) {
      object.getMetadata().setNamespace(namespace);
    }
    return new Manifests(client).apply(object);
  }

  /** Creates a pod in the namespace of the story. */
  void create(Pod pod) {
    client.pods().inNamespace(namespace).resource(pod).create();
  }

  /** Changes a policy with a JSON merge patch. */
  void patchPolicy(String policy, String mergePatch) {
    client
        .resources(SchedulingPolicy.class)
        .withName(policy)
        .patch(PatchContext.of(PatchType.JSON_MERGE), mergePatch);
  }

  /** Scales a workload to a total number of replicas. */
  void scale(String workload, int replicas) {
    Deployment deployment =
        client.apps().deployments().inNamespace(namespace).withName(workload).get();
    if (controllers) {
      client.apps().deployments().inNamespace(namespace).withName(workload).scale(replicas);
      return;
    }
    for (int i = pods(workload).size(); i < replicas; i++) {
      var template = deployment.getSpec().getTemplate();
      create(
          new PodBuilder()
              .withNewMetadata()
              .withName("%s-%02d".formatted(workload, i))
              .withLabels(template.getMetadata().getLabels())
              .withAnnotations(template.getMetadata().getAnnotations())
              .endMetadata()
              .withSpec(template.getSpec())
              .build());
    }
  }

  /** Returns the pods of a workload, oldest first. */
  List<Pod> pods(String workload) {
    return client
        .pods()
        .inNamespace(namespace)
        .withLabel("app", workload)
        .list()
        .getItems()
        .stream()
        .sorted(
            Comparator.comparing((Pod pod) -> pod.getMetadata().getCreationTimestamp())
                .thenComparing(pod -> pod.getMetadata().getName()))
        .toList();
  }

  List<Pod> bound(String workload) {
    return pods(workload).stream().filter(pod -> pod.getSpec().getNodeName() != null).toList();
  }

  /** Returns the node that a pod is bound to. */
  Optional<String> nodeOf(String pod) {
    return pod(pod).map(found -> found.getSpec().getNodeName());
  }

  /** Returns the message of a pod's PodScheduled condition if the pod is not scheduled. */
  Optional<String> refusal(String pod) {
    return pod(pod).stream()
        .flatMap(found -> found.getStatus().getConditions().stream())
        .filter(condition -> condition.getType().equals("PodScheduled"))
        .filter(condition -> "False".equals(condition.getStatus()))
        .map(PodCondition::getMessage)
        .findFirst();
  }

  /** Returns the message of a pod's FailedScheduling event. */
  Optional<String> failedScheduling(String pod) {
    return client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", pod)
        .withField("reason", "FailedScheduling")
        .list()
        .getItems()
        .stream()
        .map(Event::getMessage)
        .findFirst();
  }

  private Optional<Pod> pod(String name) {
    return Optional.ofNullable(client.pods().inNamespace(namespace).withName(name).get());
  }

  /** Returns the number of these pods per pool, for pools that have any. */
  Map<String, Integer> byPool(List<Pod> pods) {
    TreeMap<String, Integer> counts = new TreeMap<>();
    pods.forEach(pod -> counts.merge(pool(pod.getSpec().getNodeName()), 1, Integer::sum));
    return counts;
  }

  /** Returns the number of these pods on each node of a pool, including empty nodes. */
  Map<String, Integer> byNodeOf(String pool, List<Pod> pods) {
    TreeMap<String, Integer> counts = new TreeMap<>();
    nodesOf(pool).forEach(node -> counts.put(node.getMetadata().getName(), 0));
    for (Pod pod : pods) {
      counts.computeIfPresent(pod.getSpec().getNodeName(), (node, count) -> count + 1);
    }
    return counts;
  }

  List<Node> nodes() {
    return client.nodes().list().getItems();
  }

  List<Node> nodesOf(String pool) {
    return client.nodes().withLabel(PoolNodes.POOL_LABEL, pool).list().getItems();
  }

  /** Returns the allocatable CPUs of a pool, rounded down to whole CPUs per node. */
  int cpusOf(String pool) {
    return nodesOf(pool).stream()
        .mapToInt(
            node -> node.getStatus().getAllocatable().get("cpu").getNumericalAmount().intValue())
        .sum();
  }

  String pool(String nodeName) {
    return Optional.ofNullable(client.nodes().withName(nodeName).get())
        .map(node -> node.getMetadata().getLabels().get(PoolNodes.POOL_LABEL))
        .orElse("none");
  }

  Readiness configReadiness(String config) {
    return Readiness.of(
        Optional.ofNullable(client.resources(NodeSchedulerConfig.class).withName(config).get())
            .map(NodeSchedulerConfig::getStatus));
  }

  Readiness policyReadiness(String policy) {
    return Readiness.of(policyStatus(policy));
  }

  /** Returns the serving revision of a policy. */
  Optional<String> serving(String policy) {
    return policyStatus(policy).map(SchedulingPolicyStatus::servingRevision);
  }

  private Optional<SchedulingPolicyStatus> policyStatus(String policy) {
    return Optional.ofNullable(client.resources(SchedulingPolicy.class).withName(policy).get())
        .map(SchedulingPolicy::getStatus);
  }
}
