package io.berth.webhook.affinity;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.ParameterType;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.affinity.Shape.Fields;
import io.berth.webhook.affinity.Shape.Labels;
import io.berth.webhook.affinity.Shape.ListOf;
import io.berth.webhook.affinity.Shape.Text;
import io.berth.webhook.affinity.Shape.Whole;
import java.util.Map;

/** Checks that a tree has the expected shape, so that the rules need not check types. */
final class ShapeCheck {

  private final FieldErrors errors;

  ShapeCheck(FieldErrors errors) {
    this.errors = errors;
  }

  boolean check(JsonNode node, Shape shape, String path) {
    return switch (shape) {
      case Text text -> text(node, path);
      case Whole whole -> whole(node, whole, path);
      case ListOf list -> list(node, list, path);
      case Labels labels -> labels(node, path);
      case Fields fields -> fields(node, fields, path);
    };
  }

  private boolean text(JsonNode node, String path) {
    if (node.isTextual() || Tree.isUndetermined(node, ParameterType.STRING)) {
      return true;
    }
    return wrong(node, path, "must be a string");
  }

  private boolean whole(JsonNode node, Whole whole, String path) {
    if (Tree.isUndetermined(node, ParameterType.INTEGER)) {
      return true;
    }
    if (node.isIntegralNumber()
        && (whole.wide() ? node.canConvertToLong() : node.canConvertToInt())) {
      return true;
    }
    if (node.isIntegralNumber()) {
      return wrong(node, path, "does not fit in " + (whole.wide() ? 64 : 32) + " bits");
    }
    if (Tree.isUndetermined(node, ParameterType.STRING)) {
      return wrong(
          node,
          path,
          "must be an integer: declare the parameter with type integer, and use the interpolation"
              + " alone");
    }
    return wrong(node, path, "must be an integer, without quotes");
  }

  private boolean list(JsonNode node, ListOf list, String path) {
    if (!node.isArray()) {
      return wrong(
          node,
          path,
          Tree.isUndetermined(node, ParameterType.STRING_LIST)
              ? "must be a list: use the interpolation as an item, [\"${...}\"]"
              : "must be a list");
    }
    boolean well = true;
    for (int i = 0; i < node.size(); i++) {
      JsonNode item = node.get(i);
      if (!(list.item() instanceof Text && Tree.isUndetermined(item, ParameterType.STRING_LIST))) {
        well &= check(item, list.item(), path + "[" + i + "]");
      }
    }
    return well;
  }

  private boolean labels(JsonNode node, String path) {
    if (!node.isObject()) {
      return wrong(node, path, "must be an object of label names and values");
    }
    boolean well = true;
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      if (!entry.getKey().equals(Tree.CONDITION)) {
        well &= text(entry.getValue(), path + "[" + entry.getKey() + "]");
      }
    }
    return well;
  }

  private boolean fields(JsonNode node, Fields fields, String path) {
    if (!node.isObject()) {
      return wrong(node, path, "must be an object");
    }
    boolean well = true;
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      Shape shape = fields.fields().get(entry.getKey());
      if (shape != null) {
        boolean absent = entry.getValue().isNull();
        well &= absent || check(entry.getValue(), shape, path + "." + entry.getKey());
      } else if (!entry.getKey().equals(Tree.CONDITION)) {
        errors.invalid(
            path,
            entry.getKey(),
            "unknown field; accepted: "
                + String.join(", ", fields.fields().keySet().stream().sorted().toList())
                + NearestName.question(entry.getKey(), fields.fields().keySet()));
        well = false;
      }
    }
    for (String required : fields.required()) {
      if (node.path(required).isMissingNode() || node.path(required).isNull()) {
        errors.required(path + "." + required, "must be specified");
        well = false;
      }
    }
    return well;
  }

  private boolean wrong(JsonNode node, String path, String words) {
    errors.invalid(path, describe(node), words);
    return false;
  }

  private static String describe(JsonNode node) {
    if (node.isPojo()) {
      return "a " + Tree.typeOf(node).wireName();
    }
    return node.isContainerNode() ? (node.isArray() ? "a list" : "an object") : node.asText();
  }
}
