package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Validation of an object against its schema, except CEL rules, with the API server's messages.
 * Values that an update does not change are not validated, so they remain valid if the schema
 * becomes stricter (ratcheting).
 */
final class ValueValidation {
  private final List<FieldError> errors = new ArrayList<>();

  static List<FieldError> validate(
      ObjectNode object, @Nullable ObjectNode old, StructuralSchema schema) {
    ValueValidation validation = new ValueValidation();
    validation.value(object, old, schema, "");
    return validation.errors;
  }

  private static List<FieldError> against(JsonNode value, StructuralSchema schema, String path) {
    ValueValidation validation = new ValueValidation();
    validation.value(value, null, schema, path);
    return validation.errors;
  }

  private void value(JsonNode value, @Nullable JsonNode old, StructuralSchema schema, String path) {
    if (old != null && old.equals(value)) {
      return;
    }
    if (value.isNull() && schema.nullable) {
      return;
    }
    String mismatch = Types.mismatch(value, schema);
    if (!mismatch.isEmpty()) {
      String found = Types.name(value);
      errors.add(
          new FieldError(
              path,
              "FieldValueTypeInvalid",
              "Invalid value: \""
                  + found
                  + "\": "
                  + path
                  + " in body must be of type "
                  + mismatch
                  + ": \""
                  + found
                  + "\""));
      return;
    }
    constraints(value, schema, path);
    combinations(value, schema, path);
    if (value instanceof ObjectNode map) {
      members(map, old, schema, path);
    } else if (value instanceof ArrayNode list) {
      items(list, old, schema, path);
    }
  }

  private void constraints(JsonNode value, StructuralSchema schema, String path) {
    JsonNode allowed = schema.json.path("enum");
    if (!allowed.isEmpty() && !contains(allowed, value)) {
      List<String> names = new ArrayList<>();
      allowed.forEach(one -> names.add(one.isTextual() ? one.asText() : one.toString()));
      errors.add(FieldError.notSupported(path, GoValue.shown(value), names));
    }
    if (value.isTextual()) {
      text(value, schema, path);
    } else if (value.isNumber()) {
      number(value, schema, path);
    } else if (value.isArray()) {
      size(value, schema, path, "minItems", "maxItems", "items");
      if (schema.json.path("uniqueItems").asBoolean() && !unique(value)) {
        invalid(path, value, path + " in body shouldn't contain duplicates");
      }
    } else if (value.isObject()) {
      size(value, schema, path, "minProperties", "maxProperties", "properties");
    }
  }

  private static boolean contains(JsonNode allowed, JsonNode value) {
    for (JsonNode one : allowed) {
      if (one.equals(value)) {
        return true;
      }
    }
    return false;
  }

  private static boolean unique(JsonNode list) {
    Set<JsonNode> seen = new HashSet<>();
    for (JsonNode item : list) {
      if (!seen.add(item)) {
        return false;
      }
    }
    return true;
  }

  private void text(JsonNode value, StructuralSchema schema, String path) {
    String text = value.textValue();
    int length = text.codePointCount(0, text.length());
    JsonNode min = schema.json.get("minLength");
    if (min != null && length < min.asLong()) {
      invalid(path, value, path + " in body should be at least " + min.asText() + " chars long");
    }
    JsonNode max = schema.json.get("maxLength");
    if (max != null && length > max.asLong()) {
      String unit = max.asLong() == 1 ? "byte" : "bytes";
      errors.add(
          new FieldError(
              path,
              "FieldValueTooLong",
              "Too long: may not be more than " + max.asText() + " " + unit));
    }
    if (schema.pattern != null && !schema.pattern.matcher(text).find()) {
      invalid(path, value, path + " in body should match '" + schema.pattern.pattern() + "'");
    }
    String format = schema.json.path("format").asText("");
    if (!format.isEmpty() && !Formats.accepts(format, text)) {
      invalid(path, value, path + " in body must be of type " + format + ": " + value);
    }
  }

