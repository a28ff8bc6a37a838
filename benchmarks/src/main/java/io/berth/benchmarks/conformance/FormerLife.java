package io.berth.benchmarks.conformance;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Adds 200 nodes and 2,000 pods to an engine and removes them again before the first vector. They
 * share labels, namespaces, and names with the objects of the vectors, so state that the engine
 * fails to clean up changes the results.
 */
final class FormerLife {
  private static final int NODES = 200;
  private static final int PODS = 2_000;
  private static final String[] APPS = {"web", "db", "train", "spark", "cache"};
  private static final String[] NAMESPACES = {"default", "team-a", "team-b"};

  private FormerLife() {}

  static void live(EngineUnderTest engine, Policies policies) {
    engine.serve(policies.withoutPreemption());
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      Node node = node(i);
      nodes.add(node);
      engine.upsert(node);
    }
    List<Pod> pods = new ArrayList<>();
    for (int i = 0; i < PODS; i++) {
      Pod pod = pod(i);
      pods.add(pod);
      if (i % 10 == 0) {
        pod.getSpec().setNodeName("");
        engine.decide(pod, Policies.WITHOUT_PREEMPTION);
      } else {
        engine.upsert(pod);
      }
    }
    for (int i = 0; i < PODS; i += 2) {
      engine.remove(pods.get(i));
    }
    for (int i = 0; i < NODES; i += 2) {
      engine.remove(nodes.get(i));
    }
    for (int i = 1; i < PODS; i += 2) {
      engine.remove(pods.get(i));
    }
    for (int i = 1; i < NODES; i += 2) {
      engine.remove(nodes.get(i));
    }
  }

  private static Node node(int i) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(String.format("n%02d", i))
        .withUid("former-node-" + i)
        .withLabels(
            Map.of(
                "kubernetes.io/hostname",
                String.format("n%02d", i),
                "topology.kubernetes.io/zone",
                "z" + i % 4,
                "topology.kubernetes.io/region",
                "r" + i % 2,
                "disk",
                i % 3 == 0 ? "ssd" : "hdd"))
        .endMetadata()
        .withNewSpec()
        .withUnschedulable(i % 17 == 0)
        .endSpec()
        .withNewStatus()
        .withAllocatable(
            Map.of(
                "cpu",
                new Quantity("32"),
                "memory",
                new Quantity("64Gi"),
                "ephemeral-storage",
                new Quantity("100Gi"),
                "nvidia.com/gpu",
                new Quantity("4"),
                "pods",
                new Quantity("110")))
        .addNewImage()
        .withNames("registry.local/web:1")
        .withSizeBytes(500_000_000L)
        .endImage()
        .endStatus()
        .build();
  }

  private static Pod pod(int i) {
    String app = APPS[i % APPS.length];
    return new PodBuilder()
        .withNewMetadata()
        .withName("p" + i)
        .withNamespace(NAMESPACES[i % NAMESPACES.length])
        .withUid("former-pod-" + i)
        .withLabels(Map.of("app", app, "tier", i % 2 == 0 ? "front" : "back"))
        .endMetadata()
        .withNewSpec()
        .withSchedulerName(EngineUnderTest.SCHEDULER)
        .withNodeName(String.format("n%02d", i % NODES))
        .withPriority(i % 3 * 1000)
        .addNewContainer()
        .withName("c0")
        .withImage("registry.local/web:1")
        .withNewResources()
        .withRequests(Map.of("cpu", new Quantity("100m"), "memory", new Quantity("128Mi")))
        .endResources()
        .endContainer()
        .withNewAffinity()
        .withNewPodAntiAffinity()
        .addNewPreferredDuringSchedulingIgnoredDuringExecution()
        .withWeight(10)
        .withNewPodAffinityTerm()
        .withTopologyKey("topology.kubernetes.io/zone")
        .withNewLabelSelector()
        .withMatchLabels(Map.of("app", app))
        .endLabelSelector()
        .endPodAffinityTerm()
        .endPreferredDuringSchedulingIgnoredDuringExecution()
        .endPodAntiAffinity()
        .endAffinity()
        .addNewTopologySpreadConstraint()
        .withMaxSkew(1)
        .withTopologyKey("kubernetes.io/hostname")
        .withWhenUnsatisfiable("ScheduleAnyway")
        .withNewLabelSelector()
        .withMatchLabels(Map.of("app", app))
        .endLabelSelector()
        .endTopologySpreadConstraint()
        .endSpec()
        .withNewStatus()
        .withPhase("Running")
        .endStatus()
        .build();
  }
}
