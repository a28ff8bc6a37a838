package io.berth.crds.generate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** The schemas of Kubernetes' own types that appear in our kinds, with the API server's checks. */
final class KubernetesSchemas {

  private static final Map<String, String> KINDS =
      Map.of(
          "NodeSchedulerConfig",
          "A NodeSchedulerConfig is a node affinity and tolerations with parameters in them. It is"
              + " rendered into the pods that name it by annotation, or that a"
              + " SchedulerConfigBinding gives it to.",
          "PodSchedulerConfig",
          "A PodSchedulerConfig is pod affinities and topology spread constraints with parameters"
              + " in them. It is rendered into the pods that name it by annotation, or that a"
              + " SchedulerConfigBinding gives it to.",
          "SchedulerConfigBinding",
          "A SchedulerConfigBinding says which pods get which configs with which arguments, and"
              + " which SchedulingPolicy places them, without touching the pods' manifests.",
          "SchedulingPolicy",
          "A SchedulingPolicy is an algorithm set: what filters nodes, what scores them, and with"
              + " which weights and arguments. It places the pods that name it, and is changed"
              + " while it serves.");

  private KubernetesSchemas() {}

  static String kindDescription(String kind) {
    String description = KINDS.get(kind);
    if (description == null) {
      throw new IllegalArgumentException("describe the kind " + kind + " here");
    }
    return description;
  }

  static ObjectNode apiVersion() {
    return text("The API group and version of this object: sched.cloud.ctrip.com/v1.");
  }

  static ObjectNode kind() {
    return text("The kind of this object.");
  }

  private static ObjectNode text(String description) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("description", description)
        .put("type", "string");
  }

  /** The schema of metav1.Condition. */
  static ObjectNode condition() {
    return read("condition.json");
  }

  /** Replaces what the generator made of metav1.LabelSelector, but for its description. */
  static void completeLabelSelector(ObjectNode schema) {
    JsonNode description = schema.get("description");
    schema.removeAll();
    schema.set("description", description);
    schema.setAll(read("label-selector.json"));
  }

  private static ObjectNode read(String resource) {
    try (InputStream in = KubernetesSchemas.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing beside " + KubernetesSchemas.class);
      }
      return (ObjectNode) new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new IllegalStateException(resource + " cannot be read", e);
    }
  }
}
