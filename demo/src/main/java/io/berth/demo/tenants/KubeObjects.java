package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Reading and writing of Kubernetes objects as JSON. */
public final class KubeObjects {

  private KubeObjects() {}

  /** Returns a new object of the core API; the namespace is empty for a kind without namespaces. */
  public static ObjectNode create(String kind, String namespace, String name) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("apiVersion", "v1").put("kind", kind);
    ObjectNode metadata = object.withObject("/metadata").put("name", name);
    if (!namespace.isEmpty()) {
      metadata.put("namespace", namespace);
    }
    return object;
  }

  /** Sets or replaces a condition in an object's status. */
  public static void setCondition(ObjectNode object, JsonNode condition) {
    ObjectNode status = object.withObject("/status");
    ArrayNode merged = JsonNodeFactory.instance.arrayNode();
    boolean found = false;
    for (JsonNode existing : status.path("conditions")) {
      if (existing.path("type").equals(condition.path("type"))) {
        ObjectNode both = existing.deepCopy();
        both.setAll((ObjectNode) condition);
        merged.add(both);
        found = true;
      } else {
        merged.add(existing);
      }
    }
    if (!found) {
      merged.add(condition);
    }
    status.set("conditions", merged);
  }

  /** Returns the condition of this type; null if there is none. */
  public static @Nullable JsonNode condition(JsonNode object, String type) {
    for (JsonNode condition : object.path("status").path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition;
      }
    }
    return null;
  }

  /** Returns the name of the node to which a pod is bound; empty if it is not bound. */
  public static String nodeOf(JsonNode pod) {
    return pod.path("spec").path("nodeName").asText("");
  }

  /** Returns whether an object is being deleted. */
  public static boolean isTerminating(JsonNode object) {
    return object.path("metadata").has("deletionTimestamp");
  }

  /** Returns whether a pod has succeeded or failed. */
  public static boolean isFinished(JsonNode pod) {
    String phase = pod.path("status").path("phase").asText("");
    return phase.equals("Succeeded") || phase.equals("Failed");
  }

  /** Returns whether pods without tolerations can be placed on a node. */
  public static boolean isOpen(JsonNode node) {
    return !node.at("/spec/unschedulable").asBoolean(false)
        && node.at("/spec/taints").isEmpty()
        && !isTerminating(node);
  }
}
