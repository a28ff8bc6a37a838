package freemarker.core;

import freemarker.template.Template;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * Reads the syntax tree of a parsed template. The tree is visible only inside FreeMarker's package,
 * so this class is in that package; it never modifies the tree. It depends on classes that are not
 * part of FreeMarker's API, so a contract test checks it against the version that the build uses.
 */
@NullMarked
@SuppressWarnings(
    "deprecation") // FreeMarker deprecates internal classes that may change: see the contract test
public final class SyntaxTree {

  private static final int DEEPEST = 64;

  private SyntaxTree() {}

  /**
   * Returns the complete tree; a subtree below 64 levels is replaced by a node of type {@link
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
