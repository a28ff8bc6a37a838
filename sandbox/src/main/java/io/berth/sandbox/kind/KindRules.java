package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.List;

/**
 * The API server's rules for the objects of one kind: defaults, create and update strategies, and
 * validation. By default, a kind has no special rules.
 */
public interface KindRules {
  /** The rules of a kind that has none of its own. */
  KindRules NONE = new KindRules() {};

  /** Sets defaults, in place. Called for creates, and for updates of anything but the status. */
  default void applyDefaults(ObjectNode object) {}

  /**
   * Resets, in place, the fields that clients may not set on create. The status has already been
   * removed unless {@link #keepsStatusOnCreate()} is true.
   */
  default void prepareForCreate(ObjectNode object) {}

  /** Sets, in place, the derived fields of a new object after mutating admission. */
  default void prepareToStore(ObjectNode object) {}

  /**
   * Resets, in place, the fields that clients may not change. Called for updates of the object
   * itself, not of its status.
   */
  default void prepareForUpdate(ObjectNode object, ObjectNode old) {}

  /**
   * Resets, in place, all fields that a subresource other than status does not cover to their old
   * values.
   */
  default void prepareForUpdate(String subresource, ObjectNode object, ObjectNode old) {}

  /**
   * Returns whether a subresource may change parts of the spec that an update of the object itself
   * may not.
   */
  default boolean changesSpecThrough(String subresource) {
    return false;
  }

  /** Returns the validation errors of a new object, except those of its metadata. */
  default List<FieldError> validateCreate(ObjectNode object) {
    return List.of();
  }

  /** Returns the validation errors of an updated object, except those of its metadata. */
  default List<FieldError> validateUpdate(ObjectNode object, ObjectNode old) {
    return validateCreate(object);
  }

  /**
   * Returns the validation errors of an object that was updated through a subresource, except those
   * of its metadata.
   */
  default List<FieldError> validateUpdate(String subresource, ObjectNode object, ObjectNode old) {
    return validateUpdate(object, old);
  }

  /** Returns whether a create may set the status, as for nodes. */
  default boolean keepsStatusOnCreate() {
    return false;
  }

  /** Returns whether metadata.generation counts changes of the spec. */
  default boolean countsGenerations() {
    return false;
  }

  /**
   * Returns whether an update without a resourceVersion is accepted, as an unconditional update.
   */
  default boolean allowsUnconditionalUpdate() {
    return true;
  }

  /** Returns whether an update of a missing object creates it. */
  default boolean createsOnUpdate() {
    return false;
  }

  /** Returns whether a delete without a propagation policy orphans the dependents. */
  default boolean orphansByDefault() {
    return false;
  }

  /** Returns the format of the kind's names. */
  default NameFormat nameFormat() {
    return NameFormat.SUBDOMAIN;
  }
}
