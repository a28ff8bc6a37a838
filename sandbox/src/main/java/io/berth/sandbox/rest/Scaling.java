package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.patch.PatchType;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.StoredObject;
import java.util.List;

/** The {@code scale} subresource: an autoscaling/v1 Scale backed by spec.replicas. */
public final class Scaling {
  private final ClusterApi api;

  Scaling(ClusterApi api) {
    this.api = api;
  }

  /** Returns the Scale of an object. */
  public ObjectNode show(StoredObject object) {
    JsonNode from = object.json();
    ObjectNode scale = Json.object().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
    ObjectNode metadata = scale.putObject("metadata");
    for (String field :
        List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
      if (from.path("metadata").has(field)) {
        metadata.set(field, from.path("metadata").path(field));
      }
    }
    scale.putObject("spec").put("replicas", from.path("spec").path("replicas").asInt(0));
    scale
        .putObject("status")
        .put("replicas", from.path("status").path("replicas").asInt(0))
        .put("selector", selector(from.path("spec").path("selector")));
    return scale;
  }

  private static String selector(JsonNode selector) {
    StringBuilder text = new StringBuilder();
    JsonNode labels = selector.has("matchLabels") ? selector.path("matchLabels") : selector;
    labels
        .properties()
        .forEach(
            label -> {
              if (label.getValue().isTextual()) {
                text.append(text.isEmpty() ? "" : ",")
                    .append(label.getKey())
                    .append('=')
                    .append(label.getValue().asText());
              }
            });
    return text.toString();
  }

  /** Sets the replicas of an object from a Scale and returns the resulting Scale. */
  public ObjectNode update(
      Caller caller,
      ResourceType type,
      String namespace,
      String name,
      ObjectNode scale,
      WriteOptions options) {
    JsonNode replicas = scale.path("spec").path("replicas");
    int asked = replicas.asInt(0);
    if (asked < 0) {
      throw Failures.invalid(
          "autoscaling",
          "Scale",
          name,
          List.of(
              FieldError.invalid("spec.replicas", asked, "must be greater than or equal to 0")));
    }
    ObjectNode patch = Json.object();
    patch.putObject("spec").put("replicas", asked);
    JsonNode version = scale.path("metadata").path("resourceVersion");
    if (version.isTextual() && !version.asText().isEmpty()) {
      patch.putObject("metadata").set("resourceVersion", version);
    }
    return show(api.patch(caller, type, namespace, name, "scale", PatchType.MERGE, patch, options));
  }
}
