package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Map;

/**
 * A JSON patch (RFC 6902) of a pod, written operation by operation; what is so already is left out.
 */
final class PodPatch {
  private final JsonNode pod;
  private final ArrayNode operations = JsonNodeFactory.instance.arrayNode();
  private boolean annotationsMade;

  PodPatch(JsonNode pod) {
    this.pod = pod;
    this.annotationsMade = pod.path("metadata").path("annotations").isObject();
  }

  /** Sets fields of the spec; in a patch, adding a field that exists replaces it. */
  void spec(ObjectNode fields) {
    for (Map.Entry<String, JsonNode> field : fields.properties()) {
      if (!field.getValue().equals(pod.path("spec").path(field.getKey()))) {
        add("/spec/" + field.getKey(), field.getValue());
      }
    }
  }

  void schedulerName(String name) {
    if (!name.equals(pod.path("spec").path("schedulerName").asText(""))) {
      add("/spec/schedulerName", TextNode.valueOf(name));
    }
  }

  void annotation(String key, String value) {
    JsonNode current = pod.path("metadata").path("annotations").path(key);
    if (!current.isTextual() || !current.textValue().equals(value)) {
      if (!annotationsMade) {
        add("/metadata/annotations", JsonNodeFactory.instance.objectNode());
        annotationsMade = true;
      }
      add(pointer(key), TextNode.valueOf(value));
    }
  }

  void removeAnnotation(String key) {
    if (pod.path("metadata").path("annotations").has(key)) {
      operations.addObject().put("op", "remove").put("path", pointer(key));
    }
  }

  ArrayNode operations() {
    return operations;
  }

  private void add(String path, JsonNode value) {
    operations.addObject().put("op", "add").put("path", path).set("value", value);
  }

  private static String pointer(String annotation) {
    return "/metadata/annotations/" + annotation.replace("~", "~0").replace("/", "~1");
  }
}
