package io.berth.benchmarks.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Decision;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.kube.ClaimStatuses;
import io.berth.engine.quantity.SignedQuantity;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks the devices of one pod on each node: the allocations of its claims, and of the claim for
 * its extended resources.
 */
final class DeviceCheck {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String EXTENDED = "<extended-resources>";

  /** The amount that a node is given of each resource that it offers, so that the pod fits. */
  private static final Quantity PLENTY = new Quantity("1000000");

  private final EngineUnderTest engine;
  private final Differences differences;

  DeviceCheck(EngineUnderTest engine, Differences differences) {
    this.engine = engine;
    this.differences = differences;
  }

  /**
   * Compares the results on each node.
   *
   * @param policy the name of the policy
   */
  void check(Pod pod, JsonNode scenario, JsonNode expect, String policy) {
    Set<String> refused = new TreeSet<>();
    expect.path("filters").path("DynamicResources").fieldNames().forEachRemaining(refused::add);
    for (JsonNode object : scenario.path("nodes")) {
      Node node = ClusterObjects.read(object, Node.class);
      String name = node.getMetadata().getName();
      if (refused.contains(name)) {
        continue;
      }
      engine.upsert(withPlenty(ClusterObjects.read(object, Node.class)));
      Pod pinned = new PodBuilder(pod).editSpec().withNodeName(name).endSpec().build();
      Decision decision = engine.decide(pinned, policy);
      engine.forget(EngineUnderTest.ref(pod));
      engine.upsert(node);
      compare(name, pod, decision, expect);
    }
  }

  private static Node withPlenty(Node node) {
    Map<String, Quantity> plenty = new HashMap<>();
    node.getStatus()
        .getAllocatable()
        .forEach(
            (name, amount) ->
                plenty.put(
                    name, name.contains("/") && !amount.getAmount().equals("0") ? PLENTY : amount));
    node.getStatus().setAllocatable(plenty);
    return node;
  }

  private void compare(String node, Pod pod, Decision decision, JsonNode expect) {
    if (!(decision instanceof Decision.Placed placed)) {
      differences.add("devices on " + node + ": " + decision.record().message());
      return;
    }
    List<ClaimAllocation> steps = new ArrayList<>();
    placed
        .preBind()
        .forEach(
            step -> {
              if (step instanceof ClaimAllocation allocation) {
                steps.add(allocation);
              }
            });
    Map<String, String> actual = new TreeMap<>();
    Optional<ClaimAllocation.ExtendedClaim> extended = Optional.empty();
    for (ClaimAllocation step : steps) {
      String name = step.extended().isPresent() ? EXTENDED : step.claimName();
      step.allocation()
          .ifPresent(
              allocation ->
                  actual.put(name, normal(JSON.valueToTree(ClaimStatuses.of(allocation)))));
      extended = extended.or(step::extended);
    }
    Map<String, String> expected = new TreeMap<>();
    expect
        .path("allocations")
        .path(node)
        .properties()
        .forEach(
            claim -> {
              String allocation = normal(claim.getValue());
              if (!claim.getKey().equals(EXTENDED) || !allocation.equals("{}")) {
                expected.put(claim.getKey(), allocation);
              }
            });
    differences.compare("allocation on " + node, expected, actual);
    JsonNode wanted = expect.path("extended").path(node);
    differences.compare(
        "requests for extended resources on " + node,
        normal(wanted.path("requests")),
        normal(JSON.valueToTree(extended.map(ClaimStatuses::requests).orElse(List.of()))));
    differences.compare(
        "mappings of extended resources on " + node,
        normal(wanted.path("mappings")),
        normal(mappings(extended, pod)));
  }

  private static JsonNode mappings(Optional<ClaimAllocation.ExtendedClaim> extended, Pod pod) {
    List<Container> containers = new ArrayList<>(pod.getSpec().getInitContainers());
    containers.addAll(pod.getSpec().getContainers());
    ArrayNode mappings = JSON.createArrayNode();
    extended.ifPresent(
        claim ->
            claim
                .mappings()
                .forEach(
                    mapping ->
                        mappings
                            .addObject()
                            .put("containerName", containers.get(mapping.container()).getName())
                            .put("resourceName", mapping.resource())
                            .put("requestName", mapping.request())));
    return mappings;
  }

  /** Returns JSON without empty members, with sorted members, and with quantities by value. */
  private static String normal(JsonNode json) {
    JsonNode normal = normal("", json);
    return normal.isMissingNode() ? "[]" : normal.toString();
  }

  private static JsonNode normal(String member, JsonNode json) {
    if (json.isObject()) {
      ObjectNode sorted = JsonNodeFactory.instance.objectNode();
      new TreeMap<>(JSON.<Map<String, JsonNode>>convertValue(json, MEMBERS))
          .forEach(
              (name, value) -> {
                JsonNode of =
                    member.equals("consumedCapacity")
                        ? JsonNodeFactory.instance.textNode(
                            SignedQuantity.read(value.asText()).orElseThrow().toPlainString())
                        : normal(name, value);
                if (!of.isNull() && !(of.isContainerNode() && of.isEmpty())) {
                  sorted.set(name, name.equals("shareID") ? WILD : of);
                }
              });
      return sorted;
    }
    if (json.isArray()) {
      List<JsonNode> items = new ArrayList<>();
      json.forEach(item -> items.add(normal("", item)));
      if (member.equals("values")) {
        items.sort(Comparator.comparing(JsonNode::asText));
      }
      return JsonNodeFactory.instance.arrayNode().addAll(items);
    }
    return json;
  }

  private static final JsonNode WILD = JsonNodeFactory.instance.textNode("*");
  private static final com.fasterxml.jackson.core.type.TypeReference<Map<String, JsonNode>>
      MEMBERS = new com.fasterxml.jackson.core.type.TypeReference<>() {};
}
