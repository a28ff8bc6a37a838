package io.berth.demo.autoscaler;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
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
  private final AutoscaledCluster cluster;
  private final CapacityRequests capacityRequests;
  private final Rules rules;
  private final List<NodeGroup> groups;
  private final Consumer<String> report;
  private final Placement placement;
  private final Purchases purchases;
  private final Removals removals;
  private Set<String> lastSeen = Set.of();
  private @Nullable Instant quietSince;

  /** The time of the first pod since the last decision; null if there was none. */
  private @Nullable Instant batchSince;

  /**
   * The nodes and pods of one decision.
   *
   * @param existing all nodes and those that are awaited, for the maximums of groups
   * @param known those of them that take pods
   * @param placed the pods on them
   */
  private record View(List<Node> existing, List<Node> known, List<Pod> placed) {}

  /** Nodes of one group that would take some of the waiting pods. */
  private record Option(NodeGroup group, Node template, int nodes, Set<String> pods) {}

  /**
   * The times of an autoscaler.
   *
   * @param unneeded the time after which a bought node that nothing needs is removed
   * @param patience the time after which a bought node that is not ready is removed
   */
  public record Times(Duration unneeded, Duration patience) {}

  /**
   * @param client used to build a feed; no requests are sent
   * @param report receives a line for each node that is bought, joins, or is removed
   */
  public Autoscaler(
      KubernetesClient client,
      AutoscaledCluster cluster,
      CapacityRequests capacityRequests,
      Rules rules,
      List<NodeGroup> groups,
      Times times,
      Consumer<String> report) {
    this.cluster = cluster;
    this.capacityRequests = capacityRequests;
    this.rules = rules;
    this.groups = List.copyOf(groups);
    this.report = report;
    this.placement = new Placement(client);
    this.purchases = new Purchases(cluster, times.patience(), report);
    this.removals = new Removals(cluster, rules, placement, times.unneeded(), report);
  }

  /** Returns the number of nodes that were bought so far, with those that never became ready. */
  public int bought() {
    return purchases.bought();
  }

  /** Returns the number of bought nodes that never became ready, and were given up. */
  public int lost() {
    return purchases.lost();
  }

  /** Looks at the cluster once. */
  public void step(Instant now) {
    purchases.step(now);
    Set<String> awaited = purchases.awaited();
    List<Node> nodes =
        cluster.nodes().stream()
            .filter(node -> !awaited.contains(node.getMetadata().getName()))
            .toList();
    List<Pod> pods = cluster.pods();
    List<Pod> waiting = pods.stream().filter(pod -> rules.wantsNode(pod, now)).toList();
    removals.step(nodes, pods, now);
    if (isQuiet(waiting, now)) {
      buy(nodes, pods, waiting, now);
    }
  }

  private boolean isQuiet(List<Pod> waiting, Instant now) {
    Set<String> seen = waiting.stream().map(Autoscaler::nameOf).collect(Collectors.toSet());
    if (quietSince == null || !lastSeen.containsAll(seen)) {
      quietSince = now;
      batchSince = batchSince == null ? now : batchSince;
    }
    lastSeen = seen;
    boolean over =
        !now.isBefore(quietSince.plus(rules.quiet()))
            || (batchSince != null && !now.isBefore(batchSince.plus(rules.longestBatch())));
    batchSince = over ? null : batchSince;
    return over;
  }

  private void buy(List<Node> nodes, List<Pod> pods, List<Pod> waiting, Instant now) {
    List<Node> kept =
        nodes.stream().filter(node -> !AutoscalerNodes.hasTaint(node, rules.taint())).toList();
    List<Node> known = new ArrayList<>(kept);
    known.addAll(purchases.expected());
    List<Pod> placed = placed(pods, nodes);
    placed.addAll(capacityRequests.booked(kept, placed, now));
    Map<String, String> fitting = placement.placedOf(known, placed, waiting);
    removals.nominate(fitting.values(), now);
    // Pods that fit keep their room: otherwise it would be counted for others too.
    waiting.stream()
        .filter(pod -> fitting.containsKey(nameOf(pod)))
        .forEach(pod -> placed.add(on(fitting.get(nameOf(pod)), pod)));
    List<Node> existing = new ArrayList<>(nodes);
    existing.addAll(purchases.expected());
    View view = new View(existing, known, placed);
    List<Pod> left = without(fitting.keySet(), waiting);
    while (!left.isEmpty()) {
      Optional<Option> best = best(view, left);
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
        placed.add(on(pod.getStatus().getNominatedNodeName(), pod));
      }
    }
    return placed;
  }

  private static Pod on(String nodeName, Pod pod) {
    return new PodBuilder(pod).editSpec().withNodeName(nodeName).endSpec().build();
  }

  private static List<Pod> without(Set<String> names, List<Pod> pods) {
    return pods.stream().filter(pod -> !names.contains(nameOf(pod))).toList();
  }

  /** Returns the name of a pod, with its namespace. */
  static String nameOf(Pod pod) {
    return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
  }

  /** Returns the option that takes most pods, with the fewest nodes, in the order of the groups. */
  private Optional<Option> best(View view, List<Pod> left) {
    return groups.stream()
        .map(group -> option(group, view, left))
        .filter(option -> !option.pods().isEmpty())
        .max(
            Comparator.comparingInt((Option option) -> option.pods().size())
                .thenComparing(Comparator.comparingInt(Option::nodes).reversed()));
  }

  /** Adds nodes of a group one by one, as long as each takes more pods. */
  private Option option(NodeGroup group, View view, List<Pod> left) {
    Node template = template(group, view.known());
    Option option = new Option(group, template, 0, Set.of());
    int room = group.maximum() - purchases.numberOf(group, view.existing());
    List<Node> fresh = new ArrayList<>();
    // The nodes that exist have no room for these pods, but their pods count for affinity.
    while (fresh.size() < room) {
      fresh.add(AutoscalerNodes.renamed(template, "upcoming-" + group.name() + "-" + fresh.size()));
      List<Node> all = new ArrayList<>(view.known());
      all.addAll(fresh);
      Set<String> taken = placement.placedOf(all, view.placed(), left).keySet();
      if (taken.size() <= option.pods().size()) {
        return option;
      }
      option = new Option(group, template, fresh.size(), taken);
      if (taken.size() == left.size()) {
        return option;
      }
    }
    return option;
  }

  private Node template(NodeGroup group, List<Node> known) {
    return rules.learnsFromNodes()
        ? purchases
            .readyOf(group, known)
            .map(node -> group.like(node, "template", rules))
            .orElseGet(() -> group.offered("template"))
        : group.offered("template");
  }

  private void request(Option option, Instant now) {
    for (int i = 0; i < option.nodes(); i++) {
      String name = purchases.buy(option.group(), option.template(), now);
      report.accept("node " + name + " is bought, for " + option.pods());
    }
  }
}
