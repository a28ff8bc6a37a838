package io.berth.webhook.validation;

import io.berth.webhook.error.Problem;
import java.util.List;

/**
 * The findings about an object that is applied.
 *
 * @param problems why it is refused; none: it is accepted
 * @param warnings what is worth knowing and may yet come right, such as references to what does not
 *     exist yet
 */
public record Findings(List<Problem> problems, List<Problem> warnings) {

  public Findings {
    problems = List.copyOf(problems);
    warnings = List.copyOf(warnings);
  }
}
