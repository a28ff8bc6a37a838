package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.openapi.SchemaNode;
import java.util.Optional;

/** Applies JSON, merge and strategic-merge patches. */
public interface PatchApplier {

  /**
   * The patched object.
   *
   * @param type any but {@link PatchType#APPLY}
   * @param current the object as it is; it is not changed
   * @param patch the decoded body: an array for a JSON patch, else an object
   * @param schema the kind's schema, from which strategic merge takes strategies and keys; empty if
   *     the kind has none
   * @return a tree of the caller's own
   * @throws io.berth.sandbox.failure.ApiException 400 or 422 in the real server's words if the
   *     patch is malformed or cannot be applied
   */
  ObjectNode apply(PatchType type, ObjectNode current, JsonNode patch, Optional<SchemaNode> schema);
}
