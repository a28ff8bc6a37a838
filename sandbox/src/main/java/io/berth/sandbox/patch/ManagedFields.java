package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The content of {@code metadata.managedFields}: the fields owned by each manager. */
final class ManagedFields {
  /**
   * The identity of a field manager. For appliers, the API version is not part of the identity; it
   * only defines the format of the field set.
   */
  record Manager(String name, String operation, String apiVersion, String subresource) {
    static Manager applier(String name, String subresource) {
      return new Manager(name, "Apply", "", subresource);
    }

    static Manager updater(String name, String apiVersion, String subresource) {
      return new Manager(name, "Update", apiVersion, subresource);
    }
  }

  /** The owned fields with their API version and the time of the last change. */
  record Owned(FieldSet fields, String apiVersion, @Nullable String time) {}

  private final Map<Manager, Owned> managers = new LinkedHashMap<>();

  static ManagedFields parse(@Nullable JsonNode entries) {
    ManagedFields parsed = new ManagedFields();
    if (entries != null) {
      for (JsonNode entry : entries) {
        String operation = entry.path("operation").asText("");
        if (operation.isEmpty()) {
          continue;
        }
        String version = entry.path("apiVersion").asText("");
        Manager manager =
            new Manager(
                entry.path("manager").asText(""),
                operation,
                operation.equals("Apply") ? "" : version,
                entry.path("subresource").asText(""));
        FieldSet fields = FieldSet.parse(entry.path("fieldsV1"));
        JsonNode time = entry.get("time");
        parsed.managers.put(
            manager, new Owned(fields, version, time == null ? null : time.asText()));
      }
    }
    return parsed;
  }

  Map<Manager, Owned> byManager() {
    return managers;
  }

  @Nullable Owned of(Manager manager) {
    return managers.get(manager);
  }

  ManagedFields copy() {
    ManagedFields copy = new ManagedFields();
    copy.managers.putAll(managers);
    return copy;
  }

  void put(Manager manager, FieldSet fields, String apiVersion) {
    Owned old = managers.get(manager);
    if (fields.isEmpty()) {
      managers.remove(manager);
    } else {
      managers.put(manager, new Owned(fields, apiVersion, old == null ? null : old.time));
    }
  }

  /** Sets the time of a manager's entry. Other managers keep theirs. */
  void stamp(Manager writer, Instant now) {
    String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
    managers.computeIfPresent(
        writer, (manager, owned) -> new Owned(owned.fields, owned.apiVersion, time));
  }

  boolean sameAs(ManagedFields other) {
    if (!managers.keySet().equals(other.managers.keySet())) {
      return false;
    }
    for (Map.Entry<Manager, Owned> entry : managers.entrySet()) {
      Owned theirs = other.managers.get(entry.getKey());
      if (theirs == null
          || !entry.getValue().fields.equals(theirs.fields)
          || !entry.getValue().apiVersion.equals(theirs.apiVersion)) {
        return false;
      }
    }
    return true;
  }

  ArrayNode toJson() {
    List<Map.Entry<Manager, Owned>> entries = new ArrayList<>(managers.entrySet());
    entries.sort(
        Comparator.<Map.Entry<Manager, Owned>, String>comparing(e -> e.getKey().operation)
            .thenComparing(e -> Objects.requireNonNullElse(e.getValue().time, ""))
            .thenComparing(e -> e.getKey().name)
            .thenComparing(e -> e.getValue().apiVersion)
            .thenComparing(e -> e.getKey().subresource));
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (Map.Entry<Manager, Owned> entry : entries) {
      ObjectNode node = list.addObject();
      node.put("apiVersion", entry.getValue().apiVersion);
      node.put("fieldsType", "FieldsV1");
      node.set("fieldsV1", entry.getValue().fields.toFieldsV1());
      node.put("manager", entry.getKey().name);
      node.put("operation", entry.getKey().operation);
      if (!entry.getKey().subresource.isEmpty()) {
        node.put("subresource", entry.getKey().subresource);
      }
      if (entry.getValue().time != null) {
        node.put("time", entry.getValue().time);
      }
    }
    return list;
  }
}
