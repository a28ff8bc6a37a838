package io.berth.operator.reconcile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.webhook.binding.AppliedFields;
import io.berth.webhook.binding.BindingKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A dry run of what a controller would get if it recreated a pod: the pod is created with {@code
 * dryRun=All}, through all admission plugins, and nothing is stored. Only this proves that the
 * webhook currently handles this namespace and this pod.
 */
final class DryRunCreation implements Recreation.Trial {

  private static final List<String> FROM_OWNER =
      List.of("apiVersion", "kind", "name", "uid", "controller");

  private final ApiCalls api;

  DryRunCreation(ApiCalls api) {
    this.api = api;
  }

  @Override
  public void of(JsonNode pod, BindingKey binding, Consumer<Optional<String>> then) {
    String namespace = pod.at("/metadata/namespace").asText();
    api.post(
        "/api/v1/namespaces/" + namespace + "/pods?dryRun=All",
        replacement(pod),
        answer -> then.accept(obstacle(answer, binding)));
  }

  private static Optional<String> obstacle(Answer answer, BindingKey binding) {
    if (!answer.ok()) {
      return Optional.of("its replacement would not be created: " + answer.message());
    }
    Map<String, String> annotations = new HashMap<>();
    answer
        .json()
        .at("/metadata/annotations")
        .properties()
        .forEach(
            annotation -> annotations.put(annotation.getKey(), annotation.getValue().asText()));
    return AppliedFields.of(annotations).by(binding)
        ? Optional.empty()
        : Optional.of("the webhook does not currently handle pods in its namespace");
  }

  /**
   * Returns the pod as its controller would create it: without fields that were set later, and with
   * a generated name.
   */
  static ObjectNode replacement(JsonNode pod) {
    JsonNode metadata = pod.path("metadata");
    ObjectNode made = JsonNodeFactory.instance.objectNode();
    made.put("apiVersion", "v1").put("kind", "Pod");
    ObjectNode head = made.putObject("metadata");
    head.put("namespace", metadata.path("namespace").asText());
    String base = metadata.path("generateName").asText("");
    head.put("generateName", base.isEmpty() ? metadata.path("name").asText() + "-" : base);
    head.set("labels", metadata.path("labels").deepCopy());
    ObjectNode annotations = head.putObject("annotations");
    metadata
        .path("annotations")
        .properties()
        .forEach(annotation -> annotations.set(annotation.getKey(), annotation.getValue()));
    annotations.remove(Annotations.APPLIED);
    ArrayNode owners = head.putArray("ownerReferences");
    for (JsonNode owner : metadata.path("ownerReferences")) {
      ObjectNode reference = owners.addObject();
      FROM_OWNER.stream()
          .filter(owner::has)
          .forEach(field -> reference.set(field, owner.path(field)));
    }
    ObjectNode spec = pod.path("spec").deepCopy();
    spec.remove(List.of("nodeName", "ephemeralContainers"));
    made.set("spec", spec);
    return made;
  }
}
