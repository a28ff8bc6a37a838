package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Decision;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.whatif.FitChange;
import io.berth.engine.whatif.PlacementAnswer;
import io.berth.engine.whatif.PlacementAnswer.NotPlaced;
import io.berth.engine.whatif.PlacementAnswer.Placement;
import io.berth.engine.whatif.PoolUsage;
import io.berth.operator.record.DecisionFields;
import io.berth.operator.record.PlacedDevices;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The status of a PlacementReview. It names nodes only to users who may list them, and pods of
 * other namespaces never: these are counted.
 */
final class ReviewStatus {
  /** The most items that a list names; it is followed by the number of all. */
  static final int MOST_LISTED = 100;

  private final String namespace;
  private final boolean namesNodes;

  /**
   * @param namespace the namespace of the review
   * @param namesNodes whether the user may list nodes
   */
  ReviewStatus(String namespace, boolean namesNodes) {
    this.namespace = namespace;
    this.namesNodes = namesNodes;
  }

  /** Returns the status of a pod that is not placed whatever the cluster is like. */
  static ObjectNode refused(String result, String message) {
    return JsonNodeFactory.instance.objectNode().put("result", result).put("message", message);
  }

  /** Returns the status with an answer. */
  ObjectNode of(ReviewSpec spec, PodModel pod, PlacementAnswer answer) {
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    int placed = answer.placements().size();
    status.put("result", result(spec, answer)).put("message", message(spec, answer));
    status.put("placed", placed);
    if (!spec.max()) {
      status.put("notPlaced", spec.replicas() - placed);
    }
    answer.placements().stream().findFirst().ifPresent(first -> policy(status, first.record()));
    answer.notPlaced().ifPresent(not -> policy(status, not.record()));
    nodes(status, answer.placements());
    placements(status.putArray("placements"), answer.placements());
    evictions(status, answer.placements());
    answer
        .notPlaced()
        .ifPresent(not -> notPlaced(status.putObject("notPlacedBecause"), not, pod, answer));
    ArrayNode changes = status.putArray("changes");
    answer.changes().forEach(change -> write(changes.addObject(), change));
    pool(status.putObject("pool"), answer.usage());
    if (!spec.drainedNodes().isEmpty() || !spec.removedNodes().isEmpty()) {
      status
          .putObject("displacedPods")
          .put("pods", answer.displaced().pods())
          .put("placed", answer.displaced().placed())
          .put("ofOtherSchedulers", answer.displaced().others());
    }
    if (answer.advised()) {
      status.put("extendersAsked", false);
    }
    return status.put("truncated", answer.truncated());
  }

  private static void policy(ObjectNode status, DecisionRecord record) {
    status
        .putObject("policy")
        .put("name", record.policy())
        .put("revision", record.policyRevision());
  }

  private static String result(ReviewSpec spec, PlacementAnswer answer) {
    int placed = answer.placements().size();
    if (placed > 0 && (spec.max() || placed == spec.replicas())) {
      return "Fits";
    }
    if (placed > 0) {
      return "FitsPartly";
    }
    return answer.notPlaced().isEmpty() && answer.truncated() ? "Unknown" : "DoesNotFit";
  }

  /** Returns the result in words, also that pods of drained nodes fit nowhere else. */
  private String message(ReviewSpec spec, PlacementAnswer answer) {
    String copies = copies(spec, answer);
    int left = answer.displaced().pods();
    int moved = answer.displaced().placed();
    if (moved == left) {
      return copies;
    }
    String nodes =
        spec.removedNodes().isEmpty()
            ? "drained"
            : spec.drainedNodes().isEmpty() ? "removed" : "drained and removed";
    String displaced =
        "only %d of %d pods of %s nodes %s"
            .formatted(
                moved,
                left,
                nodes,
                answer.truncated() ? "were placed elsewhere in time" : "fit elsewhere");
    return copies + "; " + displaced;
  }

  private String copies(ReviewSpec spec, PlacementAnswer answer) {
    int placed = answer.placements().size();
    if (answer.notPlaced().isPresent()) {
      String why = message(answer.notPlaced().get());
      return placed == 0 ? why : "%d of %d fit: %s".formatted(placed, spec.replicas(), why);
    }
    if (spec.max()) {
      return placed == ReviewSpec.MOST_REPLICAS
          ? "%d or more fit".formatted(placed)
          : "%d fit".formatted(placed);
    }
    return placed == spec.replicas()
        ? placed == 1 ? "it fits" : "all %d fit".formatted(placed)
        : "%d of %d were tried in time, and fit".formatted(placed, spec.replicas());
  }

  /** Returns why a pod is not placed; a dry run of preemption names a node. */
  private String message(NotPlaced not) {
    return namesNodes || not.wouldEvict().isEmpty()
        ? not.message()
        : new NodeNames(not.wouldEvict().get().nodeName()::equals, "").hideIn(not.message());
  }

  private void nodes(ObjectNode status, List<Placement> placements) {
    Map<String, Integer> byNode = new TreeMap<>();
    placements.forEach(placed -> byNode.merge(placed.node(), 1, Integer::sum));
    status.put("nodeCount", byNode.size());
    if (namesNodes && !byNode.isEmpty()) {
      ArrayNode nodes = status.putArray("nodes");
      byNode.entrySet().stream()
          .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
          .limit(MOST_LISTED)
          .forEach(
              each -> nodes.addObject().put("name", each.getKey()).put("pods", each.getValue()));
    }
  }

