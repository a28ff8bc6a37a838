package io.berth.sandbox.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The checks that a kubelet makes before it prepares the resource claims of a pod, with the
 * messages of the real one. There are no drivers on the simulated nodes, so nothing is prepared.
 */
final class ClaimPreparation {
  private final ClusterApi api;
  private final ResourceType claims;

  ClaimPreparation(ClusterApi api) {
    this.api = api;
    this.claims = api.registry().builtIn("resource.k8s.io", "resourceclaims");
  }

  /** Returns why the claims of a pod cannot be prepared; empty if they can. */
  Optional<String> problem(StoredObject pod) {
    JsonNode json = pod.json();
    Map<String, String> names = new LinkedHashMap<>();
    for (JsonNode claim : json.path("spec").path("resourceClaims")) {
      String reference = claim.path("name").asText();
      if (claim.has("resourceClaimName")) {
        names.put(reference, claim.path("resourceClaimName").asText());
      } else {
        made(json, reference).ifPresent(name -> names.put(reference, name));
      }
    }
    JsonNode extended = json.path("status").path("extendedResourceClaimStatus");
    if (extended.has("resourceClaimName")) {
      names.put("", extended.path("resourceClaimName").asText());
    }
    for (Map.Entry<String, String> name : names.entrySet()) {
      Optional<String> problem =
          name.getValue().isEmpty()
              ? Optional.of(
                  "pod \"%s/%s\": ResourceClaim not created yet"
                      .formatted(pod.key().namespace(), pod.key().name()))
              : problem(pod, name.getValue());
      if (problem.isPresent()) {
        return problem;
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the name of the claim that was made from a template, which is the empty text if there
   * is none yet; empty if the pod's status says that none is needed.
   */
  private static Optional<String> made(JsonNode pod, String reference) {
    for (JsonNode status : pod.path("status").path("resourceClaimStatuses")) {
      if (status.path("name").asText().equals(reference)) {
        return Optional.of(status.path("resourceClaimName"))
            .filter(JsonNode::isTextual)
            .map(JsonNode::asText);
      }
    }
    return Optional.of("");
  }

  private Optional<String> problem(StoredObject pod, String claimName) {
    Optional<StoredObject> claim =
        api.store().get(claims.storage(), new ObjectKey(pod.key().namespace(), claimName));
    if (claim.isEmpty()) {
      return Optional.of(
          "fetch ResourceClaim %s: resourceclaims.resource.k8s.io \"%s\" not found"
              .formatted(claimName, claimName));
    }
    for (JsonNode user : claim.get().json().path("status").path("reservedFor")) {
      if (user.path("uid").asText().equals(pod.uid())) {
        return Optional.empty();
      }
    }
    return Optional.of(
        "pod %s (%s) is not allowed to use ResourceClaim %s (%s)"
            .formatted(pod.key().name(), pod.uid(), claimName, claim.get().uid()));
  }
}
