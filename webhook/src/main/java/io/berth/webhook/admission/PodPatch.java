package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.berth.crds.Annotations;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A JSON patch (RFC 6902) of a pod, built operation by operation. Operations that would change
 * nothing are omitted.
 */
final class PodPatch {
  /**
   * The API server's limit on the total size of an object's annotations, keys and values, in bytes.
   */
  static final int MOST_ANNOTATION_BYTES = 256 * 1024;

  private static final String ANNOTATIONS = "/metadata/annotations";
  private static final String LABELS = "/metadata/labels";

  private final JsonNode pod;
  private final ArrayNode operations;
  private boolean annotationsMade;
  private long annotationBytes;

  PodPatch(JsonNode pod) {
    this(pod, JsonNodeFactory.instance.arrayNode());
  }

  /**
   * Creates a patch that appends to existing operations. It must not change an annotation that they
   * already change.
   */
  PodPatch(JsonNode pod, ArrayNode operations) {
    this.pod = pod;
    this.operations = operations;
    JsonNode annotations = pod.path("metadata").path("annotations");
    this.annotationsMade = annotations.isObject();
    for (Map.Entry<String, JsonNode> annotation : annotations.properties()) {
      annotationBytes += bytes(annotation.getKey()) + bytes(annotation.getValue().asText());
    }
    operations.forEach(this::take);
  }

  private void take(JsonNode operation) {
    String path = operation.path("path").asText();
    if (path.equals(ANNOTATIONS)) {
      annotationsMade = true;
    } else if (path.startsWith(ANNOTATIONS)) {
      String key = path.substring(ANNOTATIONS.length() + 1).replace("~1", "/").replace("~0", "~");
      annotationBytes +=
          operation.has("value")
              ? growth(key, operation.path("value").asText())
              : -bytes(key) - bytes(annotation(key));
    }
  }

  private String annotation(String key) {
    return pod.path("metadata").path("annotations").path(key).asText("");
  }

  /** Sets fields of the spec. In a JSON patch, adding an existing field replaces it. */
  void spec(ObjectNode fields) {
    for (Map.Entry<String, JsonNode> field : fields.properties()) {
      if (!field.getValue().equals(pod.path("spec").path(field.getKey()))) {
        add("/spec/" + field.getKey(), field.getValue());
      }
    }
  }

  /** Returns the pod's scheduler after the patch. */
  String schedulerName() {
    return patched("/spec/schedulerName", pod.path("spec").path("schedulerName"));
  }

  /** Returns an annotation of the pod after the patch; empty if there is none. */
  String annotated(String key) {
    return patched(pointer(key), pod.path("metadata").path("annotations").path(key));
  }

  private String patched(String path, JsonNode before) {
    JsonNode value = before;
    for (JsonNode operation : operations) {
      if (operation.path("path").asText().equals(path)) {
        value = operation.path("value");
      }
    }
    return value.asText("");
  }

  void schedulerName(String name) {
    if (!name.equals(pod.path("spec").path("schedulerName").asText(""))) {
      add("/spec/schedulerName", TextNode.valueOf(name));
    }
  }

  /**
   * Returns whether the pod's annotations stay within the API server's limit with this annotation.
   */
  boolean hasRoomFor(String key, String value) {
    return annotationBytes + growth(key, value) <= MOST_ANNOTATION_BYTES;
  }

  void annotation(String key, String value) {
    JsonNode current = pod.path("metadata").path("annotations").path(key);
    if (!current.isTextual() || !current.textValue().equals(value)) {
      if (!annotationsMade) {
        add(ANNOTATIONS, JsonNodeFactory.instance.objectNode());
        annotationsMade = true;
      }
      annotationBytes += growth(key, value);
      add(pointer(key), TextNode.valueOf(value));
    }
  }

  void label(String key, String value) {
    JsonNode labels = pod.path("metadata").path("labels");
    if (value.equals(labels.path(key).textValue())) {
      return;
    }
    if (!labels.isObject()) {
      add(LABELS, JsonNodeFactory.instance.objectNode());
    }
    add(pointer(LABELS, key), TextNode.valueOf(value));
  }

  void removeLabel(String key) {
    if (pod.path("metadata").path("labels").has(key)) {
      operations.addObject().put("op", "remove").put("path", pointer(LABELS, key));
    }
  }

  private long growth(String key, String value) {
    JsonNode current = pod.path("metadata").path("annotations").path(key);
    return current.isMissingNode()
        ? bytes(key) + bytes(value)
        : bytes(value) - bytes(current.asText());
  }

  private static long bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  void removeAnnotation(String key) {
    if (pod.path("metadata").path("annotations").has(key)) {
      operations.addObject().put("op", "remove").put("path", pointer(key));
    }
  }

  /** Returns the operations of a patch without those that only record what was applied. */
  static List<JsonNode> effects(ArrayNode operations) {
    String applied = pointer(Annotations.APPLIED);
    List<JsonNode> effects = new ArrayList<>();
    for (JsonNode operation : operations) {
      String path = operation.path("path").asText();
      if (!path.equals(applied) && !path.equals(ANNOTATIONS)) {
        effects.add(operation);
      }
    }
    return effects;
  }

  ArrayNode operations() {
    return operations;
  }

  private void add(String path, JsonNode value) {
    operations.addObject().put("op", "add").put("path", path).set("value", value);
  }

  private static String pointer(String annotation) {
    return pointer(ANNOTATIONS, annotation);
  }

  private static String pointer(String map, String key) {
    return map + "/" + key.replace("~", "~0").replace("/", "~1");
  }
}
