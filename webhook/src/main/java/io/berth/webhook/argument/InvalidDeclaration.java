package io.berth.webhook.argument;

import io.berth.webhook.error.Problem;
import java.util.List;

/**
 * Invalid declarations of parameters.
 *
 * @param problems all problems that were found; at least one
 */
public record InvalidDeclaration(List<Problem> problems) implements Declaration {

  public InvalidDeclaration {
    problems = List.copyOf(problems);
  }
}
