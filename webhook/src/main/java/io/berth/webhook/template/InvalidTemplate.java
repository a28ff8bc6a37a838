package io.berth.webhook.template;

import io.berth.webhook.error.Problem;
import java.util.List;

/**
 * An invalid spec.
 *
 * @param problems why: at least one, all that were found, with paths that begin with {@code spec}
 */
public record InvalidTemplate(List<Problem> problems) implements Compilation {

  public InvalidTemplate {
    problems = List.copyOf(problems);
  }
}
