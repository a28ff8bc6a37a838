package io.berth.webhook.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.ParameterType;
import io.berth.webhook.affinity.Undetermined;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Renders the fields of one config once. */
final class Renderer {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final Evaluator evaluator;
  private final Budget budget;

  /** The template that rendered each path; null if it is not recorded, as in most renderings. */
  private final @Nullable Map<String, TreeNode.Leaf> sources;

  Renderer(Scope scope, Budget budget, @Nullable Map<String, TreeNode.Leaf> sources) {
    this.budget = budget;
    this.sources = sources;
    evaluator = new Evaluator(scope, budget);
  }

  /** Thrown if a leaf could not be rendered. */
  static final class LeafRefused extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    LeafRefused(Problem problem) {
      super(problem.message(), null, false, false);
      this.problem = problem;
    }

    Problem problem() {
      return problem;
    }
  }

  /** Returns the rendered tree, or null if it is dropped; throws {@link LeafRefused}. */
  @Nullable JsonNode render(TreeNode node, String path) {
    return switch (node) {
      case TreeNode.Constant constant -> constant.value();
      case TreeNode.Leaf leaf -> leaf(leaf, path);
      case TreeNode.Branch branch -> branch(branch, path);
      case TreeNode.Items items -> items(items, path);
    };
  }

  private @Nullable JsonNode branch(TreeNode.Branch branch, String path) {
    if (branch.condition().isEmpty()) {
      return fields(branch, path);
    }
    Object kept = condition(branch.condition().get());
    if (kept instanceof Boolean truth) {
      return truth ? fields(branch, path) : null;
    }
    evaluator.undetermined();
    ObjectNode object = fields(branch, path);
    evaluator.determined();
    if (object != null) {
      object.putPOJO(TreeReader.CONDITION, kept);
    }
    return object;
  }

  /** Returns the object, or null if conditions drop an essential field or all of its fields. */
  private @Nullable ObjectNode fields(TreeNode.Branch branch, String path) {
    ObjectNode object = NODES.objectNode();
    boolean dropped = false;
    List<TreeNode.Field> fields = branch.fields();
    for (int i = 0; i < fields.size(); i++) {
      TreeNode.Field field = fields.get(i);
      JsonNode value = render(field.value(), sources == null ? path : placeOf(branch, field, path));
      if (value != null) {
        object.set(field.name(), value);
      } else if (branch.essential().contains(field.name())) {
        return null;
      } else {
        dropped = true;
      }
    }
    return dropped && object.isEmpty() ? null : object;
  }

  private static String placeOf(TreeNode.Branch branch, TreeNode.Field field, String path) {
    return branch.labels() ? path + "[" + field.name() + "]" : path + "." + field.name();
  }

  private @Nullable JsonNode items(TreeNode.Items items, String path) {
    List<TreeNode> list = items.items();
    ArrayNode array = NODES.arrayNode(list.size());
    boolean dropped = false;
    for (int i = 0; i < list.size(); i++) {
      String at = sources == null ? path : path + "[" + array.size() + "]";
      TreeNode item = list.get(i);
      if (item instanceof TreeNode.Leaf leaf) {
        spliced(leaf, array, path);
      } else {
        JsonNode value = render(item, at);
        if (value != null) {
          array.add(value);
        } else {
          dropped = true;
        }
      }
    }
    return dropped && array.isEmpty() ? null : array;
  }

  private void spliced(TreeNode.Leaf leaf, ArrayNode array, String path) {
    Object value = value(leaf);
    List<?> values = value instanceof List<?> list ? list : List.of(value);
    if (sources != null) {
      sources.put(path, leaf);
    }
    for (Object one : values) {
      if (sources != null) {
        sources.put(path + "[" + array.size() + "]", leaf);
      }
      array.add(node(leaf, one));
    }
  }

  private JsonNode leaf(TreeNode.Leaf leaf, String path) {
    if (sources != null) {
      sources.put(path, leaf);
    }
    return node(leaf, value(leaf));
  }

  private JsonNode node(TreeNode.Leaf leaf, Object value) {
    return switch (value) {
      case String text -> text(leaf, text);
      case Long number when leaf.kind().isText() -> text(leaf, number.toString());
      case Boolean truth when leaf.kind().isText() -> text(leaf, truth.toString());
      case Long number when number == number.intValue() -> NODES.numberNode(number.intValue());
      case Long number -> NODES.numberNode(number.longValue());
      case Boolean truth -> NODES.booleanNode(truth);
      case Undetermined some
          when leaf.kind().isText() && some.type() != ParameterType.STRING_LIST ->
          NODES.pojoNode(new Undetermined(ParameterType.STRING));
      default -> NODES.pojoNode(value);
    };
  }

  private JsonNode text(TreeNode.Leaf leaf, String text) {
    if (text.isEmpty() && leaf.kind() == TreeNode.LeafKind.FILLED_TEXT) {
      throw new LeafRefused(
          new Problem(
              ErrorCode.RESULT_INVALID,
              leaf.path(),
              Quoted.value(leaf.source())
                  + " renders an empty key, and a toleration without a key tolerates every taint:"
                  + " supply a value, or drop the toleration with $if"));
    }
    try {
      budget.write(text.length());
    } catch (Refused e) {
      throw refused(leaf, e);
    }
    return NODES.textNode(text);
  }

  private Object value(TreeNode.Leaf leaf) {
    try {
      return evaluator.evaluate(leaf.expression());
    } catch (Refused e) {
      throw refused(leaf, e);
    }
  }

  private Object condition(TreeNode.Leaf leaf) {
    Object value = value(leaf);
    return switch (value) {
      case Boolean truth -> truth;
      case Undetermined undetermined -> new Undetermined(ParameterType.BOOLEAN);
      case String text when text.equals("true") || text.equals("false") -> text.equals("true");
      default ->
          throw new LeafRefused(
              new Problem(
                  ErrorCode.TEMPLATE_IF,
                  leaf.path(),
                  Quoted.value(leaf.source())
                      + " renders "
                      + Quoted.value(value.toString())
                      + ", which is neither true nor false"));
    };
  }

  private static LeafRefused refused(TreeNode.Leaf leaf, Refused e) {
    return new LeafRefused(
        new Problem(e.code(), leaf.path(), Quoted.value(leaf.source()) + ": " + e.words()));
  }
}
