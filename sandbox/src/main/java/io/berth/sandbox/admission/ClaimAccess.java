package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Access;
import io.berth.sandbox.auth.RbacAuthorizer;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.release.ServerFeature;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The rights that writing a resource claim takes beyond access to the object: a namespace with a
 * label for admin access, {@code resourceclaims/binding} for allocation and reservation, and {@code
 * resourceclaims/driver} for what a driver reports of its devices.
 */
final class ClaimAccess {
  private static final String GROUP = "resource.k8s.io";
  private static final String ADMIN_LABEL = "resource.kubernetes.io/admin-access";
  private static final String ACCOUNT = "system:serviceaccount:";
  private static final String NODE_NAME = "authentication.kubernetes.io/node-name";

  private final RequestNamespaces namespaces;
  private final RbacAuthorizer authorizer;
  private final boolean checksStatus;

  ClaimAccess(
      ObjectStore store,
      ResourceRegistry registry,
      RbacAuthorizer authorizer,
      KubernetesVersion version) {
    this.namespaces = new RequestNamespaces(store, registry);
    this.authorizer = authorizer;
    this.checksStatus = ServerFeature.RIGHTS_IN_CLAIM_STATUS.isIn(version);
  }

  /**
   * Checks the rights of a request for a claim or a template; accepts all others.
   *
   * @throws ApiException 422 if a right is missing
   */
  void validate(AdmissionRequest request) {
    if (!request.type().group().equals(GROUP) || request.object().isEmpty()) {
      return;
    }
    ObjectNode object = request.object().get();
    List<FieldError> errors = new ArrayList<>();
    boolean claims = request.type().plural().equals("resourceclaims");
    if (request.operation() == Operation.CREATE) {
      if (claims) {
        admin(request, object.at("/spec/devices/requests"), errors);
      } else if (request.type().plural().equals("resourceclaimtemplates")) {
        admin(request, object.at("/spec/spec/devices/requests"), errors);
      }
    } else if (claims && request.subresource().equals("status")) {
      JsonNode old =
          request
              .oldObject()
              .map(before -> before.path("status"))
              .orElse(MissingNode.getInstance());
      status(request, object.path("status"), old, errors);
    }
    if (!errors.isEmpty()) {
      throw Failures.invalid(GROUP, request.type().kind(), request.name(), errors);
    }
  }

  private void admin(AdmissionRequest request, JsonNode requests, List<FieldError> errors) {
    for (int i = 0; i < requests.size(); i++) {
      if (requests.get(i).at("/exactly/adminAccess").asBoolean()) {
        requireAdminLabel(request, "spec.devices.requests[" + i + "].adminAccess", errors);
        return;
      }
    }
  }

  private void requireAdminLabel(AdmissionRequest request, String field, List<FieldError> errors) {
    String label =
        namespaces.of(request).map(StoredObject::labels).orElse(Map.of()).get(ADMIN_LABEL);
    if (!"true".equals(label)) {
      errors.add(
          FieldError.forbidden(
              field,
              "admin access to devices requires the `"
                  + ADMIN_LABEL
                  + ": true` label on the containing namespace"));
    }
  }

  private void status(
      AdmissionRequest request, JsonNode status, JsonNode old, List<FieldError> errors) {
    Optional<String> admin = adminResult(status);
    if (admin.isPresent() && adminResult(old).isEmpty()) {
      requireAdminLabel(request, admin.get(), errors);
    }
    if (!checksStatus) {
      return;
    }
    String verb =
        request.options().path("kind").asText().equals("PatchOptions") ? "patch" : "update";
    if (changed("allocation", status, old) || changed("reservedFor", status, old)) {
      refusal(request, verb, "binding", "", "")
          .ifPresent(
              why ->
                  errors.add(
                      FieldError.forbidden(
                          "status.allocation",
                          "changing status.allocation or status.reservedFor requires"
                              + " resource=\"resourceclaims/binding\", verb=\""
                              + verb
                              + "\" permission: "
                              + why)));
    }
    if (status.path("allocation").isObject()) {
      devices(request, verb, status, old, errors);
    }
  }

