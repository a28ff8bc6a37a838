package io.berth.operator.group;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * A watched object that describes a group.
 *
 * @param apiVersion its group and version
 * @param status its status; a missing node if it has none
 */
record StatusView(
    String apiVersion,
    String uid,
    String resourceVersion,
    OptionalLong generation,
    JsonNode status) {
  private static final ObjectMapper JSON = new ObjectMapper();

  static StatusView of(GenericKubernetesResource object) {
    Object status = object.getAdditionalProperties().get("status");
    Long generation = object.getMetadata().getGeneration();
    return new StatusView(
        object.getApiVersion(),
        object.getMetadata().getUid(),
        object.getMetadata().getResourceVersion(),
        generation == null ? OptionalLong.empty() : OptionalLong.of(generation),
        status == null ? MissingNode.getInstance() : JSON.valueToTree(status));
  }

  /** Returns the path of the collection in a namespace. */
  String collection(String namespace) {
    return "/apis/" + apiVersion + "/namespaces/" + namespace + "/podgroups";
  }

  Optional<JsonNode> condition(String type) {
    for (JsonNode condition : status.path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return Optional.of(condition);
      }
    }
    return Optional.empty();
  }

  /** Returns a copy of the conditions with one added, and without those whose type is replaced. */
  ArrayNode conditions(ObjectNode added, Predicate<String> replaced) {
    ArrayNode conditions = JSON.createArrayNode();
    for (JsonNode condition : status.path("conditions")) {
      if (!replaced.test(condition.path("type").asText())) {
        conditions.add(condition);
      }
    }
    return conditions.add(added);
  }
}
