package io.berth.webhook.template;

import io.berth.webhook.error.Problem;
import java.util.List;

/**
 * A rendering that failed for this pod or these arguments.
 *
 * @param problems the problems, at least one, with paths that begin with {@code spec} if they are
 *     in the config
 */
public record RenderingRefused(List<Problem> problems) implements Rendering {

  public RenderingRefused {
    problems = List.copyOf(problems);
  }
}
