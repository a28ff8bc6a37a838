package io.berth.sandbox.patch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.patch.ManagedFields.Manager;
import io.berth.sandbox.patch.ManagedFields.Owned;
import io.berth.sandbox.store.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Server-side apply and the field ownership it relies on. Every write, whether an apply or not, is
 * tracked here, so that {@code metadata.managedFields} records which manager set which fields.
 *
 * <p>The rules are those of the API server's structured merge: an applier owns the fields in its
 * configuration. A field that was in its previous configuration but no longer is gets removed,
 * unless another manager owns it. Changing a field that another manager owns is a conflict, unless
 * the apply is forced.
 */
final class FieldOwnership {
  private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

  /** Fields without a manager, because the API server sets them. */
  private static final FieldSet UNMANAGED =
      FieldSet.of(
          List.of("f:apiVersion"),
          List.of("f:kind"),
          List.of("f:metadata", "f:name"),
          List.of("f:metadata", "f:namespace"),
          List.of("f:metadata", "f:creationTimestamp"),
          List.of("f:metadata", "f:selfLink"),
          List.of("f:metadata", "f:uid"),
          List.of("f:metadata", "f:generation"),
          List.of("f:metadata", "f:managedFields"),
          List.of("f:metadata", "f:resourceVersion"));

  private static final FieldSet METADATA = FieldSet.of(List.of("f:metadata"));

  private final MergeType type;
  private final FieldWriter writer;

  FieldOwnership(MergeType type, FieldWriter writer) {
    this.type = type;
    this.writer = writer;
  }

  /**
   * Returns the managed fields after a create, update, or patch; empty if the client reset them or
   * if no fields are managed.
   *
   * @param live the stored object, or null for a create
   */
  Optional<ArrayNode> update(@Nullable ObjectNode live, ObjectNode written) {
    JsonNode given = written.path("metadata").get("managedFields");
    if (given instanceof ArrayNode list && reset(list)) {
      return Optional.empty();
    }
    ManagedFields managed = base(live, given).copy();
    Comparison comparison =
        Comparison.of(bare(live == null ? emptyLike(written) : live), bare(written), type);
    String version = writer.apiVersion();
    Manager me = Manager.updater(writer.manager(), version, writer.subresource());
    release(managed, me, comparison);
    Owned mine = managed.of(me);
    FieldSet changed = managedOnly(comparison.written());
    FieldSet owned =
        managedOnly(
            (mine == null ? new FieldSet() : mine.fields())
                .minus(comparison.removed())
                .union(changed));
    managed.put(me, owned, version);
    if (!changed.isEmpty()) {
      managed.stamp(me, writer.time());
    }
    return managed.byManager().isEmpty() ? Optional.empty() : Optional.of(managed.toJson());
  }

  private ManagedFields base(@Nullable ObjectNode live, @Nullable JsonNode given) {
    if (writer.subresource().isEmpty() && given != null && !given.isEmpty()) {
      ManagedFields parsed = ManagedFields.parse(given);
      if (!parsed.byManager().isEmpty()) {
        return parsed;
      }
    }
    return ManagedFields.parse(live == null ? null : live.path("metadata").get("managedFields"));
  }

  private static boolean reset(ArrayNode list) {
    return list.size() == 1 && list.get(0).isEmpty();
  }

