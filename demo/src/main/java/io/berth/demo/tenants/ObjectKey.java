package io.berth.demo.tenants;

import com.fasterxml.jackson.databind.JsonNode;

/** The identity of an object; its namespace is empty for a kind without namespaces. */
public record ObjectKey(String kind, String namespace, String name)
    implements Comparable<ObjectKey> {

  /** Returns the identity of an object. */
  public static ObjectKey of(JsonNode object) {
    JsonNode metadata = object.path("metadata");
    return new ObjectKey(
        object.path("kind").asText(),
        metadata.path("namespace").asText(""),
        metadata.path("name").asText());
  }

  /** Returns the identity of a pod. */
  public static ObjectKey pod(String namespace, String name) {
    return new ObjectKey("Pod", namespace, name);
  }

  /** Returns the identity of a node. */
  public static ObjectKey node(String name) {
    return new ObjectKey("Node", "", name);
  }

  @Override
  public int compareTo(ObjectKey other) {
    int byKind = kind.compareTo(other.kind);
    int byNamespace = byKind == 0 ? namespace.compareTo(other.namespace) : byKind;
    return byNamespace == 0 ? name.compareTo(other.name) : byNamespace;
  }
}
