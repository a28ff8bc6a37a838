package io.berth.demo.autoscaler;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The removal of bought nodes: those without pods, and those of which less than half is requested
 * if all their pods have a controller and fit on other nodes. A node first gets the taint that
 * keeps pods away; its pods are evicted, and it is removed once it is empty.
 */
final class Removals {
  private static final double MAXIMUM_UTILIZATION = 0.5;

  private final AutoscaledCluster cluster;
  private final Rules rules;
  private final Placement placement;
  private final Duration unneeded;
  private final Consumer<String> report;
  private final Map<String, Instant> unneededSince = new HashMap<>();
  private final Map<String, Set<String>> lastPods = new HashMap<>();
  private final Map<String, Instant> nominatedUntil = new HashMap<>();

  /**
   * @param unneeded the time after which a node that nothing needs is removed
   */
  Removals(
      AutoscaledCluster cluster,
      Rules rules,
      Placement placement,
      Duration unneeded,
      Consumer<String> report) {
    this.cluster = cluster;
    this.rules = rules;
    this.placement = placement;
    this.unneeded = unneeded;
    this.report = report;
  }

  /** Keeps nodes for a while, because pods without nodes are expected there. */
  void nominate(Collection<String> nodeNames, Instant now) {
    nodeNames.forEach(name -> nominatedUntil.put(name, now.plus(rules.keepsNominated())));
  }

  /**
   * Takes the next step for each node.
   *
   * @param nodes all nodes, except those that are awaited
   */
  void step(List<Node> nodes, List<Pod> pods, Instant now) {
    boolean draining = nodes.stream().anyMatch(this::isClosed);
    for (Node node : nodes) {
      String name = node.getMetadata().getName();
      if (!isBought(node)) {
        continue;
      }
      List<Pod> there = podsOn(name, pods);
      if (isClosed(node)) {
        empty(name, there);
      } else if (!isUnneeded(node, there, nodes, pods, now) || (draining && !there.isEmpty())) {
        keep(node);
      } else if (!now.isBefore(unneededSince.computeIfAbsent(name, key -> now).plus(unneeded))) {
        taint(name, rules.taint(), "NoSchedule");
        draining = true;
      } else {
        rules
            .softTaint()
            .filter(key -> !AutoscalerNodes.hasTaint(node, key))
            .ifPresent(key -> taint(name, key, "PreferNoSchedule"));
      }
    }
  }

  private static boolean isBought(Node node) {
    return node.getMetadata().getLabels() != null
        && node.getMetadata().getLabels().containsKey(NodeGroup.LABEL);
  }

  private boolean isClosed(Node node) {
    return AutoscalerNodes.hasTaint(node, rules.taint());
  }

  private void taint(String name, String key, String effect) {
    cluster.taint(name, new TaintBuilder().withKey(key).withEffect(effect).build());
    report.accept("node " + name + " gets the taint " + key);
  }

  private void keep(Node node) {
    String name = node.getMetadata().getName();
    unneededSince.remove(name);
    rules
        .softTaint()
        .filter(key -> AutoscalerNodes.hasTaint(node, key))
        .ifPresent(key -> cluster.untaint(name, key));
  }

  /** Evicts the pods of a node that was closed in an earlier step, or removes it. */
  private void empty(String name, List<Pod> there) {
    if (there.isEmpty()) {
      cluster.remove(name);
      unneededSince.remove(name);
      lastPods.remove(name);
      report.accept("node " + name + " is removed");
    }
    there.stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .forEach(cluster::evict);
  }

  private static List<Pod> podsOn(String nodeName, List<Pod> pods) {
    return pods.stream()
        .filter(pod -> nodeName.equals(pod.getSpec().getNodeName()))
        .filter(pod -> !isFinished(pod) && !isOfDaemonSet(pod))
        .toList();
  }

  private static boolean isFinished(Pod pod) {
    return "Succeeded".equals(pod.getStatus().getPhase())
        || "Failed".equals(pod.getStatus().getPhase());
  }

  private static boolean isOfDaemonSet(Pod pod) {
    return pod.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> owner.getKind().equals("DaemonSet"));
  }

  private boolean isUnneeded(
      Node node, List<Pod> there, List<Node> nodes, List<Pod> pods, Instant now) {
    String name = node.getMetadata().getName();
    Set<String> names = new HashSet<>();
    there.forEach(pod -> names.add(Autoscaler.nameOf(pod)));
    if (!names.equals(lastPods.put(name, names))
        || now.isBefore(nominatedUntil.getOrDefault(name, Instant.MIN))
        || pods.stream().anyMatch(pod -> name.equals(pod.getStatus().getNominatedNodeName()))) {
      return false;
    }
    return there.isEmpty() || mayMove(node, there, nodes, pods);
  }

  private boolean mayMove(Node node, List<Pod> there, List<Node> nodes, List<Pod> pods) {
    boolean owned =
        there.stream().allMatch(pod -> !pod.getMetadata().getOwnerReferences().isEmpty());
    if (!owned || AutoscalerNodes.utilization(node, there) >= MAXIMUM_UTILIZATION) {
      return false;
    }
    List<Node> others =
        nodes.stream().filter(other -> !other.equals(node) && !isClosed(other)).toList();
    List<Pod> elsewhere =
        pods.stream()
            .filter(pod -> pod.getSpec().getNodeName() != null && !there.contains(pod))
            .toList();
    return placement.placedOf(others, elsewhere, there).size() == there.size();
  }
}