  /**
   * Returns the object after an apply.
   *
   * @param live the stored object, or null if there is none yet
   * @param force whether to take over fields that other managers own
   * @throws io.berth.sandbox.failure.ApiException 409 if another manager owns a field that would
   *     change
   */
  ObjectNode apply(@Nullable ObjectNode live, ObjectNode config, boolean force) {
    if (!config.path("metadata").path("managedFields").isMissingNode()
        && !config.path("metadata").path("managedFields").isEmpty()) {
      throw PatchFailures.badRequest("metadata.managedFields must be nil");
    }
    ObjectNode base = live == null ? emptyLike(config) : live;
    ManagedFields before = ManagedFields.parse(base.path("metadata").get("managedFields"));
    ManagedFields managed = before.copy();
    if (live != null && managed.byManager().isEmpty()) {
      FieldSet all = managedOnly(Comparison.of(emptyLike(live), bare(live), type).written());
      String version = live.path("apiVersion").asText();
      managed.put(Manager.updater("before-first-apply", version, ""), all, version);
    }
    ObjectNode liveBare = bare(base);
    ObjectNode configBare = bare(config);
    String version = config.path("apiVersion").asText();
    Manager me = Manager.applier(writer.manager(), writer.subresource());
    Owned last = managed.of(me);
    FieldSet claimed = managedOnly(FieldSets.of(configBare, type));
    JsonNode merged = TypedMerge.merge(liveBare, configBare, type);
    managed.put(me, claimed, version);
    ObjectNode result = prune(merged, managed, last);
    Comparison comparison = Comparison.of(liveBare, result, type);
    if (!force) {
      refuseConflicts(managed, me, comparison, base);
    }
    release(managed, me, comparison);
    boolean sameValues = live != null && JsonValues.equal(liveBare, result);
    if (live != null && sameValues && managed.sameAs(before)) {
      return live;
    }
    if (!sameValues) {
      managed.stamp(me, writer.time());
    }
    return withManagedFields(refreshLastApplied(result, live, config), managed);
  }

  /**
   * Updates the last-applied annotation of kubectl's client-side apply after a migration to
   * server-side apply.
   */
  private ObjectNode refreshLastApplied(
      ObjectNode result, @Nullable ObjectNode live, ObjectNode config) {
    if (!writer.manager().equals("kubectl")
        || live == null
        || !live.path("metadata").path("annotations").has(LAST_APPLIED)
        || !result.path("metadata").path("annotations").has(LAST_APPLIED)) {
      return result;
    }
    ObjectNode copy = result.deepCopy();
    ObjectNode kept = config.deepCopy();
    if (kept.path("metadata").path("annotations") instanceof ObjectNode annotations) {
      annotations.remove(LAST_APPLIED);
    }
    copy.withObject("/metadata/annotations").put(LAST_APPLIED, kept + "\n");
    return copy;
  }

  private ObjectNode prune(JsonNode merged, ManagedFields managed, @Nullable Owned last) {
    if (last == null || last.fields().isEmpty()) {
      return (ObjectNode) merged;
    }
    FieldSet dropped = last.fields().withFieldsAsMembers();
    JsonNode pruned = required(FieldSets.remove(merged, dropped, type));
    FieldSet all = FieldSets.of(merged, type).withFieldsAsMembers();
    FieldSet owned = new FieldSet();
    for (Owned each : managed.byManager().values()) {
      owned = owned.union(each.fields());
    }
    FieldSet kept =
        FieldSets.of(pruned, type).withFieldsAsMembers().union(owned.withFieldsAsMembers());
    pruned = required(FieldSets.remove(merged, all.minus(kept), type));
    FieldSet left = FieldSets.of(pruned, type).withFieldsAsMembers();
    FieldSet gone = all.minus(left).intersect(dropped);
    return (ObjectNode) required(FieldSets.remove(merged, gone, type));
  }

  private static JsonNode required(@Nullable JsonNode value) {
    return value == null ? JsonNodeFactory.instance.objectNode() : value;
  }

  /** Removes the changed and removed fields from the sets of the other managers. */
  private static void release(ManagedFields managed, Manager me, Comparison comparison) {
    FieldSet gone = comparison.written().union(comparison.removed());
    for (Map.Entry<Manager, Owned> other : new ArrayList<>(managed.byManager().entrySet())) {
      if (!other.getKey().equals(me)) {
        managed.put(
            other.getKey(), other.getValue().fields().minus(gone), other.getValue().apiVersion());
      }
    }
  }

