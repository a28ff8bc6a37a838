package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.Disturbances.Webhook;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.operator.api.Answer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The requests that the API server executes, each at once and completely. */
final class SimulatedServer {
  private static final String USAGE = "/apis/metrics.k8s.io/v1beta1/nodes";

  /** The kind of stored revisions of policies. */
  static final String REVISIONS = "ControllerRevision";

  private static final String REVISION_RESOURCE = "controllerrevisions";
  private static final String OWN_GROUP = "sched.cloud.ctrip.com";

  /** The kinds of Berth, by their resource. */
  private static final Map<String, String> OWN_KINDS =
      Map.of(
          "nodeschedulerconfigs", "NodeSchedulerConfig",
          "podschedulerconfigs", "PodSchedulerConfig",
          "schedulerconfigbindings", "SchedulerConfigBinding",
          "schedulingpolicies", "SchedulingPolicy",
          "schedulingqueues", "SchedulingQueue");

  private final VirtualTime time;
  private final ApiStore store;
  private final Faults faults;
  private final Observer observer;
  private final SimulatedClaims claims;

  /** Hears of what was executed. */
  interface Observer {
    /** Handles the denied deletion of a pod. */
    void deletionDenied(ObjectNode pod);

    /** Handles the eviction of a pod through its subresource. */
    void evicted(ObjectKey pod);

    /** Handles the status that was applied to an object of Berth's kinds. */
    void statusApplied(ObjectNode before, ObjectNode after);
  }

  SimulatedServer(VirtualTime time, ApiStore store, Faults faults, Observer observer) {
    this.time = time;
    this.store = store;
    this.faults = faults;
    this.observer = observer;
    this.claims = new SimulatedClaims(store);
  }

  static Answer status(int code, String message) {
    String body = JsonNodeFactory.instance.objectNode().put("message", message).toString();
    return new Answer(code, Duration.ZERO, body.getBytes(StandardCharsets.UTF_8));
  }

  static Answer denied(String what) {
    return status(403, "admission webhook \"keep\" denied the request: pods are " + what + " here");
  }

  static Answer webhookFailed(String why) {
    return status(500, "Internal error occurred: failed calling webhook \"slow\": " + why);
  }

