package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.Annotations;
import io.berth.webhook.argument.ArgumentParser;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An object that creates pods from a template.
 *
 * @param kind the object's kind
 * @param object the object as JSON
 * @param templatePath the field path of its pod template, such as {@code spec.template}
 * @param template the pod template
 */
record Workload(String kind, JsonNode object, String templatePath, JsonNode template) {

  private static final List<String> FOR_PODS =
      List.of(
          Annotations.POLICY,
          Annotations.NSC,
          Annotations.NSC_ARGS,
          Annotations.PSC,
          Annotations.PSC_ARGS);

  /** Returns the workload of a request; empty if the object has no pod template. */
  static Optional<Workload> of(AdmissionRequest request) {
    String path =
        request.kind().equals("CronJob") ? "spec.jobTemplate.spec.template" : "spec.template";
    JsonNode template = request.object().at("/" + path.replace('.', '/'));
    return template.isObject()
        ? Optional.of(new Workload(request.kind(), request.object(), path, template))
        : Optional.empty();
  }

  /** Returns the problem with its path in the pod converted to a path in the workload. */
  Problem inTemplate(Problem problem) {
    String path = problem.path();
    return path.startsWith("metadata.") || path.startsWith("spec.")
        ? new Problem(problem.code(), templatePath + "." + path, problem.message())
        : problem;
  }

  /**
   * Returns a warning for each pod annotation that is set on the workload instead of its pod
   * template.
   */
  List<Problem> misplacedAnnotations() {
    List<Problem> misplaced = new ArrayList<>();
    JsonNode own = object.path("metadata").path("annotations");
    JsonNode ofJobs = object.path("spec").path("jobTemplate").path("metadata").path("annotations");
    JsonNode ofPods = template.path("metadata").path("annotations");
    for (String key : FOR_PODS) {
      if (!ofPods.has(key)) {
        misplaced(own, "", key).ifPresent(misplaced::add);
        misplaced(ofJobs, "spec.jobTemplate.", key).ifPresent(misplaced::add);
      }
    }
    return misplaced;
  }

  private Optional<Problem> misplaced(JsonNode annotations, String parent, String key) {
    return annotations.has(key)
        ? Optional.of(
            new Problem(
                ErrorCode.ANNOTATION_ON_WORKLOAD,
                parent + ArgumentParser.placeOf(key),
                "has no effect here, because Berth reads the annotations of pods: move it to "
                    + templatePath
                    + ".metadata.annotations"))
        : Optional.empty();
  }
}
