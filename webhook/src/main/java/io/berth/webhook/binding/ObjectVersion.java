package io.berth.webhook.binding;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Objects;
import java.util.Optional;

/**
 * One version of one object.
 *
 * @param kind the object's kind, such as {@code SchedulerConfigBinding}
 * @param namespace the object's namespace; empty for cluster-scoped kinds
 * @param generation the object's generation; 0 if its kind has none
 * @param resourceVersion the object's resource version, comparable with others of the same API
 *     server; 0 if it is absent or not a number
 */
public record ObjectVersion(
    String kind, String namespace, String name, String uid, long generation, long resourceVersion) {

  /** Returns the current version of an object. */
  public static ObjectVersion of(HasMetadata object) {
    ObjectMeta metadata = object.getMetadata();
    return new ObjectVersion(
        object.getKind(),
        Objects.requireNonNullElse(metadata.getNamespace(), ""),
        metadata.getName(),
        Objects.requireNonNullElse(metadata.getUid(), ""),
        Optional.ofNullable(metadata.getGeneration()).orElse(0L),
        number(Objects.requireNonNullElse(metadata.getResourceVersion(), "")));
  }

  /** Parses a resource version; returns 0 for text that is not a number of at most 18 digits. */
  public static long number(String resourceVersion) {
    boolean isNumber =
        !resourceVersion.isEmpty()
            && resourceVersion.length() <= 18
            && resourceVersion.chars().allMatch(c -> c >= '0' && c <= '9');
    return isNumber ? Long.parseLong(resourceVersion) : 0;
  }

  /** Returns the part that is the same for all versions of an object. */
  String identity() {
    return String.join("/", kind, namespace, name);
  }

  /**
   * Returns whether both versions are known to have the same content, apart from metadata and
   * status. Always false for kinds without a generation.
   */
  boolean saysTheSameAs(ObjectVersion other) {
    return generation > 0 && generation == other.generation && uid.equals(other.uid);
  }
}
