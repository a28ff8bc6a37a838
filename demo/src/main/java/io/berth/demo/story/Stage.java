package io.berth.demo.story;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicyStatus;
import io.berth.demo.cluster.Manifests;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The cluster as the story uses it. Where no controller makes pods of a Deployment, the story makes
 * them of its pod template.
 */
final class Stage {
  static final String POOL_LABEL = "cloud.ctrip.com/pool";

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

  /** Applies an object, in this stage's namespace if it has one. */
  HasMetadata apply(HasMetadata object) {
    if (object.getMetadata().getNamespace() != null) {
      object.getMetadata().setNamespace(namespace);
    }
    return new Manifests(client).apply(object);
  }

  /** Asks for so many replicas of a workload in all. */
  void scale(String workload, int replicas) {
    Deployment deployment =
        client.apps().deployments().inNamespace(namespace).withName(workload).get();
    if (controllers) {
      client.apps().deployments().inNamespace(namespace).withName(workload).scale(replicas);
      return;
    }
    for (int i = pods(workload).size(); i < replicas; i++) {
      var template = deployment.getSpec().getTemplate();
      client
          .pods()
          .inNamespace(namespace)
          .resource(
              new PodBuilder()
                  .withNewMetadata()
                  .withName("%s-%02d".formatted(workload, i))
                  .withLabels(template.getMetadata().getLabels())
                  .withAnnotations(template.getMetadata().getAnnotations())
                  .endMetadata()
                  .withSpec(template.getSpec())
                  .build())
          .create();
    }
  }

  /** The pods of a workload, oldest first. */
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

  /** How many of these pods are in each pool. */
  Map<String, Integer> byPool(List<Pod> pods) {
    TreeMap<String, Integer> counts = new TreeMap<>();
    pods.forEach(pod -> counts.merge(pool(pod.getSpec().getNodeName()), 1, Integer::sum));
    return counts;
  }

  String pool(String nodeName) {
    return Optional.ofNullable(client.nodes().withName(nodeName).get())
        .map(node -> node.getMetadata().getLabels().get(POOL_LABEL))
        .orElse("none");
  }

  Optional<SchedulingPolicyStatus> policyStatus(String policy) {
    return Optional.ofNullable(client.resources(SchedulingPolicy.class).withName(policy).get())
        .map(SchedulingPolicy::getStatus);
  }
}
