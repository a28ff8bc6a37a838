package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;

/** JSON types, named as in OpenAPI. */
final class Types {
  private Types() {}

  /** Returns the expected type if the value has another one; empty if it matches. */
  static String mismatch(JsonNode value, StructuralSchema schema) {
    if (schema.intOrString) {
      return integral(value) || value.isTextual() ? "" : "integer,string";
    }
    boolean fits =
        switch (schema.type) {
          case "string" -> value.isTextual();
          case "integer" -> integral(value);
          case "number" -> value.isNumber();
          case "boolean" -> value.isBoolean();
          case "object" -> value.isObject();
          case "array" -> value.isArray();
          default -> true;
        };
    return fits ? "" : schema.type;
  }

  private static boolean integral(JsonNode value) {
    return value.isNumber()
        && (value.isIntegralNumber() || value.decimalValue().stripTrailingZeros().scale() <= 0);
  }

  static String name(JsonNode value) {
    if (value.isNumber()) {
      return integral(value) ? "integer" : "number";
    }
    return switch (value.getNodeType()) {
      case STRING -> "string";
      case BOOLEAN -> "boolean";
      case OBJECT -> "object";
      case ARRAY -> "array";
      default -> "null";
    };
  }
}
