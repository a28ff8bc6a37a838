package io.berth.webhook.admission;

import io.berth.webhook.binding.Source;
import io.berth.webhook.error.Problem;
import io.berth.webhook.merge.RenderedConfig;
import java.util.List;

/** The result of rendering the node configs or pod configs that were chosen for a pod. */
sealed interface FieldRendering {

  /**
   * The configs are rendered, but for those that the platform has to put right.
   *
   * @param references the configs as {@code name@revision}
   * @param mistakes why configs that the pod names were left out
   */
  record Done(
      Source source,
      List<RenderedConfig> configs,
      List<String> references,
      List<PlatformMistake> mistakes)
      implements FieldRendering {}

  /** The author of the pod made mistakes. */
  record AppTeamProblems(List<Problem> problems) implements FieldRendering {}

  /** The platform made a mistake: the field stays as the pod has it. */
  record PlatformProblem(Source source, PlatformMistake mistake) implements FieldRendering {}
}
