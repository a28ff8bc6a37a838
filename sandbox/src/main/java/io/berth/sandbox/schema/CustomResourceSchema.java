package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.List;
import java.util.Optional;

/** The compiled schema of a version of a custom resource. Thread-safe. */
public interface CustomResourceSchema {

  /**
   * Removes unknown fields, in place.
   *
   * @return the paths of the removed fields, such as {@code spec.foo} or {@code spec.items[0].foo},
   *     for field validation
   */
  List<String> prune(ObjectNode object);

  /** Sets defaults, in place. */
  void applyDefaults(ObjectNode object);

  /**
   * Validates an object against the structure of the schema and its CEL rules, including transition
   * rules.
   *
   * @param object the object to store; not modified
   * @param old the existing object; empty for a create
   * @return the validation errors; empty if the object is valid
   */
  List<FieldError> validate(ObjectNode object, Optional<ObjectNode> old);
}
