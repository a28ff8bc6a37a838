package io.berth.benchmarks.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.Decision;
import io.berth.engine.decision.NodeScore;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks many pods that one engine schedules one after the other, on a cluster that changes between
 * them.
 */
final class SequenceCheck {
  private final EngineUnderTest engine;
  private final Differences differences = new Differences();
  private final Map<String, HasMetadata> nodes = new LinkedHashMap<>();
  private final Map<String, Pod> pods = new LinkedHashMap<>();

  SequenceCheck(Policies policies, EngineUnderTest engine) {
    this.engine = engine;
    engine.serve(policies.withoutPreemption());
  }

  /**
   * Returns the differences from the expected results. The sequence's objects are removed from the
   * engine again.
   */
  Differences check(JsonNode vector) {
    List<HasMetadata> others = new ArrayList<>();
    for (HasMetadata object : ClusterObjects.of(vector)) {
      engine.upsert(object);
      switch (object) {
        case Node node -> nodes.put(node.getMetadata().getName(), node);
        case Pod pod -> pods.put(key(pod), pod);
        default -> others.add(object);
      }
    }
    int number = 0;
    for (JsonNode step : vector.path("steps")) {
      apply("step " + number++, step);
    }
    pods.values().forEach(engine::remove);
    nodes.values().forEach(engine::remove);
    others.forEach(engine::remove);
    return differences;
  }

  private void apply(String where, JsonNode step) {
    switch (step.path("op").asText()) {
      case "schedule" -> schedule(where, step);
      case "deletePod" -> {
        Pod pod = pods.remove(step.path("namespace").asText() + "/" + step.path("name").asText());
        if (pod != null) {
          engine.remove(pod);
        }
      }
      case "addNode", "updateNode" -> {
        Node node = ClusterObjects.read(step.path("node"), Node.class);
        nodes.put(node.getMetadata().getName(), node);
        engine.upsert(node);
      }
      case "deleteNode" -> deleteNode(step.path("name").asText());
      default -> throw new IllegalArgumentException("unknown step " + step);
    }
  }

  private void deleteNode(String name) {
    HasMetadata node = nodes.remove(name);
    if (node != null) {
      engine.remove(node);
    }
    List<Pod> onNode =
        pods.values().stream().filter(pod -> name.equals(pod.getSpec().getNodeName())).toList();
    for (Pod pod : onNode) {
      engine.remove(pod);
      pods.remove(key(pod));
    }
  }

  private void schedule(String where, JsonNode step) {
    Pod pod = ClusterObjects.read(step.path("pod"), Pod.class);
    Decision decision = engine.decide(pod, Policies.WITHOUT_PREEMPTION);
    Map<String, Long> totals = new TreeMap<>();
    for (NodeScore node : decision.record().bestNodes()) {
      totals.put(node.node(), node.total());
    }
    differences.compare(
        where + ": total", ScenarioCheck.numbers(step.path("expect").path("total")), totals);
    String expected = step.path("expect").path("placed").asText("");
    String actual = decision instanceof Decision.Placed placed ? placed.nodeName() : "";
    differences.compare(where + ": placed", expected, actual);
    if (!expected.equals(actual) || expected.isEmpty()) {
      engine.forget(EngineUnderTest.ref(pod));
    }
    if (!expected.isEmpty()) {
      engine.bind(pod, expected);
      pods.put(key(pod), pod);
    }
  }

  private static String key(Pod pod) {
    return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
  }
}
