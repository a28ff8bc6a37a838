package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.openapi.SchemaNode;
import java.util.Optional;

/** Server-side apply and the tracking of field ownership that it requires. */
public interface ServerSideApply {

  /**
   * Merges an applied configuration into the live object, updates field ownership, and removes
   * fields that the manager no longer applies.
   *
   * @param live the current object, not modified; empty if the apply creates it
   * @param applied the configuration, without managedFields; not modified
   * @param writer the author of the apply
   * @param force whether to take over fields that other managers own
   * @param schema the kind's schema; empty if it has none
   * @return a new tree with metadata.managedFields, owned by the caller
   * @throws io.berth.sandbox.failure.ApiException 409 with one cause {@code FieldManagerConflict}
   *     per field that another manager owns
   */
  ObjectNode apply(
      Optional<ObjectNode> live,
      ObjectNode applied,
      FieldWriter writer,
      boolean force,
      Optional<SchemaNode> schema);

  /**
   * Records in {@code updated} the fields that a create, update, or patch of another type has set
   * or changed, and removes them from other managers.
   *
   * @param live the previous object; empty for a create
   * @param updated the object to store, whose metadata.managedFields is set. A client resets
   *     managedFields by sending a list with a single empty entry
   * @param writer the author of the write
   * @param schema the kind's schema; empty if it has none
   */
  void trackUpdate(
      Optional<ObjectNode> live,
      ObjectNode updated,
      FieldWriter writer,
      Optional<SchemaNode> schema);
}
