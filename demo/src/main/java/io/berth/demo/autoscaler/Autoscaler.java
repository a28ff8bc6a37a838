package io.berth.demo.autoscaler;

import io.berth.demo.story.NodeTaints;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A simulated cluster autoscaler. Each {@link #step} reads the cluster, and buys the nodes that the
 * waiting pods need, by the {@link Rules} of a real one: pods that fit on a node that exists or is
 * bought already need none. Bought nodes that nothing needs are removed. Not thread-safe.
 */
public final class Autoscaler {
  private final KubernetesClient client;
  private final Rules rules;
  private final List<NodeGroup> groups;
  private final Duration unneeded;
  private final Consumer<String> report;
  private final Placement placement;
  private final List<Request> requested = new ArrayList<>();
  private final Map<String, Instant> emptySince = new HashMap<>();
  private final Map<String, Integer> asked = new HashMap<>();
  private int numbers;
  private Set<String> lastSeen = Set.of();
  private @Nullable Instant quietSince;

  /** A node that was bought and has not joined the cluster. */
  private record Request(NodeGroup group, Node node, Instant joins, boolean comes) {}

  /** Nodes of one group that would take some of the waiting pods. */
  private record Option(NodeGroup group, int nodes, Set<String> pods) {}

  /**
   * @param client an administrator of the cluster
   * @param unneeded the time after which a bought node without pods is removed
   * @param report receives a line for each node that is bought, joins, or is removed
   */
  public Autoscaler(
      KubernetesClient client,
      Rules rules,
      List<NodeGroup> groups,
      Duration unneeded,
      Consumer<String> report) {
    this.client = client;
    this.rules = rules;
    this.groups = List.copyOf(groups);
    this.unneeded = unneeded;
    this.report = report;
    this.placement = new Placement(client);
  }

  /** Returns the number of nodes that were bought so far, with those that never came. */
  public int bought() {
    return asked.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Looks at the cluster once. */
  public void step(Instant now) {
    join(now);
    List<Node> nodes = client.nodes().list().getItems();
    List<Pod> pods = client.pods().inAnyNamespace().list().getItems();
    remove(nodes, pods, now);
    List<Pod> waiting = pods.stream().filter(rules::wantsNode).toList();
    if (isQuiet(waiting, now)) {
      buy(nodes, pods, waiting, now);
    }
  }

  private boolean isQuiet(List<Pod> waiting, Instant now) {
    Set<String> seen = waiting.stream().map(Autoscaler::nameOf).collect(Collectors.toSet());
    if (quietSince == null || !lastSeen.containsAll(seen)) {
      quietSince = now;
    }
    lastSeen = seen;
    return !now.isBefore(quietSince.plus(rules.quiet()));
  }

  private void join(Instant now) {
    for (Request request : List.copyOf(requested)) {
      if (now.isBefore(request.joins())) {
        continue;
      }
      requested.remove(request);
      String name = request.node().getMetadata().getName();
      if (request.comes()) {
        NodeTaints.clear(client, client.resource(request.node()).create());
        report.accept("node " + name + " has joined");
      } else {
        report.accept("node " + name + " has not come");
      }
    }
  }

  private void buy(List<Node> nodes, List<Pod> pods, List<Pod> waiting, Instant now) {
    List<Node> known = new ArrayList<>(nodes.stream().filter(this::isKept).toList());
    requested.forEach(request -> known.add(request.node()));
    List<Pod> placed = placed(pods, nodes);
    List<Pod> left = without(placement.placedOf(known, placed, waiting), waiting);
    while (!left.isEmpty()) {
      Optional<Option> best = best(known, placed, left);
      if (best.isEmpty()) {
        return;
      }
      request(best.get(), now);
      left = without(best.get().pods(), left);
    }
  }

  /** Returns the pods that take room: those on nodes, and by some rules those that will be. */
  private List<Pod> placed(List<Pod> pods, List<Node> nodes) {
    Set<String> names =
        nodes.stream().map(node -> node.getMetadata().getName()).collect(Collectors.toSet());
    List<Pod> placed = new ArrayList<>();
    for (Pod pod : pods) {
      if (pod.getSpec().getNodeName() != null) {
        placed.add(pod);
      } else if (rules.countsOnNominatedNode(pod)
          && names.contains(pod.getStatus().getNominatedNodeName())) {
        placed.add(
            new PodBuilder(pod)
                .editSpec()
                .withNodeName(pod.getStatus().getNominatedNodeName())
                .endSpec()
                .build());
      }
    }
    return placed;
  }

  private boolean isKept(Node node) {
    return node.getSpec().getTaints().stream()
        .noneMatch(taint -> taint.getKey().equals(rules.taint()));
  }

  private static List<Pod> without(Set<String> names, List<Pod> pods) {
    return pods.stream().filter(pod -> !names.contains(nameOf(pod))).toList();
  }

  private static String nameOf(Pod pod) {
    return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
  }

  /** Returns the option that takes most pods, with the fewest nodes, in the order of the groups. */
  private Optional<Option> best(List<Node> known, List<Pod> placed, List<Pod> left) {
    return groups.stream()
        .map(group -> option(group, known, placed, left))
        .filter(option -> !option.pods().isEmpty())
        .max(
            Comparator.comparingInt((Option option) -> option.pods().size())
                .thenComparing(Comparator.comparingInt(Option::nodes).reversed()));
  }

  /** Adds nodes of a group one by one, as long as each takes more pods. */
  private Option option(NodeGroup group, List<Node> known, List<Pod> placed, List<Pod> left) {
    Option option = new Option(group, 0, Set.of());
    int room = group.maximum() - nodesOf(group, known);
    List<Node> fresh = new ArrayList<>();
    // The nodes that exist have no room for these pods, but their pods count for affinity.
    while (fresh.size() < room) {
      fresh.add(group.template("upcoming-" + group.name() + "-" + fresh.size()));
      List<Node> all = new ArrayList<>(known);
      all.addAll(fresh);
      Set<String> taken = placement.placedOf(all, placed, left);
      if (taken.size() <= option.pods().size()) {
        return option;
      }
      option = new Option(group, fresh.size(), taken);
      if (taken.size() == left.size()) {
        return option;
      }
    }
    return option;
  }

  private static int nodesOf(NodeGroup group, List<Node> known) {
    return (int)
        known.stream()
            .filter(
                node -> group.name().equals(node.getMetadata().getLabels().get(NodeGroup.LABEL)))
            .count();
  }

  private void request(Option option, Instant now) {
    NodeGroup group = option.group();
    for (int i = 0; i < option.nodes(); i++) {
      String name = "%s-%d".formatted(group.name(), numbers++);
      boolean comes = asked.merge(group.name(), 1, Integer::sum) > group.lost();
      requested.add(new Request(group, group.template(name), now.plus(group.delay()), comes));
      report.accept("node " + name + " is bought, for " + option.pods());
    }
  }

  private void remove(List<Node> nodes, List<Pod> pods, Instant now) {
    Set<String> used = new HashSet<>();
    for (Pod pod : pods) {
      Optional.ofNullable(pod.getSpec().getNodeName()).ifPresent(used::add);
      Optional.ofNullable(pod.getStatus().getNominatedNodeName()).ifPresent(used::add);
    }
    for (Node node : nodes) {
      String name = node.getMetadata().getName();
      if (!node.getMetadata().getLabels().containsKey(NodeGroup.LABEL) || used.contains(name)) {
        emptySince.remove(name);
        continue;
      }
      if (!isKept(node)) { // it had a step to be seen as closed, and is still empty
        client.nodes().withName(name).delete();
        emptySince.remove(name);
        report.accept("node " + name + " is removed");
      } else if (!now.isBefore(emptySince.computeIfAbsent(name, key -> now).plus(unneeded))) {
        client.nodes().withName(name).edit(this::closed);
      }
    }
  }

  private Node closed(Node node) {
    return new NodeBuilder(node)
        .editSpec()
        .addNewTaint()
        .withKey(rules.taint())
        .withEffect("NoSchedule")
        .endTaint()
        .endSpec()
        .build();
  }
}
