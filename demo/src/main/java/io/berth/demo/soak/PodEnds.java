package io.berth.demo.soak;

import io.berth.demo.tenants.Tenants;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The ends of pods that run for a number of seconds, and, if the cluster has no kubelets, of those
 * that terminate or whose node is gone.
 */
final class PodEnds {
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final KubernetesClient admin;
  private final ApiCluster cluster;
  private final boolean kubelets;
  private final Map<String, Long> since = new HashMap<>();

  /**
   * @param kubelets whether the nodes have kubelets
   */
  PodEnds(KubernetesClient admin, ApiCluster cluster, boolean kubelets) {
    this.admin = admin;
    this.cluster = cluster;
    this.kubelets = kubelets;
  }

  /** Ends the pods whose time is over. */
  void step() {
    Set<String> nodes =
        cluster.nodes().stream()
            .map(node -> node.getMetadata().getName())
            .collect(Collectors.toSet());
    Map<String, Long> seen = new HashMap<>();
    for (Pod pod : cluster.pods()) {
      String node = pod.getSpec().getNodeName();
      if (node == null) {
        continue;
      }
      boolean terminating = pod.getMetadata().getDeletionTimestamp() != null;
      String state = pod.getMetadata().getUid() + (terminating ? " ends" : "");
      long began = since.getOrDefault(state, System.nanoTime());
      seen.put(state, began);
      Duration lasting = Duration.ofNanos(System.nanoTime() - began);
      if (!kubelets && (terminating || !nodes.contains(node))) {
        if (lasting.compareTo(GRACE) > 0) {
          delete(pod, 0);
        }
      } else if (!terminating && isOver(pod, lasting)) {
        delete(pod, 1);
      }
    }
    since.clear();
    since.putAll(seen);
  }

  private static boolean isOver(Pod pod, Duration lasting) {
    String seconds = pod.getMetadata().getAnnotations().get(Tenants.SECONDS);
    return seconds != null && lasting.toSeconds() >= Long.parseLong(seconds);
  }

  private void delete(Pod pod, long graceSeconds) {
    admin
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName())
        .withGracePeriod(graceSeconds)
        .delete();
  }
}