  static Answer ok(int code, JsonNode object) {
    return new Answer(code, Duration.ZERO, object.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static Answer notFound(String path) {
    return status(404, path + " not found");
  }

  Answer create(String path, JsonNode body) {
    ApiPath parts = ApiPath.of(path);
    if (parts.resource().equals("events")) {
      return ok(201, body);
    }
    if (parts.resource().equals(REVISION_RESOURCE)) {
      return createRevision((ObjectNode) body);
    }
    if (parts.resource().equals("pods") && parts.query().equals("dryRun=All")) {
      return tryToCreate((ObjectNode) body);
    }
    if (parts.subresource().equals("eviction")) {
      return evict(path, body);
    }
    if (parts.resource().equals(SimulatedClaims.RESOURCE)) {
      return claims.create(parts, (ObjectNode) body);
    }
    return notFound(path);
  }

  private Answer createRevision(ObjectNode revision) {
    if (store.find(ObjectKey.of(revision)).isPresent()) {
      return status(409, ObjectKey.of(revision).name() + " already exists");
    }
    store.put(revision);
    return ok(201, revision);
  }

  /** Returns the stored revisions with a label. */
  private ObjectNode revisions(String selector) {
    String label = selector.replaceFirst("^labelSelector=", "").replaceFirst("=true$", "");
    ObjectNode list = JsonNodeFactory.instance.objectNode();
    list.put("apiVersion", "apps/v1").put("kind", REVISIONS + "List");
    ArrayNode items = list.putArray("items");
    store.all(REVISIONS).stream()
        .filter(revision -> revision.path("metadata").path("labels").has(label))
        .forEach(items::add);
    return list;
  }

  /** Sends a pod through admission, without storing it. */
  private Answer tryToCreate(ObjectNode pod) {
    ObjectNode metadata = pod.withObject("/metadata");
    metadata.put("name", metadata.path("generateName").asText() + "tried");
    return store
        .admit(pod)
        .map(admitted -> ok(201, admitted))
        .orElseGet(() -> status(403, "the pod was denied"));
  }

  private Answer evict(String path, JsonNode eviction) {
    ObjectKey key = ApiPath.of(path).pod();
    ObjectNode pod = key == null ? null : store.find(key).orElse(null);
    if (pod == null) {
      return notFound(path);
    }
    if (isProtected(pod)) {
      return status(429, "Cannot evict pod as it would violate the pod's disruption budget.");
    }
    Answer answer = delete(path, eviction.path("deleteOptions"));
    if (answer.ok()) {
      observer.evicted(key);
    }
    return answer;
  }

  /** Returns whether a disruption budget of a pod on a node allows no disruption. */
  private boolean isProtected(ObjectNode pod) {
    return !KubeObjects.nodeOf(pod).isEmpty()
        && store.all("PodDisruptionBudget").stream()
            .filter(
                budget -> ObjectKey.of(budget).namespace().equals(ObjectKey.of(pod).namespace()))
            .filter(
                budget ->
                    budget
                        .at("/spec/selector/matchLabels/app")
                        .equals(pod.at("/metadata/labels/app")))
            .anyMatch(budget -> budget.at("/status/disruptionsAllowed").asInt() <= 0);
  }

  Answer read(String path) {
    if (path.equals(USAGE)) {
      return ok(200, usage());
    }
    ApiPath parts = ApiPath.of(path);
    if (parts.resource().equals(REVISION_RESOURCE) && parts.name().isEmpty()) {
      return ok(200, revisions(parts.query()));
    }
    if (parts.resource().equals(SimulatedClaims.RESOURCE)) {
      return claims.read(parts);
    }
    ObjectKey pod = parts.pod();
    return pod == null
        ? notFound(path)
        : store.find(pod).map(found -> ok(200, found)).orElseGet(() -> notFound(path));
  }

  /** Returns the usage of all nodes, as metrics-server reports it. */
  private ObjectNode usage() {
    ObjectNode list = JsonNodeFactory.instance.objectNode();
    for (ObjectNode node : store.all("Node")) {
      ObjectNode item = list.withArrayProperty("items").addObject();
      item.withObject("/metadata").put("name", ObjectKey.of(node).name());
      item.put("timestamp", time.instant().toString()).put("window", "20s");
      ObjectNode used = item.withObject("/usage");
      used.put("cpu", time.random().nextInt(4_000) + "m");
      used.put("memory", time.random().nextInt(16_000) + "Mi");
    }
    return list;
  }

  private Answer deleteRevision(ApiPath parts, String path) {
    ObjectKey key = new ObjectKey(REVISIONS, parts.namespace(), parts.name());
    Optional<ObjectNode> revision = store.find(key);
    store.remove(key);
    return revision.map(gone -> ok(200, gone)).orElseGet(() -> notFound(path));
  }

  Answer bind(String path, JsonNode binding) {
    ObjectKey key = ApiPath.of(path).pod();
    ObjectNode pod = key == null ? null : store.find(key).orElse(null);
    if (pod == null) {
      return notFound(path);
    }
    if (!hasUid(pod, binding.path("metadata").path("uid"))) {
      return status(409, "the UID in the precondition does not match");
    }
    String bound = KubeObjects.nodeOf(pod);
    if (!bound.isEmpty() || KubeObjects.isTerminating(pod)) {
      return status(409, "pod " + key.name() + " is already assigned to node \"" + bound + "\"");
    }
    store.write(
        key,
        changed -> {
          String node = binding.path("target").path("name").asText();
          changed.withObject("/spec").put("nodeName", node);
          changed.withObject("/status").remove("nominatedNodeName");
          ObjectNode condition = JsonNodeFactory.instance.objectNode();
          condition.put("type", "PodScheduled").put("status", "True");
          condition.putNull("reason").putNull("message");
          KubeObjects.setCondition(changed, condition);
          copy(binding, changed, "annotations");
          copy(binding, changed, "labels");
        });
    return status(201, "");
  }

  private static void copy(JsonNode binding, ObjectNode pod, String field) {
    binding
        .path("metadata")
        .path(field)
        .properties()
        .forEach(
            entry ->
                pod.withObject("/metadata")
                    .withObject("/" + field)
                    .set(entry.getKey(), entry.getValue()));
  }

  static boolean hasUid(JsonNode object, JsonNode uid) {
    return uid.isMissingNode() || uid.equals(object.path("metadata").path("uid"));
  }

  Answer patch(String path, JsonNode patch) {
    ApiPath parts = ApiPath.of(path);
    if (parts.resource().equals("events")) {
      return ok(200, patch);
    }
    if (parts.group().equals(OWN_GROUP)) {
      return applyStatus(parts, path, patch);
    }
    if (parts.resource().equals(SimulatedClaims.RESOURCE)) {
      return claims.patch(parts, patch);
    }
    if (parts.resource().equals("podgroups") && parts.subresource().equals("status")) {
      return patchGroup(parts, path, patch);
    }
    ObjectKey key = parts.pod();
    ObjectNode pod = key == null ? null : store.find(key).orElse(null);
    if (pod == null || !parts.subresource().equals("status")) {
      return notFound(path);
    }
    if (!hasUid(pod, patch.path("metadata").path("uid"))) {
      return status(409, "the UID in the precondition does not match");
    }
    store.write(
        key,
        changed -> {
          JsonNode status = patch.path("status");
          status
              .path("conditions")
              .forEach(condition -> KubeObjects.setCondition(changed, condition));
          JsonNode extended = status.path("extendedResourceClaimStatus");
          if (extended.isObject()) {
            changed.withObject("/status").set("extendedResourceClaimStatus", extended);
          }
          JsonNode nominated = status.path("nominatedNodeName");
          if (nominated.isNull()) {
            changed.withObject("/status").remove("nominatedNodeName");
          } else if (nominated.isTextual()) {
            changed.withObject("/status").set("nominatedNodeName", nominated);
          }
        });
    return ok(200, store.find(key).orElseThrow());
  }

  /**
   * Applies a status as its only field manager: what the patch does not have is removed. A patch
   * with a resourceVersion is only applied to that version.
   */
  private Answer applyStatus(ApiPath parts, String path, JsonNode patch) {
    @Nullable String kind = OWN_KINDS.get(parts.resource());
    if (kind == null || !parts.subresource().equals("status")) {
      return notFound(path);
    }
    ObjectKey key = new ObjectKey(kind, parts.namespace(), parts.name());
    ObjectNode before = store.find(key).orElse(null);
    if (before == null) {
      return notFound(path);
    }
    JsonNode version = patch.at("/metadata/resourceVersion");
    if (version.isTextual() && !version.equals(before.at("/metadata/resourceVersion"))) {
      return status(409, "the object has been modified");
    }
    store.write(key, changed -> changed.set("status", patch.path("status")));
    ObjectNode after = store.find(key).orElseThrow();
    observer.statusApplied(before, after);
    return ok(200, after);
  }

  private Answer patchGroup(ApiPath parts, String path, JsonNode patch) {
    ObjectKey key = new ObjectKey("PodGroup", parts.namespace(), parts.name());
    ObjectNode group = store.find(key).orElse(null);
    if (group == null) {
      return notFound(path);
    }
    if (!patch.at("/metadata/resourceVersion").equals(group.at("/metadata/resourceVersion"))) {
      return status(409, "the object has been modified");
    }
    store.write(
        key, changed -> changed.withObject("/status").setAll((ObjectNode) patch.path("status")));
    return ok(200, store.find(key).orElseThrow());
  }

  Answer delete(String path, JsonNode options) {
    ApiPath parts = ApiPath.of(path);
    if (parts.resource().equals(REVISION_RESOURCE)) {
      return deleteRevision(parts, path);
    }
    if (parts.resource().equals(SimulatedClaims.RESOURCE)) {
      return claims.delete(parts, options);
    }
    ObjectKey key = parts.pod();
    ObjectNode pod = key == null ? null : store.find(key).orElse(null);
    if (pod == null) {
      return notFound(path);
    }
    if (!hasUid(pod, options.path("preconditions").path("uid"))) {
      return status(409, "the UID in the precondition does not match");
    }
    if (faults.webhook(key.namespace()) == Webhook.DENIES_EVICTIONS) {
      observer.deletionDenied(pod);
      return denied("not evicted");
    }
    store.delete(key);
    return ok(200, pod);
  }
}
