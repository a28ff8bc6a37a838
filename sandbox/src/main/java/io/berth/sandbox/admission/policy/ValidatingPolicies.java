package io.berth.sandbox.admission.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.admission.AdmissionRequest;
import io.berth.sandbox.admission.MatchCriteria;
import io.berth.sandbox.admission.RequestNamespaces;
import io.berth.sandbox.admission.ReviewRequest;
import io.berth.sandbox.admission.policy.ValidatingPolicy.Refusal;
import io.berth.sandbox.cel.CelValues;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The stored ValidatingAdmissionPolicies and their bindings. Policies have no parameters, and audit
 * annotations are not evaluated, because there is no audit log.
 */
public final class ValidatingPolicies {
  private static final String GROUP = "admissionregistration.k8s.io";

  private final ObjectStore store;
  private final ResourceType policies;
  private final ResourceType bindings;
  private final RequestNamespaces namespaces;
  private final Map<ObjectKey, Compiled> cache = new ConcurrentHashMap<>();

  private record Compiled(long version, ValidatingPolicy policy) {}

  /** Creates the policies of a store. */
  public ValidatingPolicies(ObjectStore store, ResourceRegistry registry) {
    this.store = store;
    this.policies = registry.builtIn(GROUP, "validatingadmissionpolicies");
    this.bindings = registry.builtIn(GROUP, "validatingadmissionpolicybindings");
    this.namespaces = new RequestNamespaces(store, registry);
  }

  /**
   * Evaluates the policies that are bound for a request, and warns or denies as the bindings say.
   *
   * @throws ApiException if the request is denied
   */
  public void validate(AdmissionRequest request) {
    List<StoredObject> bound = store.list(bindings.storage(), null).objects();
    if (bound.isEmpty() || isPolicy(request.type())) {
      return;
    }
    Map<String, String> labels = namespaces.labels(request);
    Optional<ApiException> denial = Optional.empty();
    for (StoredObject stored : store.list(policies.storage(), null).objects()) {
      ValidatingPolicy policy = compiled(stored);
      if (policy.covers(request, labels)) {
        String name = stored.key().name();
        List<JsonNode> applied =
            bound.stream()
                .map(StoredObject::json)
                .<JsonNode>map(binding -> binding)
                .filter(binding -> binding.at("/spec/policyName").asText().equals(name))
                .filter(binding -> covers(binding, request, labels))
                .toList();
        Optional<ApiException> own = apply(policy, name, applied, request);
        denial = denial.or(() -> own);
      }
    }
    if (denial.isPresent()) {
      throw denial.get();
    }
  }

  /** Returns whether a type is exempt, so that no policy can keep itself from being removed. */
  private static boolean isPolicy(ResourceType type) {
    return type.group().equals(GROUP) && type.plural().contains("admissionpolic");
  }

  private static boolean covers(
      JsonNode binding, AdmissionRequest request, Map<String, String> namespaceLabels) {
    JsonNode resources = binding.at("/spec/matchResources");
    return new MatchCriteria(resources, resources.path("resourceRules"))
        .cover(request, namespaceLabels);
  }

  /** Applies a policy through its bindings; returns the first denial. */
  private Optional<ApiException> apply(
      ValidatingPolicy policy, String name, List<JsonNode> applied, AdmissionRequest request) {
    if (applied.isEmpty()) {
      return Optional.empty();
    }
    List<Refusal> refusals = policy.refusals(values(request));
    Optional<ApiException> denial = Optional.empty();
    for (JsonNode binding : applied) {
      String by =
          "ValidatingAdmissionPolicy '%s' with binding '%s'"
              .formatted(name, binding.at("/metadata/name").asText());
      for (Refusal refusal : refusals) {
        for (JsonNode action : binding.at("/spec/validationActions")) {
          if (action.asText().equals("Warn")) {
            request.warnings().accept("Validation failed for " + by + ": " + refusal.message());
          } else if (action.asText().equals("Deny") && denial.isEmpty()) {
            denial =
                Optional.of(
                    Failures.denied(
                        request.type().qualified(),
                        request.name(),
                        refusal.reason(),
                        by + " denied request: " + refusal.message()));
          }
        }
      }
    }
    return denial;
  }

  private Map<String, Object> values(AdmissionRequest request) {
    ObjectNode review = ReviewRequest.of(request);
    Map<String, Object> values = new HashMap<>();
    values.put("object", CelValues.of(review.path("object")));
    values.put("oldObject", CelValues.of(review.path("oldObject")));
    values.put(
        "namespaceObject",
        CelValues.of(
            namespaces.of(request).<JsonNode>map(StoredObject::json).orElse(Json.object())));
    values.put("params", CelValues.of(Json.object().path("params")));
    review.remove(List.of("object", "oldObject"));
    values.put("request", CelValues.of(review));
    return values;
  }

  private ValidatingPolicy compiled(StoredObject stored) {
    return cache.compute(
            stored.key(),
            (key, known) ->
                known != null && known.version == stored.resourceVersion()
                    ? known
                    : new Compiled(
                        stored.resourceVersion(), new ValidatingPolicy(stored.json().path("spec"))))
        .policy;
  }
}
