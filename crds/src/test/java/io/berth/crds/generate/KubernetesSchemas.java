package io.berth.crds.generate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/**
 * The schemas of Kubernetes types that are part of Berth's kinds, with the API server's validation
 * rules.
 */
final class KubernetesSchemas {

  private static final Map<String, String> KINDS =
      Map.of(
          "NodeSchedulerConfig",
          "A NodeSchedulerConfig is a template of a node affinity and tolerations. It is rendered"
              + " into pods that reference it by annotation or through a SchedulerConfigBinding.",
          "PodSchedulerConfig",
          "A PodSchedulerConfig is a template of pod affinities and topology spread constraints. It"
              + " is rendered into pods that reference it by annotation or through a"
              + " SchedulerConfigBinding.",
          "SchedulerConfigBinding",
          "A SchedulerConfigBinding assigns configs with arguments, and a SchedulingPolicy, to the"
              + " pods that it selects, without changes to their manifests.",
          "SchedulingPolicy",
          "A SchedulingPolicy is a set of scheduling algorithms: filters and scores with their"
              + " weights and arguments. It schedules the pods that name it and can be changed at"
              + " runtime.",
          "SchedulingQueue",
          "A SchedulingQueue is a share of the cluster for the pods of some namespaces: a guarantee"
              + " that comes back when it is needed, a limit, and a weight for what is left over.");

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

  /** Returns the schema of metav1.Condition. */
  static ObjectNode condition() {
    return read("condition.json");
  }

  /** Replaces the generated schema of metav1.LabelSelector, except for its description. */
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
