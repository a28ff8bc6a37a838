package io.berth.demo.invariant;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.engine.Engine;
import io.berth.engine.api.WaitingUnit;
import io.berth.engine.model.PodRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The statuses of pods in a cluster in which nothing happens any more. */
public final class Settled {

  private Settled() {}

  /** Returns the pods of a scheduler whose status contradicts the objects. */
  public static List<String> violations(List<ObjectNode> objects, String scheduler) {
    Set<String> nodes =
        objects.stream()
            .map(ObjectKey::of)
            .filter(key -> key.kind().equals("Node"))
            .map(ObjectKey::name)
            .collect(Collectors.toSet());
    List<String> violations = new ArrayList<>();
    for (ObjectNode object : objects) {
      if (object.path("kind").asText().equals("Pod")
          && object.at("/spec/schedulerName").asText().equals(scheduler)
          && !KubeObjects.isFinished(object)
          && !KubeObjects.isTerminating(object)) {
        judge(object, nodes, violations);
      }
    }
    return violations;
  }

  /** Returns the waiting pods whose status names another nominated node than the engine holds. */
  public static List<String> nominations(List<ObjectNode> objects, Engine engine) {
    Map<String, String> written =
        objects.stream()
            .filter(object -> object.path("kind").asText().equals("Pod"))
            .collect(
                Collectors.toMap(
                    pod -> pod.at("/metadata/uid").asText(),
                    pod -> pod.at("/status/nominatedNodeName").asText("")));
    List<String> violations = new ArrayList<>();
    for (WaitingUnit unit : engine.waitingUnits()) {
      for (PodRef pod : unit.pods()) {
        String held = engine.nominatedNode(pod).orElse("");
        String said = written.getOrDefault(pod.uid(), "");
        if (!held.equals(said)) {
          violations.add(
              "pod %s is nominated to \"%s\", and its status says \"%s\""
                  .formatted(pod, held, said));
        }
      }
    }
    return violations;
  }

  private static void judge(ObjectNode pod, Set<String> nodes, List<String> violations) {
    ObjectKey key = ObjectKey.of(pod);
    String name = key.namespace() + "/" + key.name();
    JsonNode condition = KubeObjects.condition(pod, "PodScheduled");
    String status = condition == null ? "" : condition.path("status").asText();
    if (KubeObjects.nodeOf(pod).isEmpty()) {
      if (!status.equals("False")) {
        violations.add("pod " + name + " waits without a condition that says why");
      }
      String nominated = pod.at("/status/nominatedNodeName").asText("");
      if (!nominated.isEmpty() && !nodes.contains(nominated)) {
        violations.add("pod " + name + " is nominated to " + nominated + ", which does not exist");
      }
    } else if (status.equals("False")) {
      violations.add("pod " + name + " is bound, and its condition says that it is not");
    }
  }
}
