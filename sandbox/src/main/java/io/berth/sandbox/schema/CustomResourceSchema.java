package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.List;
import java.util.Optional;

/**
 * The compiled schema of one version of a custom resource. May be used by several threads at once.
 */
public interface CustomResourceSchema {

  /**
   * Removes fields that the schema does not know.
   *
   * @return their paths, as {@code spec.foo} or {@code spec.items[0].foo}, for the fieldValidation
   *     of the request
   */
  List<String> prune(ObjectNode object);

  /** Fills in defaults, in place. */
  void applyDefaults(ObjectNode object);

  /**
   * Returns the problems of an object, by structure and by CEL rules, including transition rules.
   *
   * @param object the object to be stored; it is not changed
   * @param old the object before; empty for a create
   */
  List<FieldError> validate(ObjectNode object, Optional<ObjectNode> old);
}