  private void placements(ArrayNode list, List<Placement> placements) {
    for (int i = 0; i < Math.min(placements.size(), MOST_LISTED); i++) {
      Placement placed = placements.get(i);
      ObjectNode item = list.addObject().put("replica", i);
      if (namesNodes) {
        item.put("node", placed.node());
        devices(item, placed.decision());
      }
      item.put("feasibleNodes", placed.record().feasibleNodes());
      placed.record().bestNodes().stream()
          .filter(node -> node.node().equals(placed.node()))
          .findFirst()
          .ifPresent(score -> score(item, score));
      if (!placed.victims().isEmpty()) {
        evicted(item.putObject("evictions"), placed.victims());
      }
    }
  }

  /** Writes the cards and devices of a node, whose names may contain that of the node. */
  private static void devices(ObjectNode item, Decision decision) {
    if (decision instanceof Decision.Placed placed) {
      PlacedDevices.cards(placed).ifPresent(cards -> item.set("cards", cards));
      List<String> devices = PlacedDevices.ofClaims(placed);
      if (!devices.isEmpty()) {
        devices.forEach(item.putArray("devices")::add);
      }
    }
  }

  private static void score(ObjectNode item, NodeScore score) {
    item.put("score", score.total());
    ArrayNode parts = item.putArray("scores");
    score
        .plugins()
        .forEach(
            part ->
                parts
                    .addObject()
                    .put("plugin", part.plugin())
                    .put("raw", part.raw())
                    .put("normalized", part.normalized())
                    .put("weight", part.weight()));
  }

  private void evictions(ObjectNode status, List<Placement> placements) {
    Set<PodRef> victims = new LinkedHashSet<>();
    placements.forEach(placed -> victims.addAll(placed.victims()));
    if (!victims.isEmpty()) {
      evicted(status.putObject("evictions"), victims);
    }
  }

  /** Writes how many pods are evicted, and the names of those in the namespace of the review. */
  private void evicted(ObjectNode item, Collection<PodRef> victims) {
    List<String> own = new ArrayList<>();
    victims.stream().filter(this::isOwn).map(PodRef::name).forEach(own::add);
    item.put("pods", victims.size()).put("ofOtherNamespaces", victims.size() - own.size());
    ArrayNode names = item.putArray("names");
    own.stream().limit(MOST_LISTED).forEach(names::add);
  }

  /** Copies of the reviewed pod, which may evict each other, have no names. */
  private boolean isOwn(PodRef pod) {
    return pod.namespace().equals(namespace) && !pod.name().endsWith(")");
  }

  private void notPlaced(ObjectNode item, NotPlaced not, PodModel pod, PlacementAnswer answer) {
    item.put("message", message(not));
    not.cause().map(DecisionFields::cause).ifPresent(cause -> item.put("cause", cause));
    item.put("waits", not.waits());
    ReviewReasons.write(item.putArray("reasons"), not.record().rejections(), pod, answer.usage());
    not.wouldEvict().ifPresent(named -> evicted(item.putObject("wouldEvict"), named.victims()));
  }

  private void write(ObjectNode item, FitChange change) {
    String node = namesNodes ? "node " + change.node() : "a node";
    switch (change) {
      case FitChange.RequestLess less -> {
        String to = Quantities.text(less.resource(), less.to());
        item.put("type", "RequestLess")
            .put("resource", less.resource())
            .put("from", Quantities.text(less.resource(), less.from()))
            .put("to", to)
            .put("message", "request at most %s of %s".formatted(to, less.resource()));
      }
      case FitChange.ToleratesTaint tolerates -> {
        String taint =
            tolerates.taint().value().isEmpty()
                ? tolerates.taint().key()
                : tolerates.taint().key() + "=" + tolerates.taint().value();
        item.put("type", "TolerateTaint")
            .put("taint", taint)
            .put("message", "tolerate the taint %s, or remove it from %s".formatted(taint, node));
      }
      case FitChange.Uncordon _ -> item.put("type", "Uncordon").put("message", "uncordon " + node);
      case FitChange.Label(String key, String value, String _) -> {
        String label = value.isEmpty() ? key : key + "=" + value;
        item.put("type", "Label")
            .put("label", label)
            .put("message", "label %s with %s, or do not require it".formatted(node, label));
      }
      case FitChange.Evict(PodRef victim, String _) -> {
        item.put("type", "Evict");
        evicted(item, List.of(victim));
        item.put(
            "message",
            "evict one pod %s: %s"
                .formatted(
                    namesNodes ? "of " + node : "of a node",
                    isOwn(victim) ? victim.name() : "of another namespace"));
      }
      case FitChange.AddNode(var model) -> {
        String cpu =
            Quantities.text(ResourceAmounts.CPU, model.allocatable().amountOf(ResourceAmounts.CPU));
        String memory =
            Quantities.text(
                ResourceAmounts.MEMORY, model.allocatable().amountOf(ResourceAmounts.MEMORY));
        item.put("type", "AddNode").put("cpu", cpu).put("memory", memory);
        item.put(
            "message",
            namesNodes
                ? "add a node like " + model.name()
                : "add a node with %s CPUs and %s of memory".formatted(cpu, memory));
      }
    }
    if (namesNodes) {
      item.put("node", change.node());
    }
  }

  private static void pool(ObjectNode pool, PoolUsage usage) {
    pool.put("nodes", usage.nodes());
    ArrayNode list = pool.putArray("resources");
    for (PoolUsage.ResourceUsage each : usage.resources()) {
      list.addObject()
          .put("name", each.name())
          .put("allocatable", Quantities.text(each.name(), each.allocatable()))
          .put("requestedBefore", Quantities.text(each.name(), each.before()))
          .put("requestedAfter", Quantities.text(each.name(), each.after()))
          .put("largestFree", Quantities.text(each.name(), each.largestFree()));
    }
  }
}
