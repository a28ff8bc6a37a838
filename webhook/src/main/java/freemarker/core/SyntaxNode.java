package freemarker.core;

import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * One node of the syntax tree of a parsed template.
 *
 * @param type the simple name of its FreeMarker class, or {@code BuiltIn} for every built-in
 * @param symbol its text in a template, for messages
 * @param parts its parts in FreeMarker's order: SyntaxNode, String, Number or Boolean; absent parts
 *     are omitted
 */
@NullMarked
public record SyntaxNode(String type, String symbol, List<Object> parts) {

  /** The type of a placeholder for a subtree that is too deep. */
  public static final String TOO_DEEP = "TooDeep";

  public SyntaxNode {
    parts = List.copyOf(parts);
  }
}
