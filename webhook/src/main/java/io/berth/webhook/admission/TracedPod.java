package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.berth.crds.Annotations;
import java.time.Duration;
import java.util.Optional;

/** Adds the trace of a pod to the patch of its review. */
final class TracedPod {

  /** A placeholder with the length of every traceparent of version 00. */
  private static final String LONGEST = "-".repeat(55);

  private TracedPod() {}

  /**
   * Adds the traceparent to a finished patch. If the pod is not traced, removes any traceparent
   * that the client set.
   *
   * @param operations the patch, to which operations are appended
   */
  static void trace(
      PodTracing tracing, String namespace, JsonNode pod, ArrayNode operations, Duration took) {
    JsonNode metadata = pod.path("metadata");
    PodPatch patch = new PodPatch(pod, operations);
    String given = metadata.path("annotations").path(Annotations.TRACEPARENT).asText("");
    Optional<String> traceparent =
        patch.hasRoomFor(Annotations.TRACEPARENT, LONGEST)
            ? tracing.reviewed(
                new PodTracing.CreatedPod(
                    namespace,
                    metadata.path("name").asText(metadata.path("generateName").asText("")),
                    patch.schedulerName(),
                    patch.annotated(Annotations.POLICY),
                    given),
                took)
            : Optional.empty();
    traceparent.ifPresentOrElse(
        value -> patch.annotation(Annotations.TRACEPARENT, value),
        () -> patch.removeAnnotation(Annotations.TRACEPARENT));
  }
}
