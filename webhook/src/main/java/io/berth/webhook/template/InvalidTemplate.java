package io.berth.webhook.template;

import io.berth.webhook.error.Problem;
import java.util.List;

/**
 * A spec with invalid parameters or templates.
 *
 * @param problems the problems that were found, at least one, with paths that begin with {@code
 *     spec}
 */
public record InvalidTemplate(List<Problem> problems) implements Compilation {

  public InvalidTemplate {
    problems = List.copyOf(problems);
  }
}
