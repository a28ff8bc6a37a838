package io.berth.webhook.argument;

import io.berth.webhook.error.Problem;
import java.util.List;

/**
 * Invalid arguments.
 *
 * @param problems all problems that were found; at least one
 */
public record RefusedArguments(List<Problem> problems)
    implements CheckedArguments, ParsedArguments, ConfigNames {

  public RefusedArguments {
    problems = List.copyOf(problems);
  }
}
