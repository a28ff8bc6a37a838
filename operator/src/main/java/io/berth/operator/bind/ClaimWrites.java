package io.berth.operator.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.devices.ClaimAllocation;
import io.berth.engine.devices.DeviceAllocation;
import io.berth.engine.devices.DeviceId;
import io.berth.engine.kube.ClaimStatuses;
import io.berth.engine.model.PodRef;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The writes to a resource claim before its pod is bound.
 *
 * @param claim the claim as it was read
 */
record ClaimWrites(ClaimAllocation step, PodRef pod, JsonNode claim) {
  private static final String FINALIZER = "resource.kubernetes.io/delete-protection";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The number of pods for which a claim can be reserved, by the API. */
  private static final int MOST_USERS = 256;

  static String collection(String namespace) {
    return "/apis/resource.k8s.io/v1/namespaces/" + namespace + "/resourceclaims";
  }

  static String path(String namespace, String name) {
    return collection(namespace) + "/" + name;
  }

  /**
   * Returns whether the claim has the planned devices and is reserved for the pod: nothing is to be
   * written. Other devices are those of an earlier attempt, perhaps on another node.
   */
  boolean isComplete() {
    return isStillTheSame() && isAllocated() && isReserved() && hasPlannedDevices();
  }

  private boolean hasPlannedDevices() {
    if (step.allocation().isEmpty()) {
      return true;
    }
    List<String> planned = new ArrayList<>();
    for (DeviceAllocation.Result result : step.allocation().get().results()) {
      planned.add(result.request() + " " + result.device() + " " + result.shareId().orElse(""));
    }
    List<String> written = new ArrayList<>();
    for (JsonNode result : results(claim)) {
      DeviceId device =
          new DeviceId(
              result.path("driver").asText(),
              result.path("pool").asText(),
              result.path("device").asText());
      written.add(
          result.path("request").asText() + " " + device + " " + result.path("shareID").asText());
    }
    return written.equals(planned) && isForPlannedNodes();
  }

  private boolean isForPlannedNodes() {
    JsonNode planned =
        JSON.valueToTree(ClaimStatuses.of(step.allocation().orElseThrow())).path("nodeSelector");
    JsonNode written = claim.path("status").path("allocation").path("nodeSelector");
    return planned.isEmpty() ? written.isEmpty() : written.equals(planned);
  }

  private boolean isStillTheSame() {
    return step.claimUid().isEmpty()
        || step.claimUid().equals(claim.path("metadata").path("uid").asText());
  }

  private boolean isAllocated() {
    return claim.path("status").path("allocation").isObject();
  }

  private boolean isReserved() {
    for (JsonNode consumer : claim.path("status").path("reservedFor")) {
      if (consumer.path("uid").asText().equals(pod.uid())) {
        return true;
      }
    }
    return false;
  }

  /** Returns why the claim cannot be written as planned; empty if it can. */
  Optional<String> obstacle() {
    String name = step.namespace() + "/" + claim.path("metadata").path("name").asText();
    if (!isStillTheSame() || claim.path("metadata").has("deletionTimestamp")) {
      return Optional.of("claim " + name + " got deleted in the meantime");
    }
    if (step.allocation().isPresent() && isAllocated() && !hasPlannedDevices()) {
      return Optional.of("claim " + name + " got allocated elsewhere in the meantime");
    }
    if (step.allocation().isEmpty() && !isAllocated()) {
      return Optional.of("claim " + name + " got deallocated elsewhere in the meantime");
    }
    if (!isReserved() && claim.path("status").path("reservedFor").size() >= MOST_USERS) {
      return Optional.of(
          "claim %s is reserved for %d pods, and cannot be for more: the pod has to wait until one of them ends"
              .formatted(name, MOST_USERS));
    }
    return Optional.empty();
  }

  boolean needsFinalizer() {
    if (step.allocation().isEmpty()) {
      return false;
    }
    for (JsonNode finalizer : claim.path("metadata").path("finalizers")) {
      if (finalizer.asText().equals(FINALIZER)) {
        return false;
      }
    }
    return true;
  }

  private ObjectNode patch() {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch
        .putObject("metadata")
        .put("uid", claim.path("metadata").path("uid").asText())
        .put("resourceVersion", claim.path("metadata").path("resourceVersion").asText());
    return patch;
  }

  ObjectNode finalizer() {
    ObjectNode patch = patch();
    ArrayNode finalizers = ((ObjectNode) patch.get("metadata")).putArray("finalizers");
    claim.path("metadata").path("finalizers").forEach(finalizers::add);
    finalizers.add(FINALIZER);
    return patch;
  }

