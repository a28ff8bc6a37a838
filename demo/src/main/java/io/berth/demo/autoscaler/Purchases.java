package io.berth.demo.autoscaler;

import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** The nodes that were bought and are not ready yet. */
final class Purchases {
  private final AutoscaledCluster cluster;
  private final Duration patience;
  private final Consumer<String> report;
  private final List<Request> open = new ArrayList<>();
  private final Map<String, Integer> asked = new HashMap<>();
  private int number;
  private int lost;

  /** A node that was bought. */
  private static final class Request {
    final NodeGroup group;
    final Node expected;
    final Delivery delivery;
    final Instant joins;
    final Instant abandoned;
    boolean registered;

    Request(NodeGroup group, Node expected, Delivery delivery, Instant now, Duration patience) {
      this.group = group;
      this.expected = expected;
      this.delivery = delivery;
      this.joins = now.plus(group.delay());
      this.abandoned = now.plus(patience);
    }

    String name() {
      return expected.getMetadata().getName();
    }

    boolean isReadyAt(Instant now) {
      return switch (delivery) {
        case Delivery.Failed _, Delivery.Ghost _ -> false;
        case Delivery.Slow(Duration after) -> !now.isBefore(joins.plus(after));
        case Delivery.AsOffered _, Delivery.Different _ -> !now.isBefore(joins);
      };
    }
  }

  /**
   * @param patience the time after which a node that is not ready is removed
   */
  Purchases(AutoscaledCluster cluster, Duration patience, Consumer<String> report) {
    this.cluster = cluster;
    this.patience = patience;
    this.report = report;
  }

  /** Returns the number of nodes that were bought so far, with those that never became ready. */
  int bought() {
    return number;
  }

  /** Returns the number of bought nodes that never became ready, and were given up. */
  int lost() {
    return lost;
  }

  /** Returns the names of the nodes that are awaited, also of those that are registered. */
  Set<String> awaited() {
    Set<String> names = new HashSet<>();
    open.forEach(request -> names.add(request.name()));
    return names;
  }

  /** Returns the awaited nodes, as they are expected to be. */
  List<Node> expected() {
    return open.stream().map(request -> request.expected).toList();
  }

  /** Buys a node; its properties are expected to be those of the template. */
  String buy(NodeGroup group, Node template, Instant now) {
    String name = "%s-%d".formatted(group.name(), number++);
    Delivery delivery = group.delivery(asked.merge(group.name(), 1, Integer::sum) - 1);
    open.add(new Request(group, AutoscalerNodes.renamed(template, name), delivery, now, patience));
    return name;
  }

  /** Lets nodes register and become ready, and gives up those that do not. */
  void step(Instant now) {
    for (Request request : List.copyOf(open)) {
      if (now.isBefore(request.joins)) {
        continue;
      }
      if (request.delivery instanceof Delivery.Failed) {
        giveUp(request, "has not come");
      } else if (request.isReadyAt(now)) {
        becomeReady(request);
      } else if (!now.isBefore(request.abandoned)) {
        cluster.remove(request.name());
        giveUp(request, "is not ready, and is removed");
      } else if (!request.registered) {
        request.registered = true;
        cluster.join(request.group.delivered(request.name(), request.delivery), false);
        report.accept("node " + request.name() + " has registered");
      }
    }
  }

  private void becomeReady(Request request) {
    if (request.registered) {
      cluster.report(request.name());
    } else {
      cluster.join(request.group.delivered(request.name(), request.delivery), true);
    }
    open.remove(request);
    report.accept("node " + request.name() + " is ready");
  }

  private void giveUp(Request request, String why) {
    open.remove(request);
    lost++;
    report.accept("node " + request.name() + " " + why);
  }

  /** Returns how many nodes the group has, with those that are awaited. */
  int numberOf(NodeGroup group, List<Node> known) {
    Set<String> names = new HashSet<>();
    known.stream().filter(group::owns).forEach(node -> names.add(node.getMetadata().getName()));
    expected().stream()
        .filter(group::owns)
        .forEach(node -> names.add(node.getMetadata().getName()));
    return names.size();
  }

  /** Returns a ready node that was bought for the group. */
  Optional<Node> readyOf(NodeGroup group, List<Node> nodes) {
    Set<String> awaited = awaited();
    return nodes.stream()
        .filter(group::owns)
        .filter(node -> !awaited.contains(node.getMetadata().getName()))
        .findFirst();
  }
}
