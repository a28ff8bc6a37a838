package io.berth.webhook.binding;

import java.util.List;
import java.util.Optional;

/**
 * The result of listing the objects of one kind from the API server.
 *
 * @param kind the kind that was listed
 * @param namespace the namespace that was listed; empty for all namespaces
 * @param name the name that the list was restricted to; empty for all names
 * @param resourceVersion the resource version of the list
 * @param objects the listed objects
 */
public record ListedState(
    String kind,
    Optional<String> namespace,
    Optional<String> name,
    long resourceVersion,
    List<ObjectVersion> objects) {

  /** Returns whether the list would contain the object if it existed. */
  boolean covers(ObjectVersion object) {
    return object.kind().equals(kind)
        && namespace.map(object.namespace()::equals).orElse(true)
        && name.map(object.name()::equals).orElse(true);
  }
}
