package io.berth.sandbox.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.Views;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.StoredObject;
import java.util.List;

/** Conversion of objects to PartialObjectMetadata, for metadata-only clients. */
final class PartialMetadata {
  private PartialMetadata() {}

  static ObjectNode of(ResourceType type, StoredObject object) {
    ObjectNode partial =
        Json.object().put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
    partial.set("metadata", Views.tree(type, object).path("metadata"));
    return partial;
  }

  static ObjectNode list(ResourceType type, List<StoredObject> objects, ObjectNode metadata) {
    ObjectNode list =
        Json.object().put("kind", "PartialObjectMetadataList").put("apiVersion", "meta.k8s.io/v1");
    list.set("metadata", metadata);
    ArrayNode items = list.putArray("items");
    objects.forEach(object -> items.add(of(type, object)));
    return list;
  }
}
