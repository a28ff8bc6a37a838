package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** Equality of JSON values as defined by the API server, where 1 and 1.0 are equal. */
final class JsonValues {
  private JsonValues() {}

  // Trees share unchanged subtrees, so identical references are equal. Different references prove
  // nothing.
  @SuppressWarnings("ReferenceEquality")
  static boolean equal(JsonNode left, JsonNode right) {
    if (left == right) {
      return true;
    }
    if (left.isNumber() && right.isNumber()) {
      if (left.canConvertToLong()
          && right.canConvertToLong()
          && left.isIntegralNumber()
          && right.isIntegralNumber()) {
        return left.longValue() == right.longValue();
      }
      return (left.isIntegralNumber() && right.isIntegralNumber())
          ? left.bigIntegerValue().equals(right.bigIntegerValue())
          : left.decimalValue().compareTo(right.decimalValue()) == 0;
    }
    if (left instanceof ObjectNode a && right instanceof ObjectNode b) {
      if (a.size() != b.size()) {
        return false;
      }
      for (Map.Entry<String, JsonNode> member : a.properties()) {
        JsonNode other = b.get(member.getKey());
        if (other == null || !equal(member.getValue(), other)) {
          return false;
        }
      }
      return true;
    }
    if (left instanceof ArrayNode a && right instanceof ArrayNode b) {
      if (a.size() != b.size()) {
        return false;
      }
      for (int i = 0; i < a.size(); i++) {
        if (!equal(a.get(i), b.get(i))) {
          return false;
        }
      }
      return true;
    }
    return left.equals(right);
  }
}
