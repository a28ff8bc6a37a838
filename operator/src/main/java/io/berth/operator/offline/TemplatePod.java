package io.berth.operator.offline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import java.util.Set;

/** The pod that a workload's controller would create from its template. */
final class TemplatePod {

  private static final Set<String> WORKLOADS =
      Set.of(
          "Deployment",
          "StatefulSet",
          "DaemonSet",
          "ReplicaSet",
          "ReplicationController",
          "Job",
          "CronJob");

  private TemplatePod() {}

  /** Returns the pod of a workload; empty if the object creates no pods. */
  static Optional<ObjectNode> of(Manifest workload) {
    if (!WORKLOADS.contains(workload.kind())) {
      return Optional.empty();
    }
    JsonNode template =
        workload
            .object()
            .at(
                workload.kind().equals("CronJob")
                    ? "/spec/jobTemplate/spec/template"
                    : "/spec/template");
    if (!template.isObject()) {
      return Optional.empty();
    }
    ObjectNode pod = JsonNodeFactory.instance.objectNode();
    pod.put("apiVersion", "v1").put("kind", "Pod").setAll((ObjectNode) template.deepCopy());
    ObjectNode metadata = pod.withObject("/metadata");
    metadata.put("generateName", workload.name() + "-");
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", workload.object().path("apiVersion").asText())
        .put("kind", workload.kind())
        .put("name", workload.name())
        .put("controller", true);
    return Optional.of(pod);
  }
}
