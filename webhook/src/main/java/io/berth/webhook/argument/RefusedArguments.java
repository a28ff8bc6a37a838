package io.berth.webhook.argument;

import io.berth.webhook.error.Problem;
import java.util.List;

/**
 * Arguments that cannot be used.
 *
 * @param problems why: at least one, all that were found
 */
public record RefusedArguments(List<Problem> problems)
    implements CheckedArguments, ParsedArguments, ConfigNames {

  public RefusedArguments {
    problems = List.copyOf(problems);
  }
}
