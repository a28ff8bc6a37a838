package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.openapi.SchemaNode;
import java.util.Optional;

/** Server-side apply and the ownership of fields it needs. */
public interface ServerSideApply {

  /**
   * Merges an applied configuration into the live object, moves ownership, removes what the manager
   * applied before and no longer does.
   *
   * @param live the object as it is, not changed; empty if the apply creates it
   * @param applied the configuration, without managedFields; not changed
   * @param writer who applies
   * @param force whether fields that others own are taken over
   * @param schema the kind's schema; empty if it has none
   * @return a tree of the caller's own with metadata.managedFields
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
   * Records in {@code updated} which fields a create, an update or a patch of the other types has
   * set or changed, taking them from others.
   *
   * @param live the object before; empty for a create
   * @param updated the object to be stored; its metadata.managedFields is set. Clients reset it by
   *     sending an empty list
   * @param writer who writes
   * @param schema the kind's schema; empty if it has none
   */
  void trackUpdate(
      Optional<ObjectNode> live,
      ObjectNode updated,
      FieldWriter writer,
      Optional<SchemaNode> schema);
}
