package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import io.berth.sandbox.cel.CelValues;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The CEL types of a schema, and conversion of JSON to values of these types. With them, a rule
 * that refers to an undeclared field is rejected together with its CustomResourceDefinition.
 * Property names that are not CEL identifiers are escaped as in the API server.
 */
final class RuleTypes {
  private static final Set<String> RESERVED =
      Set.of(
          "true",
          "false",
          "null",
          "in",
          "as",
          "break",
          "const",
          "continue",
          "else",
          "for",
          "function",
          "if",
          "import",
          "let",
          "loop",
          "package",
          "namespace",
          "return",
          "var",
          "void",
          "while");

  private final Map<String, CelType> structs = new HashMap<>();

  CelType typeOf(@Nullable StructuralSchema schema, boolean wholeObject, String name) {
    if (schema == null || schema.intOrString) {
      return SimpleType.DYN;
    }
    return switch (schema.type) {
      case "string" -> SimpleType.STRING;
      case "integer" -> SimpleType.INT;
      case "number" -> SimpleType.DOUBLE;
      case "boolean" -> SimpleType.BOOL;
      case "array" -> ListType.create(typeOf(schema.items, false, name + ".@items"));
      case "object" -> objectType(schema, wholeObject, name);
      default -> SimpleType.DYN;
    };
  }

  private CelType objectType(StructuralSchema schema, boolean wholeObject, String name) {
    if (schema.preserveUnknown && schema.properties.isEmpty()) {
      return SimpleType.DYN;
    }
    if (schema.additional != null || schema.additionalAllowed) {
      return MapType.create(SimpleType.STRING, typeOf(schema.additional, false, name + ".@values"));
    }
    Map<String, CelType> fields = new LinkedHashMap<>();
    schema.properties.forEach(
        (property, type) ->
            fields.put(escaped(property), typeOf(type, false, name + "." + property)));
    if (wholeObject || schema.embedded) {
      fields.put("apiVersion", SimpleType.STRING);
      fields.put("kind", SimpleType.STRING);
      fields.put("metadata", metadata());
    }
    return struct(name, fields);
  }

  private CelType metadata() {
    return struct(
        "berth.ObjectMeta", Map.of("name", SimpleType.STRING, "generateName", SimpleType.STRING));
  }

  private CelType struct(String name, Map<String, CelType> fields) {
    ImmutableMap<String, CelType> known = ImmutableMap.copyOf(fields);
    StructType type =
        StructType.create(name, known.keySet(), field -> Optional.ofNullable(known.get(field)));
    structs.put(name, type);
    return type;
  }

  /** Returns a provider of the types created so far. */
  CelTypeProvider provider() {
    return new Provider(ImmutableMap.copyOf(structs));
  }

  private record Provider(ImmutableMap<String, CelType> structs) implements CelTypeProvider {
    @Override
    public ImmutableCollection<CelType> types() {
      return structs.values();
    }

    @Override
    public Optional<CelType> findType(String typeName) {
      return Optional.ofNullable(structs.get(typeName));
    }
  }

  static Object valueOf(JsonNode value, @Nullable StructuralSchema schema) {
    if (schema == null || schema.intOrString) {
      return CelValues.of(value);
    }
    if (value instanceof ObjectNode map) {
      boolean struct = schema.additional == null && !schema.additionalAllowed;
      Map<String, Object> members = new LinkedHashMap<>();
      map.properties()
          .forEach(
              member ->
                  members.put(
                      struct ? escaped(member.getKey()) : member.getKey(),
                      valueOf(member.getValue(), schema.member(member.getKey()))));
      return members;
    }
    if (value instanceof ArrayNode list) {
      List<Object> items = new ArrayList<>();
      list.forEach(item -> items.add(valueOf(item, schema.items)));
      return items;
    }
    if (value.isNumber() && schema.type.equals("number")) {
      return value.doubleValue();
    }
    return CelValues.of(value);
  }

  private static String escaped(String name) {
    if (RESERVED.contains(name)) {
      return "__" + name + "__";
    }
    return name.replace("__", "__underscores__")
        .replace(".", "__dot__")
        .replace("-", "__dash__")
        .replace("/", "__slash__");
  }
}