  private void number(JsonNode value, StructuralSchema schema, String path) {
    BigDecimal number = value.decimalValue();
    JsonNode min = schema.json.get("minimum");
    if (min != null) {
      boolean exclusive = schema.json.path("exclusiveMinimum").asBoolean();
      int order = number.compareTo(min.decimalValue());
      if (order < 0 || (exclusive && order == 0)) {
        String words = exclusive ? "greater than " : "greater than or equal to ";
        invalid(path, value, path + " in body should be " + words + min.asText());
      }
    }
    JsonNode max = schema.json.get("maximum");
    if (max != null) {
      boolean exclusive = schema.json.path("exclusiveMaximum").asBoolean();
      int order = number.compareTo(max.decimalValue());
      if (order > 0 || (exclusive && order == 0)) {
        String words = exclusive ? "less than " : "less than or equal to ";
        invalid(path, value, path + " in body should be " + words + max.asText());
      }
    }
    JsonNode factor = schema.json.get("multipleOf");
    if (factor != null && number.remainder(factor.decimalValue()).signum() != 0) {
      invalid(path, value, path + " in body should be a multiple of " + factor.asText());
    }
  }

  private void size(
      JsonNode value, StructuralSchema schema, String path, String min, String max, String what) {
    JsonNode least = schema.json.get(min);
    if (least != null && value.size() < least.asInt()) {
      errors.add(
          FieldError.invalid(
              path,
              value.size(),
              path + " in body should have at least " + least.asText() + " " + what));
    }
    JsonNode most = schema.json.get(max);
    if (most != null && value.size() > most.asInt()) {
      errors.add(
          new FieldError(
              path,
              "FieldValueTooMany",
              "Too many: "
                  + value.size()
                  + ": must have at most "
                  + most.asText()
                  + (most.asInt() == 1 ? " item" : " items")));
    }
  }

  private void combinations(JsonNode value, StructuralSchema schema, String path) {
    for (StructuralSchema each : schema.allOf) {
      errors.addAll(against(value, each, path));
    }
    if (!schema.anyOf.isEmpty()
        && schema.anyOf.stream().noneMatch(each -> against(value, each, path).isEmpty())) {
      composite(path, "must validate at least one schema (anyOf)");
    }
    if (!schema.oneOf.isEmpty()) {
      long valid =
          schema.oneOf.stream().filter(each -> against(value, each, path).isEmpty()).count();
      if (valid != 1) {
        String found = valid == 0 ? "Found none valid" : "Found " + valid + " valid alternatives";
        composite(path, "must validate one and only one schema (oneOf). " + found);
      }
    }
    StructuralSchema not = schema.not;
    if (not != null && against(value, not, path).isEmpty()) {
      composite(path, "must not validate the schema (not)");
    }
  }

  private void composite(String path, String words) {
    errors.add(FieldError.invalid("<nil>", "", "\"" + path + "\" " + words));
  }

  private void members(
      ObjectNode map, @Nullable JsonNode old, StructuralSchema schema, String path) {
    for (String name : schema.required) {
      if (!map.has(name)) {
        errors.add(FieldError.required(child(path, name), ""));
      }
    }
    for (Map.Entry<String, JsonNode> member : map.properties()) {
      StructuralSchema declared = schema.member(member.getKey());
      if (declared != null) {
        value(
            member.getValue(),
            old == null ? null : old.get(member.getKey()),
            declared,
            child(path, member.getKey()));
      }
    }
  }

  private void items(ArrayNode list, @Nullable JsonNode old, StructuralSchema schema, String path) {
    StructuralSchema items = schema.items;
    if (items != null) {
      for (int i = 0; i < list.size(); i++) {
        JsonNode before = ListTypes.correlated(list, i, old, schema);
        value(list.get(i), before, items, path + "[" + i + "]");
      }
    }
    errors.addAll(ListTypes.duplicates(list, schema, path));
  }

  private void invalid(String path, JsonNode value, String detail) {
    errors.add(FieldError.invalid(path, GoValue.shown(value), detail));
  }

  static String child(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
