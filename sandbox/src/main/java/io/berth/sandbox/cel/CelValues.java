package io.berth.sandbox.cel;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.values.NullValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Conversion of JSON to CEL values. */
public final class CelValues {
  private CelValues() {}

  /** Returns the CEL value of JSON without a schema. */
  public static Object of(JsonNode node) {
    if (node.isTextual()) {
      return node.textValue();
    }
    if (node.isBoolean()) {
      return node.booleanValue();
    }
    if (node.isNumber()) {
      return node.isIntegralNumber() ? (Object) node.longValue() : (Object) node.doubleValue();
    }
    if (node.isArray()) {
      List<Object> list = new ArrayList<>(node.size());
      node.forEach(item -> list.add(of(item)));
      return list;
    }
    if (node.isObject()) {
      Map<String, Object> map = new LinkedHashMap<>();
      node.properties().forEach(member -> map.put(member.getKey(), of(member.getValue())));
      return map;
    }
    return NullValue.NULL_VALUE;
  }
}
