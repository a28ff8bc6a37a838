package freemarker.core;

import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * One node of a parsed template, in plain view.
 *
 * @param type the simple name of FreeMarker's class for it, or {@code BuiltIn} for every built-in
 * @param symbol what it looks like in a template, for messages
 * @param parts its parts in FreeMarker's order: SyntaxNode, String, Number or Boolean; those that
 *     are not written are left out
 */
@NullMarked
public record SyntaxNode(String type, String symbol, List<Object> parts) {

  /** A placeholder for a subtree that is too deep to be shown. */
  public static final String TOO_DEEP = "TooDeep";

  public SyntaxNode {
    parts = List.copyOf(parts);
  }
}
