package io.berth.webhook.binding;

import java.util.List;
import java.util.Optional;

/**
 * The objects of one kind that the API server listed.
 *
 * @param kind the kind that was listed
 * @param namespace the only namespace that was listed
 * @param name the only name that was listed
 * @param resourceVersion the list's own
 * @param objects the objects that there were
 */
public record ListedState(
    String kind,
    Optional<String> namespace,
    Optional<String> name,
    long resourceVersion,
    List<ObjectVersion> objects) {

  /** Returns whether the list would hold the object if it existed. */
  boolean covers(ObjectVersion object) {
    return object.kind().equals(kind)
        && namespace.map(object.namespace()::equals).orElse(true)
        && name.map(object.name()::equals).orElse(true);
  }
}
