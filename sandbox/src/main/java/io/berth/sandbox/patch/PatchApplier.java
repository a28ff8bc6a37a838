package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.openapi.SchemaNode;
import java.util.Optional;

/** Applies JSON patches, merge patches, and strategic merge patches. */
public interface PatchApplier {

  /**
   * Returns the patched object.
   *
   * @param type any but {@link PatchType#APPLY}
   * @param current the current object; not modified
   * @param patch the decoded body: an array for a JSON patch, otherwise an object
   * @param schema the schema of the kind, which defines strategies and keys for strategic merge;
   *     empty if the kind has none
   * @return a new tree, owned by the caller
   * @throws io.berth.sandbox.failure.ApiException 400, 413, or 422, with the real API server's
   *     message, if the patch is malformed, too large, or cannot be applied
   */
  ObjectNode apply(PatchType type, ObjectNode current, JsonNode patch, Optional<SchemaNode> schema);
}
