package freemarker.core;

import freemarker.template.Template;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * Shows the syntax tree of a parsed template. FreeMarker keeps its tree to its own package, which
 * is why this class is in it; it only looks. What it relies on is not API, so a contract test holds
 * it against the version that the build pins.
 */
@NullMarked
@SuppressWarnings("deprecation") // FreeMarker marks so what it may change: see the contract test
public final class SyntaxTree {

  private static final int DEEPEST = 64;

  private SyntaxTree() {}

  /**
   * The whole tree; a subtree below 64 levels is replaced by a node of type {@link
   * SyntaxNode#TOO_DEEP}.
   */
  public static SyntaxNode of(Template template) {
    return node(template.getRootTreeNode(), 0);
  }

  private static SyntaxNode node(TemplateObject object, int depth) {
    if (depth > DEEPEST) {
      return new SyntaxNode(SyntaxNode.TOO_DEEP, "...", List.of());
    }
    List<Object> parts = new ArrayList<>();
    switch (object) {
      case StringLiteral literal when object.getParameterCount() == 0 ->
          parts.add(literal.getAsString());
      case NumberLiteral literal -> parts.add(literal.getAsNumber());
      case BooleanLiteral literal -> parts.add(Boolean.valueOf(literal.getCanonicalForm()));
      case Identifier identifier -> parts.add(identifier.getName());
      default -> {
        for (int i = 0; i < object.getParameterCount(); i++) {
          Object part = object.getParameterValue(i);
          if (part != null) {
            parts.add(part instanceof TemplateObject child ? node(child, depth + 1) : part(part));
          }
        }
      }
    }
    if (object instanceof TemplateElement element) {
      for (int i = 0; i < element.getChildCount(); i++) {
        parts.add(node(element.getChild(i), depth + 1));
      }
    }
    String type = object instanceof BuiltIn ? "BuiltIn" : object.getClass().getSimpleName();
    return new SyntaxNode(type, object.getNodeTypeSymbol(), parts);
  }

  private static Object part(Object part) {
    return part instanceof String || part instanceof Number || part instanceof Boolean
        ? part
        : part.toString();
  }
}