  private void refuseConflicts(
      ManagedFields managed, Manager me, Comparison comparison, ObjectNode live) {
    Map<Manager, FieldSet> conflicts = new LinkedHashMap<>();
    for (Map.Entry<Manager, Owned> other : managed.byManager().entrySet()) {
      if (!other.getKey().equals(me)) {
        FieldSet both = other.getValue().fields().intersect(comparison.written());
        if (!both.isEmpty()) {
          conflicts.put(other.getKey(), both);
        }
      }
    }
    if (conflicts.isEmpty()) {
      return;
    }
    FieldSet lastApplied = lastApplied(live);
    if (conflicts.values().stream().allMatch(set -> set.minus(lastApplied).isEmpty())) {
      return;
    }
    throw Conflicts.refusal(conflicts, managed);
  }

  /**
   * Returns the fields that were set by kubectl's client-side apply, which kubectl may take over
   * without force.
   */
  private FieldSet lastApplied(ObjectNode live) {
    JsonNode annotation = live.path("metadata").path("annotations").get(LAST_APPLIED);
    if (annotation == null || !writer.manager().equals("kubectl")) {
      return new FieldSet();
    }
    try {
      return FieldSets.of(Json.MAPPER.readTree(annotation.asText()), type);
    } catch (JsonProcessingException e) {
      // A malformed annotation grants no fields.
      return new FieldSet();
    }
  }

  private FieldSet managedOnly(FieldSet set) {
    return set.withoutTrees(UNMANAGED).minus(METADATA);
  }

  private static ObjectNode bare(ObjectNode object) {
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    result.setAll(object);
    if (object.get("metadata") instanceof ObjectNode metadata) {
      ObjectNode rest = JsonNodeFactory.instance.objectNode();
      rest.setAll(metadata);
      rest.remove("managedFields");
      result.set("metadata", rest);
    }
    return result;
  }

  /** Returns an empty object of the same kind, with only apiVersion, kind, and metadata. */
  private static ObjectNode emptyLike(ObjectNode object) {
    ObjectNode empty = JsonNodeFactory.instance.objectNode();
    empty.set("apiVersion", object.get("apiVersion"));
    empty.set("kind", object.get("kind"));
    empty.putObject("metadata");
    return empty;
  }

  private static ObjectNode withManagedFields(ObjectNode object, @Nullable ManagedFields managed) {
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    result.setAll(object);
    ObjectNode metadata = JsonNodeFactory.instance.objectNode();
    if (object.get("metadata") instanceof ObjectNode old) {
      metadata.setAll(old);
    }
    metadata.remove("managedFields");
    if (managed != null && !managed.byManager().isEmpty()) {
      metadata.set("managedFields", managed.toJson());
    }
    result.set("metadata", metadata);
    return result;
  }

  /** The error messages of conflicts. */
  private static final class Conflicts {
    static ApiException refusal(Map<Manager, FieldSet> conflicts, ManagedFields managed) {
      List<FieldError> causes = new ArrayList<>();
      Map<String, List<String>> byWords = new TreeMap<>();
      conflicts.forEach(
          (manager, fields) -> {
            String who = words(manager, managed.of(manager));
            for (String path : fields.paths()) {
              causes.add(new FieldError(path, "FieldManagerConflict", "conflict with " + who));
              byWords.computeIfAbsent(who, ignored -> new ArrayList<>()).add(path);
            }
          });
      if (causes.size() == 1) {
        FieldError only = causes.getFirst();
        return Failures.applyConflict(
            "Apply failed with 1 conflict: " + only.message() + ": " + only.field(), causes);
      }
      List<String> lines = new ArrayList<>();
      byWords.forEach(
          (who, paths) -> {
            lines.add("conflicts with " + who + ":");
            paths.forEach(path -> lines.add("- " + path));
          });
      return Failures.applyConflict(
          "Apply failed with " + causes.size() + " conflicts: " + String.join("\n", lines), causes);
    }

    private static String words(Manager manager, @Nullable Owned owned) {
      String who = "\"" + manager.name() + "\"";
      if (!manager.subresource().isEmpty()) {
        who += " with subresource \"" + manager.subresource() + "\"";
      }
      if (manager.operation().equals("Update") && owned != null) {
        who += " using " + owned.apiVersion();
      }
      return who;
    }
  }
}
