package io.berth.webhook.validation;

import io.berth.webhook.error.Problem;
import java.util.List;

/**
 * The result of validating an object.
 *
 * @param problems the reasons for rejection; none if it is accepted
 * @param warnings problems that may resolve themselves, such as references to objects that do not
 *     exist yet
 */
public record ValidationResult(List<Problem> problems, List<Problem> warnings) {

  public ValidationResult {
    problems = List.copyOf(problems);
    warnings = List.copyOf(warnings);
  }
}
