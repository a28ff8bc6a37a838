package io.berth.webhook.template;

import io.berth.webhook.error.Problem;
import java.util.List;

/**
 * A pod or arguments that the template cannot be rendered for.
 *
 * @param problems why: at least one, with field paths in the config that begin with {@code spec}
 */
public record RenderingRefused(List<Problem> problems) implements Rendering {

  public RenderingRefused {
    problems = List.copyOf(problems);
  }
}
