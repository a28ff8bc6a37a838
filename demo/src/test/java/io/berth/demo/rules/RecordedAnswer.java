package io.berth.demo.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The recorded response of kube-apiserver 1.36.2 to a pod with certain fields, and to a Deployment
 * of such pods.
 *
 * @param spec the fields of the pod spec, without containers
 * @param pod the errors of the pod; empty if it is accepted
 * @param template the errors of the pod template, with paths relative to the pod
 */
record RecordedAnswer(String name, JsonNode spec, List<Cause> pod, List<Cause> template) {

  /** A cause of a rejection. */
  record Cause(String field, String reason, String message) {}

  private static final ObjectMapper JSON = new ObjectMapper();

  static List<RecordedAnswer> all() throws IOException {
    List<RecordedAnswer> answers = new ArrayList<>();
    try (InputStream file =
        Objects.requireNonNull(
            RecordedAnswer.class.getResourceAsStream("api-server-answers.json"))) {
      for (JsonNode each : JSON.readTree(file)) {
        List<Cause> pod = causes(each.path("pod"));
        answers.add(
            new RecordedAnswer(
                each.path("name").asText(),
                each.path("spec"),
                pod,
                each.has("template") ? causes(each.path("template")) : pod));
      }
    }
    return answers;
  }

  private static List<Cause> causes(JsonNode list) {
    List<Cause> causes = new ArrayList<>();
    for (JsonNode each : list) {
      causes.add(
          new Cause(
              each.path("field").asText(),
              each.path("reason").asText(),
              each.path("message").asText()));
    }
    return causes;
  }

  /** Returns the errors that an API server reports for the pod. */
  List<Cause> ofPod(KubernetesClient client) {
    ObjectNode pod = podTemplate();
    pod.put("apiVersion", "v1").put("kind", "Pod");
    pod.withObject("metadata").put("name", "asked");
    return ask(client, "/api/v1/namespaces/default/pods", pod);
  }

  /**
   * Returns the errors that an API server reports for a Deployment, with paths relative to the pod.
   */
  List<Cause> ofTemplate(KubernetesClient client) {
    ObjectNode deployment = JSON.createObjectNode();
    deployment.put("apiVersion", "apps/v1").put("kind", "Deployment");
    deployment.withObject("metadata").put("name", "asked");
    ObjectNode its = deployment.withObject("spec");
    its.withObject("selector").withObject("matchLabels").put("app", "x");
    its.set("template", podTemplate());
    return ask(client, "/apis/apps/v1/namespaces/default/deployments", deployment).stream()
        .map(
            cause ->
                new Cause(
                    cause.field().replaceFirst("^spec\\.template\\.spec", "spec"),
                    cause.reason(),
                    cause.message()))
        .toList();
  }

  private ObjectNode podTemplate() {
    ObjectNode pod = JSON.createObjectNode();
    pod.withObject("metadata").withObject("labels").put("app", "x").put("tier", "t");
    ObjectNode full = spec.deepCopy();
    full.withArray("containers").addObject().put("name", "main").put("image", "busybox");
    pod.set("spec", full);
    return pod;
  }

  private static List<Cause> ask(KubernetesClient client, String path, ObjectNode object) {
    try {
      client.raw(path + "?dryRun=All", "POST", object);
      return List.of();
    } catch (KubernetesClientException refused) {
      if (refused.getStatus() == null || refused.getStatus().getDetails() == null) {
        throw refused;
      }
      return refused.getStatus().getDetails().getCauses().stream()
          .map(each -> new Cause(each.getField(), each.getReason(), each.getMessage()))
          .toList();
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
