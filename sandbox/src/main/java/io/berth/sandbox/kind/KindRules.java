package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.List;

/** The API server's rules for the objects of one kind. The default is nothing. */
public interface KindRules {
  /** A kind without rules of its own. */
  KindRules NONE = new KindRules() {};

  /**
   * Fills in defaults, in place. Called for creates, and for updates of anything but the status.
   */
  default void applyDefaults(ObjectNode object) {}

  /**
   * Resets what clients may not set when they create, in place. The status is gone already unless
   * {@link #keepsStatusOnCreate()}.
   */
  default void prepareForCreate(ObjectNode object) {}

  /** Adds to a new object what follows from it, in place, once admission has changed it. */
  default void prepareToStore(ObjectNode object) {}

  /**
   * Resets what clients may not change, in place. Called for updates of the object itself, not of
   * its status.
   */
  default void prepareForUpdate(ObjectNode object, ObjectNode old) {}

  /**
   * Resets what may not be changed through a subresource other than status, in place; what the
   * subresource is not about becomes again as it was.
   */
  default void prepareForUpdate(String subresource, ObjectNode object, ObjectNode old) {}

  /** Returns whether a subresource may change what an update of the object itself may not. */
  default boolean changesSpecThrough(String subresource) {
    return false;
  }

  /** Returns the problems of a new object, except those of its metadata. */
  default List<FieldError> validateCreate(ObjectNode object) {
    return List.of();
  }

  /** Returns the problems of a changed object, except those of its metadata. */
  default List<FieldError> validateUpdate(ObjectNode object, ObjectNode old) {
    return validateCreate(object);
  }

  /**
   * Returns the problems of an object that was changed through a subresource, except those of its
   * metadata.
   */
  default List<FieldError> validateUpdate(String subresource, ObjectNode object, ObjectNode old) {
    return validateUpdate(object, old);
  }

  /** Returns whether a create may bring a status, as of nodes. */
  default boolean keepsStatusOnCreate() {
    return false;
  }

  /** Returns whether metadata.generation counts changes of the spec. */
  default boolean countsGenerations() {
    return false;
  }

  /** Returns whether an update without resourceVersion is taken as unconditional. */
  default boolean allowsUnconditionalUpdate() {
    return true;
  }

  /** Returns whether a PUT of what is not there creates it. */
  default boolean createsOnUpdate() {
    return false;
  }

  /** Returns whether a delete that does not say otherwise leaves alone what an object owns. */
  default boolean orphansByDefault() {
    return false;
  }

  /** Returns the format of the kind's names. */
  default NameFormat nameFormat() {
    return NameFormat.SUBDOMAIN;
  }
}
