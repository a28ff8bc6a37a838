package io.berth.operator.reconcile;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time at which a part of an object was last written, taken from its managed fields, which have
 * a resolution of one second. Times recorded by an informer or in a status are later, depending on
 * Berth's load.
 */
final class WrittenAt {

  private WrittenAt() {}

  /**
   * Returns the time at which the spec was last written; empty if it is unknown.
   *
   * @param conditions the conditions of the object's status, used if its managed fields were
   *     removed
   */
  static Optional<Instant> spec(HasMetadata object, List<Condition> conditions) {
    ObjectMeta metadata = object.getMetadata();
    Optional<Instant> recorded = last(metadata.getManagedFields(), "f:spec", null);
    long generation = StatusReconciler.generation(object);
    return recorded
        .or(() -> generation <= 1 ? created(metadata) : Optional.empty())
        .or(() -> Conditions.servedSince(conditions, generation));
  }

  /**
   * Returns the time at which the labels were last written; the earliest possible time if it is
   * unknown.
   */
  static Instant labels(HasMetadata object) {
    return last(object.getMetadata().getManagedFields(), "f:metadata", "f:labels")
        .orElse(Instant.EPOCH);
  }

  /**
   * Returns the time at which the data of a ConfigMap was last written, or else its creation time.
   */
  static Optional<Instant> data(HasMetadata configMap) {
    return last(configMap.getMetadata().getManagedFields(), "f:data", null)
        .or(() -> created(configMap.getMetadata()));
  }

  private static Optional<Instant> created(ObjectMeta metadata) {
    return Optional.ofNullable(metadata.getCreationTimestamp()).map(Instant::parse);
  }

  /** Returns the time of the last write of a field by any manager, except through a subresource. */
  private static Optional<Instant> last(
      @Nullable Collection<ManagedFieldsEntry> entries, String field, @Nullable String within) {
    return entries == null
        ? Optional.empty()
        : entries.stream()
            .filter(entry -> entry.getTime() != null && owns(entry, field, within))
            .map(entry -> Instant.parse(entry.getTime()))
            .max(Instant::compareTo);
  }

  private static boolean owns(ManagedFieldsEntry entry, String field, @Nullable String within) {
    if (entry.getFieldsV1() == null
        || (entry.getSubresource() != null && !entry.getSubresource().isEmpty())) {
      return false;
    }
    @Nullable Object owned = entry.getFieldsV1().getAdditionalProperties().get(field);
    return owned != null
        && (within == null || (owned instanceof Map<?, ?> fields && fields.containsKey(within)));
  }
}
