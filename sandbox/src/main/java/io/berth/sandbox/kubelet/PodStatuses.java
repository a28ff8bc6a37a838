package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import java.time.Duration;

/** The pod statuses that a kubelet writes, applied in place. */
final class PodStatuses {
  private static final String PENDING = "PodResizePending";

  private PodStatuses() {}

  static void rejected(ObjectNode pod, PodAdmission.Rejection rejection, String now) {
    ObjectNode status = pod.withObject("status");
    status.put("phase", "Failed");
    status.put("reason", rejection.reason());
    status.put("message", "Pod was rejected: " + rejection.message());
    if (!status.has("startTime")) {
      status.put("startTime", now);
    }
  }

  static void creating(ObjectNode pod, String hostIp, String now) {
    ObjectNode status = started(pod, hostIp, now);
    status.put("phase", "Pending");
    condition(status, "PodReadyToStartContainers", "False", "", now);
    condition(status, "Initialized", "True", "", now);
    condition(status, "Ready", "False", "ContainersNotReady", now);
    condition(status, "ContainersReady", "False", "ContainersNotReady", now);
    condition(status, "PodScheduled", "True", "", now);
    containers(pod, status, (container, state) -> waiting(state));
  }

  /** Returns whether a condition says that the pod is not scheduled. */
  static boolean saysNotScheduled(JsonNode pod) {
    for (JsonNode condition : pod.at("/status/conditions")) {
      if (condition.path("type").asText().equals("PodScheduled")) {
        return condition.path("status").asText().equals("False");
      }
    }
    return false;
  }

  /** Says that the pod is scheduled; returns whether the pod was changed. */
  static boolean correct(ObjectNode pod, String now) {
    boolean wrong = saysNotScheduled(pod);
    if (wrong) {
      condition(pod.withObject("status"), "PodScheduled", "True", "", now);
    }
    return wrong;
  }

  /**
   * Sets all containers to running. Containers whose readiness probe has an initial delay are not
   * ready yet.
   */
  static void running(ObjectNode pod, String hostIp, String podIp, String now) {
    ObjectNode status = started(pod, hostIp, now);
    boolean allReady = readyAfter(pod).isZero();
    status.put("phase", "Running");
    String ip = pod.path("spec").path("hostNetwork").asBoolean() ? hostIp : podIp;
    status.put("podIP", ip);
    status.putArray("podIPs").addObject().put("ip", ip);
    condition(status, "PodReadyToStartContainers", "True", "", now);
    condition(status, "Initialized", "True", "", now);
    readiness(status, allReady, now);
    condition(status, "PodScheduled", "True", "", now);
    containers(
        pod,
        status,
        (container, state) -> {
          state.put("ready", initialDelay(container).isZero()).put("started", true);
          resources(container, state);
          state.putObject("state").putObject("running").put("startedAt", now);
        });
  }

  /** Sets all containers to ready. */
  static void ready(ObjectNode pod, String now) {
    ObjectNode status = pod.withObject("status");
    readiness(status, true, now);
    status.path("containerStatuses").forEach(state -> ((ObjectNode) state).put("ready", true));
  }

  private static void readiness(ObjectNode status, boolean ready, String now) {
    String value = ready ? "True" : "False";
    String reason = ready ? "" : "ContainersNotReady";
    condition(status, "Ready", value, reason, now);
    condition(status, "ContainersReady", value, reason, now);
  }

  /** Returns the longest initial delay of the pod's readiness probes. */
  static Duration readyAfter(JsonNode pod) {
    Duration longest = Duration.ZERO;
    for (JsonNode container : pod.path("spec").path("containers")) {
      Duration delay = initialDelay(container);
      longest = delay.compareTo(longest) > 0 ? delay : longest;
    }
    return longest;
  }

  private static Duration initialDelay(JsonNode container) {
    return Duration.ofSeconds(container.at("/readinessProbe/initialDelaySeconds").asLong(0));
  }

  /** Sets the allocated and actual resources of a container, as the kubelet reports them. */
  private static void resources(JsonNode container, ObjectNode state) {
    JsonNode resources = container.path("resources");
    JsonNode requests = resources.path("requests");
    if (requests.isEmpty()) {
      state.remove("allocatedResources");
    } else {
      state.set("allocatedResources", requests.deepCopy());
    }
    if (resources.isEmpty()) {
      state.remove("resources");
    } else {
      state.set("resources", resources.deepCopy());
    }
  }

