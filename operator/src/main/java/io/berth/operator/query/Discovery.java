package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.serving.http.HttpAnswer;
import java.nio.charset.StandardCharsets;

/** The discovery documents of the group, aggregated and one by one. */
final class Discovery {
  private static final String AGGREGATED =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

  private Discovery() {}

  /**
   * Returns the list of groups.
   *
   * @param accept what the client accepts, which decides the format
   */
  static HttpAnswer groups(String accept) {
    if (accept.replace(" ", "").contains(AGGREGATED)) {
      return new HttpAnswer(
          200, AGGREGATED, aggregated().toString().getBytes(StandardCharsets.UTF_8));
    }
    ObjectNode list = plain("APIGroupList", "v1");
    list.putArray("groups").add(groupItem());
    return ApiStatus.json(200, list);
  }

  /** Returns the group. */
  static HttpAnswer group() {
    ObjectNode group = plain("APIGroup", "v1");
    group.setAll(groupItem());
    return ApiStatus.json(200, group);
  }

  private static ObjectNode groupItem() {
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("name", QueryApi.GROUP);
    item.putArray("versions").add(version());
    item.set("preferredVersion", version());
    return item;
  }

  private static ObjectNode version() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("groupVersion", QueryApi.API_VERSION)
        .put("version", QueryApi.VERSION);
  }

  /** Returns the resources of the version. */
  static HttpAnswer resources() {
    ObjectNode list = plain("APIResourceList", "v1").put("groupVersion", QueryApi.API_VERSION);
    ArrayNode items = list.putArray("resources");
    for (QueryResource resource : QueryResource.values()) {
      ObjectNode item =
          items
              .addObject()
              .put("name", resource.plural())
              .put("singularName", resource.singular())
              .put("namespaced", resource.isNamespaced())
              .put("kind", resource.kind());
      resource.verbs().forEach(item.putArray("verbs")::add);
      if (resource == QueryResource.DECISIONS) {
        items
            .addObject()
            .put("name", resource.plural() + "/" + QueryResource.NODES)
            .put("singularName", "")
            .put("namespaced", true)
            .put("kind", QueryResource.NODE_VERDICT)
            .putArray("verbs")
            .add("get");
      }
    }
    return ApiStatus.json(200, list);
  }

  private static ObjectNode aggregated() {
    ObjectNode list = plain("APIGroupDiscoveryList", "apidiscovery.k8s.io/v2");
    ObjectNode group = list.putArray("items").addObject();
    group.putObject("metadata").put("name", QueryApi.GROUP);
    ObjectNode version =
        group
            .putArray("versions")
            .addObject()
            .put("version", QueryApi.VERSION)
            .put("freshness", "Current");
    ArrayNode items = version.putArray("resources");
    for (QueryResource resource : QueryResource.values()) {
      ObjectNode item =
          items
              .addObject()
              .put("resource", resource.plural())
              .put("scope", resource.isNamespaced() ? "Namespaced" : "Cluster")
              .put("singularResource", resource.singular());
      kind(item, resource.kind());
      resource.verbs().forEach(item.putArray("verbs")::add);
      if (resource == QueryResource.DECISIONS) {
        ObjectNode part =
            item.putArray("subresources").addObject().put("subresource", QueryResource.NODES);
        kind(part, QueryResource.NODE_VERDICT);
        part.putArray("verbs").add("get");
      }
    }
    return list;
  }

  private static void kind(ObjectNode item, String kind) {
    item.putObject("responseKind")
        .put("group", QueryApi.GROUP)
        .put("version", QueryApi.VERSION)
        .put("kind", kind);
  }

  private static ObjectNode plain(String kind, String apiVersion) {
    return JsonNodeFactory.instance.objectNode().put("kind", kind).put("apiVersion", apiVersion);
  }
}
