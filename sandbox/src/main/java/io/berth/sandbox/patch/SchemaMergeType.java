package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.openapi.SchemaNode;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The merge type that a schema's x-kubernetes extensions declare. */
final class SchemaMergeType implements MergeType {
  private final SchemaNode schema;

  private SchemaMergeType(SchemaNode schema) {
    this.schema = schema;
  }

  /** The type of whole objects; their metadata is what every object's is. */
  static MergeType ofKind(SchemaNode schema, MergeType objectMeta) {
    SchemaMergeType root = new SchemaMergeType(schema);
    return new MergeType() {
      @Override
      public MergeType member(String name) {
        return name.equals("metadata") ? objectMeta : root.member(name);
      }
    };
  }

  private static MergeType of(Optional<SchemaNode> schema) {
    return schema.<MergeType>map(SchemaMergeType::new).orElse(DEDUCED);
  }

  @Override
  public MergeType member(String name) {
    return of(schema.property(name).or(schema::values));
  }

  @Override
  public MergeType item() {
    return of(schema.items());
  }

  @Override
  public boolean atomic() {
    return schema.mapType().equals("atomic");
  }

  @Override
  public Items items() {
    return switch (schema.listType()) {
      case "map" -> Items.MAP;
      case "set" -> Items.SET;
      default -> Items.ATOMIC;
    };
  }

  @Override
  public List<String> keys() {
    return schema.listMapKeys();
  }

  @Override
  public @Nullable JsonNode keyDefault(String key) {
    return schema
        .items()
        .flatMap(item -> item.property(key))
        .map(property -> property.json().get("default"))
        .orElse(null);
  }

  @Override
  public boolean patchMerges() {
    return schema.patchStrategies().contains("merge");
  }

  @Override
  public @Nullable String patchKey() {
    String key = schema.patchMergeKey();
    return key.isEmpty() ? null : key;
  }

  @Override
  public boolean patchReplaces() {
    return schema.patchStrategies().contains("replace");
  }
}
