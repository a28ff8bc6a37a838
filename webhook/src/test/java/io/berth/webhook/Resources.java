package io.berth.webhook;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;

/** Parses resources that tests write as YAML. */
public final class Resources {
  private static final ObjectMapper YAML = new YAMLMapper();
  private static final ObjectMapper JSON = new ObjectMapper();

  private Resources() {}

  public static JsonNode yaml(String text) {
    try {
      return YAML.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /** Parses a resource of the kind that the text contains. */
  public static HasMetadata resource(String text) {
    JsonNode tree = yaml(text);
    Class<? extends HasMetadata> type =
        switch (tree.path("kind").asText()) {
          case "NodeSchedulerConfig" -> NodeSchedulerConfig.class;
          case "PodSchedulerConfig" -> PodSchedulerConfig.class;
          case "SchedulerConfigBinding" -> SchedulerConfigBinding.class;
          case "SchedulingPolicy" -> SchedulingPolicy.class;
          case "SchedulingQueue" -> SchedulingQueue.class;
          case "Namespace" -> Namespace.class;
          default -> throw new IllegalArgumentException(text);
        };
    try {
      return JSON.treeToValue(((ObjectNode) tree).without("kind"), type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /**
   * Creates a binding.
   *
   * @param spec the content of {@code spec}, in one line of YAML flow style
   */
  public static HasMetadata binding(String namespace, String name, String created, String spec) {
    return resource(
        """
        kind: SchedulerConfigBinding
        metadata: {namespace: %s, name: %s, uid: uid-of-%s-%s, creationTimestamp: "%s", generation: 1}
        spec: {%s}
        """
            .formatted(namespace, name, namespace, name, created, spec));
  }

  public static HasMetadata policy(String name, String created, String spec) {
    return resource(
        """
        kind: SchedulingPolicy
        metadata: {name: %s, creationTimestamp: "%s", generation: 1}
        spec: {%s}
        """
            .formatted(name, created, spec));
  }

  public static HasMetadata queue(String name, String spec) {
    return resource(
        "{kind: SchedulingQueue, metadata: {name: %s, generation: 1}, spec: {%s}}"
            .formatted(name, spec));
  }

  public static HasMetadata namespace(String name, String labels) {
    return resource("{kind: Namespace, metadata: {name: " + name + ", labels: {" + labels + "}}}");
  }
}
