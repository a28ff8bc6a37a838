package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import java.util.Optional;

/**
 * Denies pods of guarded PriorityClasses in namespaces that have no ResourceQuota for the class.
 * The API server's own {@code limitedResources} setting does the same, but changing it requires a
 * restart of the API server.
 */
final class QuotaGuardCheck {
  private QuotaGuardCheck() {}

  /**
   * Returns the reason to deny a pod; empty if it is admitted. The reason does not name the policy
   * that guards the class, which the namespace may not be allowed to use.
   *
   * @throws LookupFailedException if the catalog contains no such quota and the API server cannot
   *     be queried for one
   */
  static Optional<Problem> check(
      CatalogReader reader, String namespace, JsonNode pod, ConfigCatalog catalog) {
    String priorityClass = pod.path("spec").path("priorityClassName").asText("");
    if (priorityClass.isEmpty()
        || catalog.guardOf(priorityClass).isEmpty()
        || reader.hasQuotaFor(catalog, namespace, priorityClass)) {
      return Optional.empty();
    }
    return Optional.of(
        new Problem(
            ErrorCode.QUOTA_REQUIRED,
            "spec.priorityClassName",
            "pods of PriorityClass "
                + Quoted.name(priorityClass)
                + " are admitted only in namespaces with a ResourceQuota for it, and "
                + namespace
                + " has none: create a ResourceQuota there with spec.scopeSelector.matchExpressions"
                + " [{scopeName: PriorityClass, operator: In, values: ["
                + priorityClass
                + "]}] and the limits under spec.hard, or use another PriorityClass"));
  }
}
