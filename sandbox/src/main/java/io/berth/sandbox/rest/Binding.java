package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.admission.AdmissionRequest;
import io.berth.sandbox.admission.Operation;
import io.berth.sandbox.admission.TopologyLabels;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.release.ServerFeature;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.util.Optional;

/** The {@code binding} subresource of pods, which assigns a pod to a node once. */
final class Binding {
  private final RestParts parts;
  private final ObjectPreparation preparation;
  private final AfterWrite afterWrite;
  private final TopologyLabels topologyLabels;

  Binding(RestParts parts, ObjectPreparation preparation, AfterWrite afterWrite) {
    this.parts = parts;
    this.preparation = preparation;
    this.afterWrite = afterWrite;
    this.topologyLabels = new TopologyLabels(parts.store(), parts.registry());
  }

  void bind(Caller caller, String namespace, String pod, ObjectNode sent, WriteOptions options) {
    ObjectNode binding = sent;
    String name = binding.path("metadata").path("name").asText();
    if (!name.isEmpty() && !name.equals(pod)) {
      throw Failures.badRequest("name in URL does not match name in Binding object");
    }
    String own = binding.path("metadata").path("namespace").asText();
    if (!own.isEmpty() && !own.equals(namespace)) {
      throw Failures.badRequest(
          "the namespace of the provided object does not match the namespace sent on the request");
    }
    checkTarget(binding);
    ResourceType pods = parts.registry().builtIn("", "pods");
    AdmissionRequest request = request(caller, pods, namespace, pod, binding, options);
    binding = parts.admission().mutate(request, changed -> {});
    if (binding.path("target").path("kind").asText().equals("Node")) {
      topologyLabels.copy(binding.path("target").path("name").asText(), binding);
    }
    parts.admission().validate(request.with(binding));
    assign(pods, new ObjectKey(namespace, pod), binding, options);
  }

  private static AdmissionRequest request(
      Caller caller,
      ResourceType pods,
      String namespace,
      String pod,
      ObjectNode binding,
      WriteOptions options) {
    return new AdmissionRequest(
        Operation.CREATE,
        pods,
        "binding",
        namespace,
        pod,
        Optional.of(binding),
        Optional.empty(),
        Json.object().put("kind", "CreateOptions").put("apiVersion", "meta.k8s.io/v1"),
        caller,
        options.dryRun(),
        options.warnings());
  }

  private static void checkTarget(ObjectNode binding) {
    JsonNode target = binding.path("target");
    String kind = target.path("kind").asText();
    if (!kind.isEmpty() && !kind.equals("Node")) {
      throw Failures.internal(
          "target.kind: Unsupported value: \""
              + kind
              + "\": supported values: \"Node\", \"<empty>\"");
    }
    if (target.path("name").asText().isEmpty()) {
      throw Failures.internal("target.name: Required value");
    }
  }

  private void assign(ResourceType pods, ObjectKey key, ObjectNode binding, WriteOptions options) {
    while (true) {
      StoredObject current =
          parts
              .store()
              .get(pods.storage(), key)
              .orElseThrow(() -> Failures.notFound("pods", key.name()));
      checkPreconditions(current, binding.path("metadata"));
      ObjectNode pod = current.copy();
      refuseUnassignable(pod);
      String now = preparation.now();
      pod.withObjectProperty("spec").put("nodeName", binding.path("target").path("name").asText());
      if (ServerFeature.CLEARED_NOMINATION.isIn(parts.version())) {
        pod.withObjectProperty("status").remove("nominatedNodeName");
      }
      copy(binding, pod, "annotations");
      if (ServerFeature.LABELS_OF_BINDINGS.isIn(parts.version())) {
        copy(binding, pod, "labels");
      }
      Conditions.set(pod, "PodScheduled", "True", "", "", now);
      if (options.dryRun()) {
        return;
      }
      Optional<StoredObject> bound = parts.store().replace(pods.storage(), current, pod);
      if (bound.isPresent()) {
        afterWrite.updated(pods, bound.get());
        return;
      }
    }
  }

  private static void copy(ObjectNode binding, ObjectNode pod, String field) {
    JsonNode from = binding.path("metadata").path(field);
    if (!from.isEmpty()) {
      ObjectNode to = pod.withObjectProperty("metadata").withObjectProperty(field);
      from.properties().forEach(entry -> to.set(entry.getKey(), entry.getValue()));
    }
  }

  private static void checkPreconditions(StoredObject current, JsonNode metadata) {
    String uid = metadata.path("uid").asText();
    if (!uid.isEmpty() && !uid.equals(current.uid())) {
      throw conflict(
          current.key().name(),
          "Precondition failed: UID in precondition: "
              + uid
              + ", UID in object meta: "
              + current.uid(),
          "pods");
    }
    String version = metadata.path("resourceVersion").asText();
    if (!version.isEmpty() && !version.equals(Long.toString(current.resourceVersion()))) {
      throw conflict(
          current.key().name(),
          "Precondition failed: ResourceVersion in precondition: "
              + version
              + ", ResourceVersion in object meta: "
              + current.resourceVersion(),
          "pods");
    }
  }

  private static void refuseUnassignable(ObjectNode pod) {
    String name = pod.path("metadata").path("name").asText();
    if (pod.path("metadata").has("deletionTimestamp")) {
      throw conflict(
          name, "pod " + name + " is being deleted, cannot be assigned to a host", "pods/binding");
    }
    String node = pod.path("spec").path("nodeName").asText();
    if (!node.isEmpty()) {
      throw conflict(
          name, "pod " + name + " is already assigned to node \"" + node + "\"", "pods/binding");
    }
    if (!pod.path("spec").path("schedulingGates").isEmpty()) {
      throw conflict(name, "pod " + name + " has non-empty .spec.schedulingGates", "pods/binding");
    }
  }

  private static ApiException conflict(String pod, String why, String resource) {
    return Failures.conflict(resource, pod, why);
  }
}
