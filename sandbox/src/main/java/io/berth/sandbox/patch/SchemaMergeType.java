package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.openapi.SchemaNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The merge type defined by the x-kubernetes extensions of a schema. Nested types are created on
 * first use and cached, because every write traverses them. Thread-safe.
 */
final class SchemaMergeType implements MergeType {
  private final SchemaNode schema;
  private final boolean atomic;
  private final Items items;
  private final List<String> keys;
  private final List<String> strategies;
  private final String patchKey;
  private final Map<String, MergeType> members = new ConcurrentHashMap<>();
  private volatile @Nullable MergeType item;
  private volatile @Nullable MergeType value;

  /** Creates the merge type of a schema. */
  SchemaMergeType(SchemaNode schema) {
    this.schema = schema;
    this.atomic = schema.mapType().equals("atomic");
    this.items =
        switch (schema.listType()) {
          case "map" -> Items.MAP;
          case "set" -> Items.SET;
          default -> Items.ATOMIC;
        };
    this.keys = List.copyOf(schema.listMapKeys());
    this.strategies = schema.patchStrategies();
    this.patchKey = schema.patchMergeKey();
  }

  private static MergeType of(Optional<SchemaNode> schema) {
    return schema.<MergeType>map(SchemaMergeType::new).orElse(DEDUCED);
  }

  @Override
  public MergeType member(String name) {
    MergeType known = members.get(name);
    if (known != null) {
      return known;
    }
    Optional<SchemaNode> property = schema.property(name);
    // Keys of additional properties are chosen by clients and share one type, so they are not
    // cached.
    return property.isPresent() ? members.computeIfAbsent(name, ignored -> of(property)) : values();
  }

  private MergeType values() {
    MergeType known = value;
    if (known == null) {
      known = of(schema.values());
      value = known;
    }
    return known;
  }

  @Override
  public MergeType item() {
    MergeType known = item;
    if (known == null) {
      known = of(schema.items());
      item = known;
    }
    return known;
  }

  @Override
  public boolean atomic() {
    return atomic;
  }

  @Override
  public Items items() {
    return items;
  }

  @Override
  public List<String> keys() {
    return keys;
  }

  @Override
  public @Nullable JsonNode keyDefault(String key) {
    return schema
        .items()
        .flatMap(each -> each.property(key))
        .map(property -> property.json().get("default"))
        .orElse(null);
  }

  @Override
  public boolean patchMerges() {
    return strategies.contains("merge");
  }

  @Override
  public @Nullable String patchKey() {
    return patchKey.isEmpty() ? null : patchKey;
  }

  @Override
  public boolean patchReplaces() {
    return strategies.contains("replace");
  }
}