  /** Returns whether the status shows the resources of the spec for every running container. */
  static boolean showsResources(JsonNode pod) {
    for (JsonNode container : pod.path("spec").path("containers")) {
      for (JsonNode state : pod.path("status").path("containerStatuses")) {
        if (state.path("name").equals(container.path("name"))
            && state.path("state").has("running")) {
          JsonNode asked = container.path("resources");
          JsonNode given = state.path("resources");
          if (!asked.equals(given) && !(asked.isEmpty() && given.isEmpty())) {
            return false;
          }
        }
      }
    }
    return true;
  }

  static void resized(ObjectNode pod) {
    ObjectNode status = pod.withObject("status");
    for (JsonNode container : pod.path("spec").path("containers")) {
      for (JsonNode state : status.path("containerStatuses")) {
        if (state.path("name").equals(container.path("name"))) {
          resources(container, (ObjectNode) state);
        }
      }
    }
    if (status.path("conditions") instanceof ArrayNode conditions) {
      conditions.removeIf(condition -> condition.path("type").asText().equals(PENDING));
    }
  }

  /**
   * Sets the PodResizePending condition with the reason why a pod has not been resized.
   *
   * @return whether the condition has changed
   */
  static boolean resizePending(ObjectNode pod, String reason, String message, String now) {
    ObjectNode status = pod.withObject("status");
    for (JsonNode condition : status.path("conditions")) {
      if (condition.path("type").asText().equals(PENDING)
          && condition.path("reason").asText().equals(reason)
          && condition.path("message").asText().equals(message)) {
        return false;
      }
    }
    condition(status, PENDING, "True", reason, now);
    for (JsonNode condition : status.path("conditions")) {
      if (condition.path("type").asText().equals(PENDING)) {
        ((ObjectNode) condition).put("message", message);
      }
    }
    return true;
  }

  static void ended(ObjectNode pod, int exitCode, String now) {
    ObjectNode status = pod.withObject("status");
    boolean success = exitCode == 0;
    status.put("phase", success ? "Succeeded" : "Failed");
    String reason = success ? "PodCompleted" : "PodFailed";
    condition(status, "Ready", "False", reason, now);
    condition(status, "ContainersReady", "False", reason, now);
    for (JsonNode node : status.path("containerStatuses")) {
      ObjectNode state = (ObjectNode) node;
      String since = state.at("/state/running/startedAt").asText(now);
      state.put("ready", false).put("started", false);
      state
          .putObject("state")
          .putObject("terminated")
          .put("exitCode", exitCode)
          .put("finishedAt", now)
          .put("reason", success ? "Completed" : "Error")
          .put("startedAt", since);
    }
  }

  private static ObjectNode started(ObjectNode pod, String hostIp, String now) {
    ObjectNode status = pod.withObject("status");
    status.put("hostIP", hostIp);
    status.putArray("hostIPs").addObject().put("ip", hostIp);
    if (!status.has("startTime")) {
      status.put("startTime", now);
    }
    return status;
  }

  private interface ContainerState {
    void set(JsonNode container, ObjectNode status);
  }

  private static void containers(ObjectNode pod, ObjectNode status, ContainerState states) {
    ArrayNode list = status.putArray("containerStatuses");
    for (JsonNode container : pod.path("spec").path("containers")) {
      String image = container.path("image").asText();
      ObjectNode state = list.addObject();
      state
          .put("name", container.path("name").asText())
          .put("image", image)
          .put("imageID", image)
          .put("restartCount", 0)
          .put("ready", false)
          .put("started", false);
      state.putObject("lastState");
      states.set(container, state);
    }
  }

  private static void waiting(ObjectNode state) {
    state.putObject("state").putObject("waiting").put("reason", "ContainerCreating");
  }

  static void condition(ObjectNode status, String type, String value, String reason, String now) {
    ArrayNode conditions = status.withArray("conditions");
    ObjectNode found = null;
    for (JsonNode condition : conditions) {
      if (condition.path("type").asText().equals(type)) {
        found = (ObjectNode) condition;
      }
    }
    if (found == null) {
      found = Json.object();
      conditions.add(found);
      found.putNull("lastProbeTime");
    }
    if (!found.path("status").asText().equals(value)) {
      found.put("lastTransitionTime", now);
    }
    found.put("status", value).put("type", type);
    if (reason.isEmpty()) {
      found.remove("reason");
      found.remove("message");
    } else {
      found.put("reason", reason);
    }
  }
}