  private static Optional<String> adminResult(JsonNode status) {
    JsonNode results = status.at("/allocation/devices/results");
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i).path("adminAccess").asBoolean()) {
        return Optional.of("status.allocation.devices.results[" + i + "].adminAccess");
      }
    }
    return Optional.empty();
  }

  private static boolean changed(String field, JsonNode status, JsonNode old) {
    JsonNode now = status.path(field);
    JsonNode before = old.path(field);
    return !(now.equals(before) || (isUnset(now) && isUnset(before)));
  }

  /** Returns whether the API server sees no value: an empty list is one that is missing. */
  private static boolean isUnset(JsonNode value) {
    return value.isMissingNode() || value.isNull() || (value.isArray() && value.isEmpty());
  }

  private void devices(
      AdmissionRequest request,
      String verb,
      JsonNode status,
      JsonNode old,
      List<FieldError> errors) {
    List<String> verbs = new ArrayList<>();
    if (isOnNode(request, nodeName(status.path("allocation")))) {
      verbs.add("associated-node:" + verb);
    }
    verbs.add("arbitrary-node:" + verb);
    for (String driver : driversOfChanges(status, old)) {
      Optional<String> first = Optional.empty();
      boolean allowed = false;
      for (String each : verbs) {
        Optional<String> refused = refusal(request, each, "driver", request.namespace(), driver);
        allowed |= refused.isEmpty();
        first = first.or(() -> refused);
      }
      if (!allowed) {
        errors.add(
            FieldError.forbidden(
                "status.devices",
                "changing status.devices requires resource=\"resourceclaims/driver\", verb=\"["
                    + String.join(" ", verbs)
                    + "]\" permission: "
                    + first.orElse("")));
      }
    }
  }

  /** Returns the drivers of which devices were added, changed, or removed. */
  private static Set<String> driversOfChanges(JsonNode status, JsonNode old) {
    Map<List<String>, JsonNode> before = new HashMap<>();
    old.path("devices").forEach(device -> before.put(deviceKey(device), device));
    Set<String> drivers = new TreeSet<>();
    for (JsonNode device : status.path("devices")) {
      JsonNode known = before.remove(deviceKey(device));
      if (!device.equals(known)) {
        drivers.add(device.path("driver").asText());
      }
    }
    before.values().forEach(device -> drivers.add(device.path("driver").asText()));
    return drivers;
  }

  private static List<String> deviceKey(JsonNode device) {
    return List.of(
        device.path("driver").asText(),
        device.path("pool").asText(),
        device.path("device").asText(),
        device.path("shareID").asText());
  }

  /** Returns the one node that an allocation is for; empty if it is not for one node. */
  private static String nodeName(JsonNode allocation) {
    JsonNode terms = allocation.at("/nodeSelector/nodeSelectorTerms");
    JsonNode fields = terms.path(0).path("matchFields");
    JsonNode field = fields.path(0);
    boolean oneNode =
        terms.size() == 1
            && terms.path(0).path("matchExpressions").isEmpty()
            && fields.size() == 1
            && field.path("key").asText().equals("metadata.name")
            && field.path("operator").asText().equals("In")
            && field.path("values").size() == 1;
    return oneNode ? field.path("values").path(0).asText() : "";
  }

  private static boolean isOnNode(AdmissionRequest request, String node) {
    return !node.isEmpty()
        && request.caller().name().startsWith(ACCOUNT)
        && request.caller().extra().getOrDefault(NODE_NAME, List.of()).equals(List.of(node));
  }

  /** Returns why the caller lacks a right; empty if it has it. */
  private Optional<String> refusal(
      AdmissionRequest request, String verb, String part, String namespace, String name) {
    try {
      authorizer.require(
          request.caller(), new Access(verb, GROUP, "resourceclaims", part, namespace, name, ""));
      return Optional.empty();
    } catch (ApiException e) {
      return Optional.of(e.getMessage());
    }
  }
}