  /**
   * Returns the patch with allocation and reservation. Another member of the pod's group may have
   * written the allocation, which is not changed then.
   */
  ObjectNode status(Instant now) {
    ObjectNode patch = patch();
    ObjectNode status = patch.putObject("status");
    step.allocation()
        .filter(allocation -> !isAllocated())
        .ifPresent(
            allocation -> {
              ObjectNode written = JSON.valueToTree(ClaimStatuses.of(allocation));
              written.put("allocationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
              status.set("allocation", written);
            });
    ArrayNode reserved = status.putArray("reservedFor");
    claim.path("status").path("reservedFor").forEach(reserved::add);
    reserved.addObject().put("resource", "pods").put("name", pod.name()).put("uid", pod.uid());
    return patch;
  }

  /** Returns a patch that permits the deletion of a claim. */
  static ObjectNode withoutFinalizer(JsonNode claim) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ArrayNode finalizers =
        patch
            .putObject("metadata")
            .put("resourceVersion", claim.path("metadata").path("resourceVersion").asText())
            .putArray("finalizers");
    for (JsonNode finalizer : claim.path("metadata").path("finalizers")) {
      if (!finalizer.asText().equals(FINALIZER)) {
        finalizers.add(finalizer);
      }
    }
    return patch;
  }

  /** Returns the options for the deletion of this claim, and not of a new one with its name. */
  static ObjectNode deletionOf(JsonNode claim) {
    ObjectNode options = JsonNodeFactory.instance.objectNode();
    options.putObject("preconditions").put("uid", claim.path("metadata").path("uid").asText());
    return options;
  }

  /**
   * Returns a patch that takes a pod from a claim, and the devices if no other pod uses it; empty
   * if the pod has nothing of it.
   */
  static Optional<ObjectNode> withdrawal(PodRef pod, JsonNode claim) {
    JsonNode users = claim.path("status").path("reservedFor");
    ArrayNode others = JsonNodeFactory.instance.arrayNode();
    for (JsonNode user : users) {
      if (!user.path("uid").asText().equals(pod.uid())) {
        others.add(user);
      }
    }
    if (others.size() == users.size()) {
      return Optional.empty();
    }
    JsonNode metadata = claim.path("metadata");
    ObjectNode patch =
        deallocation(metadata.path("uid").asText(), metadata.path("resourceVersion").asText());
    if (!others.isEmpty()) {
      patch.putObject("status").set("reservedFor", others);
    }
    return Optional.of(patch);
  }

  /** Returns a patch that takes its devices from a claim. */
  static ObjectNode deallocation(String uid, String resourceVersion) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("metadata").put("uid", uid).put("resourceVersion", resourceVersion);
    patch.putObject("status").putNull("allocation").putNull("reservedFor").putNull("devices");
    return patch;
  }

  // ---------------------------------------------------------------------------------- conditions

  static boolean haveDevicesToBePrepared(JsonNode claim) {
    for (JsonNode result : results(claim)) {
      if (!result.path("bindingConditions").isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private static JsonNode results(JsonNode claim) {
    return claim.path("status").path("allocation").path("devices").path("results");
  }

  /** Returns whether all binding conditions of the claim's devices hold. */
  static boolean areDevicesReady(JsonNode claim) {
    for (JsonNode result : results(claim)) {
      for (JsonNode condition : result.path("bindingConditions")) {
        if (!"True".equals(condition(claim, result, condition.asText()).path("status").asText())) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns why a device cannot be prepared; empty if none has failed. */
  static Optional<String> failureOfDevices(JsonNode claim) {
    for (JsonNode result : results(claim)) {
      for (JsonNode type : result.path("bindingFailureConditions")) {
        JsonNode condition = condition(claim, result, type.asText());
        if ("True".equals(condition.path("status").asText())) {
          return Optional.of(
              "device %s of ResourceClaim %s cannot be prepared: %s: %s"
                  .formatted(
                      result.path("device").asText(),
                      claim.path("metadata").path("name").asText(),
                      condition.path("reason").asText(),
                      condition.path("message").asText()));
        }
      }
    }
    return Optional.empty();
  }

  private static JsonNode condition(JsonNode claim, JsonNode result, String type) {
    for (JsonNode device : claim.path("status").path("devices")) {
      if (device.path("driver").equals(result.path("driver"))
          && device.path("pool").equals(result.path("pool"))
          && device.path("device").equals(result.path("device"))) {
        for (JsonNode condition : device.path("conditions")) {
          if (condition.path("type").asText().equals(type)) {
            return condition;
          }
        }
      }
    }
    return JsonNodeFactory.instance.missingNode();
  }
}
