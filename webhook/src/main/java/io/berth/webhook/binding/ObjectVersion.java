package io.berth.webhook.binding;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Objects;
import java.util.Optional;

/**
 * One state of one object.
 *
 * @param kind the object's kind, such as {@code SchedulerConfigBinding}
 * @param namespace the object's namespace, empty for kinds without
 * @param generation 0 where the kind has none
 * @param resourceVersion numbers of one API server can be compared; 0 where it gave none
 */
public record ObjectVersion(
    String kind, String namespace, String name, String uid, long generation, long resourceVersion) {

  /** The state that an object is in. */
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

  /** A resource version as a number; 0 for what is none. */
  public static long number(String resourceVersion) {
    boolean isNumber =
        !resourceVersion.isEmpty()
            && resourceVersion.length() <= 18
            && resourceVersion.chars().allMatch(c -> c >= '0' && c <= '9');
    return isNumber ? Long.parseLong(resourceVersion) : 0;
  }

  /** Returns the part that is the same for all states of an object. */
  String identity() {
    return String.join("/", kind, namespace, name);
  }

  /**
   * Returns whether both have the same content, apart from status: true only where that can be
   * known.
   */
  boolean saysTheSameAs(ObjectVersion other) {
    return generation > 0 && generation == other.generation && uid.equals(other.uid);
  }
}
