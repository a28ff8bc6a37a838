package io.berth.webhook.admission;

import io.berth.webhook.binding.Source;
import io.berth.webhook.error.Problem;
import io.berth.webhook.merge.RenderedConfig;
import java.util.List;

/** The result of rendering the node configs or pod configs that were chosen for a pod. */
sealed interface FieldRendering {

  /**
   * The configs are rendered, except those that the platform team must fix.
   *
   * @param references the configs as {@code name@revision}
   * @param refused the newer revisions, as {@code name@revision}, that were to be rendered and were
   *     refused, so that the last complete one was rendered
   * @param mistakes the reasons why configs that the pod names were omitted
   */
  record Done(
      Source source,
      List<RenderedConfig> configs,
      List<String> references,
      List<String> refused,
      List<PlatformMistake> mistakes)
      implements FieldRendering {}

  /** The pod itself is invalid, which its author must fix. */
  record AppTeamProblems(List<Problem> problems) implements FieldRendering {}

  /** The platform's configuration is invalid; the pod's field is not changed. */
  record PlatformProblem(Source source, PlatformMistake mistake) implements FieldRendering {}
}
