package io.berth.sandbox.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.store.StoredObject;
import java.util.ArrayList;
import java.util.List;

/**
 * The {@code log} subresource of pods. Simulated containers have no output, so a fixed message is
 * returned.
 */
final class PodLog {
  private PodLog() {}

  static String of(StoredObject pod, String asked) {
    JsonNode json = pod.json();
    List<String> names = new ArrayList<>();
    for (String list : List.of("initContainers", "containers")) {
      json.path("spec").path(list).forEach(container -> names.add(container.path("name").asText()));
    }
    String container =
        asked.isEmpty()
            ? json.path("spec").path("containers").path(0).path("name").asText()
            : asked;
    if (!names.contains(container)) {
      throw Failures.badRequest(
          "container " + container + " is not valid for pod " + pod.key().name());
    }
    if (json.path("spec").path("nodeName").asText().isEmpty()) {
      return "";
    }
    for (JsonNode status : json.path("status").path("containerStatuses")) {
      if (status.path("name").asText().equals(container) && !status.path("state").has("waiting")) {
        return "container " + container + " is simulated: it runs nothing and logs nothing\n";
      }
    }
    throw Failures.badRequest(
        "container \""
            + container
            + "\" in pod \""
            + pod.key().name()
            + "\" is waiting to start: ContainerCreating");
  }
}
