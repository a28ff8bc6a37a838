package io.berth.webhook.argument;

import io.berth.webhook.error.Problem;
import java.util.List;

/**
 * Parameters that cannot be used.
 *
 * @param problems why: at least one, all that were found
 */
public record InvalidDeclaration(List<Problem> problems) implements Declaration {

  public InvalidDeclaration {
    problems = List.copyOf(problems);
  }
}
