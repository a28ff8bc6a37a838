package io.berth.webhook.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.berth.webhook.affinity.Shape;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import io.berth.webhook.template.TreeNode.LeafKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the templates of a spec into a {@link TreeNode}, and collects their problems. */
final class TreeReader {

  static final String CONDITION = "$if";

  private static final TreeNode NOTHING =
      new TreeNode.Constant(JsonNodeFactory.instance.nullNode());

  private final LeafParser parser;
  private final List<Problem> problems;
  private final Consumer<TreeNode.Leaf> leaves;
  private int leafCount;
  private int nodeCount;

  /** Creates a reader that adds problems to the list and passes every template to the consumer. */
  TreeReader(LeafParser parser, List<Problem> problems, Consumer<TreeNode.Leaf> leaves) {
    this.parser = parser;
    this.problems = problems;
    this.leaves = leaves;
  }

  TreeNode read(JsonNode node, Shape shape, String path) {
    return read(node, shape, path, 0);
  }

  private TreeNode read(JsonNode node, @Nullable Shape shape, String path, int depth) {
    nodeCount++;
    if (depth > RenderLimits.DEPTH || nodeCount > RenderLimits.NODES) {
      if (depth > RenderLimits.DEPTH || nodeCount == RenderLimits.NODES + 1) {
        add(
            ErrorCode.TEMPLATE_TOO_LARGE,
            path,
            "exceeds "
                + RenderLimits.DEPTH
                + " levels or "
                + RenderLimits.NODES
                + " values; write a smaller config");
      }
      return NOTHING;
    }
    return switch (node) {
      case ObjectNode object -> object(object, shape, path, depth);
      case ArrayNode array -> array(array, shape, path, depth);
      default -> scalar(node, shape, path);
    };
  }

  private TreeNode object(ObjectNode object, @Nullable Shape shape, String path, int depth) {
    List<TreeNode.Field> fields = new ArrayList<>(object.size());
    Optional<TreeNode.Leaf> condition = Optional.empty();
    boolean constant = true;
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      String name = entry.getKey();
      String at = path + (shape instanceof Shape.Labels ? "[" + name + "]" : "." + name);
      if (name.equals(CONDITION)) {
        condition = condition(entry.getValue(), path + "." + CONDITION);
        constant = false;
      } else if (LeafParser.isTemplate(name)) {
        add(
            ErrorCode.TEMPLATE_IN_KEY,
            path,
            Quoted.value(name)
                + " is the name of a field, and only values can be templates; for a label, use"
                + " matchExpressions with a template in key");
      } else if (!entry.getValue().isNull()) {
        TreeNode value = read(entry.getValue(), shapeOf(shape, name), at, depth + 1);
        fields.add(new TreeNode.Field(name, value));
        constant &= value instanceof TreeNode.Constant;
      }
    }
    if (!constant) {
      return new TreeNode.Branch(
          condition,
          List.copyOf(fields),
          shape instanceof Shape.Fields known ? known.essential() : List.of(),
          shape instanceof Shape.Labels);
    }
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    for (TreeNode.Field field : fields) {
      copy.set(field.name(), ((TreeNode.Constant) field.value()).value());
    }
    return new TreeNode.Constant(copy);
  }

  private TreeNode array(ArrayNode array, @Nullable Shape shape, String path, int depth) {
    Shape itemShape = shape instanceof Shape.ListOf list ? list.item() : null;
    List<TreeNode> items = new ArrayList<>(array.size());
    boolean constant = true;
    for (int i = 0; i < array.size(); i++) {
      TreeNode item = read(array.get(i), itemShape, path + "[" + i + "]", depth + 1);
      items.add(item);
      constant &= item instanceof TreeNode.Constant;
    }
    if (!constant) {
      return new TreeNode.Items(List.copyOf(items));
    }
    ArrayNode copy = JsonNodeFactory.instance.arrayNode(items.size());
    items.forEach(item -> copy.add(((TreeNode.Constant) item).value()));
    return new TreeNode.Constant(copy);
  }

  private TreeNode scalar(JsonNode node, @Nullable Shape shape, String path) {
    if (node.isTextual() && LeafParser.isTemplate(node.textValue())) {
      return leaf(node.textValue(), path, kindOf(shape))
          .<TreeNode>map(leaf -> leaf)
          .orElse(NOTHING);
    }
    boolean digits = shape instanceof Shape.Text && (node.isIntegralNumber() || node.isBoolean());
    return new TreeNode.Constant(digits ? TextNode.valueOf(node.asText()) : node);
  }

  private Optional<TreeNode.Leaf> condition(JsonNode node, String path) {
    if (node.isBoolean() || node.asText().equals("true") || node.asText().equals("false")) {
      boolean truth = node.asBoolean();
      TreeNode.Leaf leaf =
          new TreeNode.Leaf(path, node.asText(), new Expression.Truth(truth), LeafKind.OTHER);
      leaves.accept(leaf);
      return Optional.of(leaf);
    }
    if (!node.isTextual() || !LeafParser.isTemplate(node.textValue())) {
      add(
          ErrorCode.TEMPLATE_IF,
          path,
          Quoted.value(node.asText())
              + " is neither true nor false: write the condition as ${...}, such as ${Tier =="
              + " \"gold\"}");
      return Optional.empty();
    }
    return leaf(node.textValue(), path, LeafKind.OTHER);
  }

  private Optional<TreeNode.Leaf> leaf(String source, String path, LeafKind kind) {
    leafCount++;
    if (leafCount > RenderLimits.LEAVES) {
      if (leafCount == RenderLimits.LEAVES + 1) {
        add(
            ErrorCode.TEMPLATE_TOO_LARGE,
            path,
            "exceeds the limit of " + RenderLimits.LEAVES + " templates; write a smaller config");
      }
      return Optional.empty();
    }
    try {
      TreeNode.Leaf leaf = new TreeNode.Leaf(path, source, parser.parse(source), kind);
      leaves.accept(leaf);
      return Optional.of(leaf);
    } catch (Refused e) {
      add(e.code(), path, Quoted.value(source) + ": " + e.words());
      return Optional.empty();
    }
  }

  private static LeafKind kindOf(@Nullable Shape shape) {
    return switch (shape) {
      case Shape.Text text when text.emptyMeansAll() -> LeafKind.FILLED_TEXT;
      case Shape.Text text -> LeafKind.TEXT;
      case null, default -> LeafKind.OTHER;
    };
  }

  private static @Nullable Shape shapeOf(@Nullable Shape shape, String field) {
    return switch (shape) {
      case Shape.Fields fields -> fields.fields().get(field);
      case Shape.Labels labels -> new Shape.Text();
      case null, default -> null;
    };
  }

  private void add(ErrorCode code, String path, String message) {
    if (problems.size() < TemplateCompiler.PROBLEMS) {
      problems.add(new Problem(code, path, message));
    }
  }
}
