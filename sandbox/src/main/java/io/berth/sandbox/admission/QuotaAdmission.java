package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.quantity.Amount;
import io.berth.sandbox.quantity.PodResources;
import io.berth.sandbox.quota.QuotaUsage;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The admission plugin ResourceQuota: charges the ResourceQuotas of a namespace for new objects and
 * rejects objects that exceed a quota. Each charge is a compare-and-set on the quota's status, so
 * concurrent requests cannot exceed it. If the request fails later, the charge is corrected by the
 * controller's next recalculation.
 */
public final class QuotaAdmission {
  private final ObjectStore store;
  private final ResourceType quotas;

  /** Creates the plugin over the quotas of a store. */
  public QuotaAdmission(ObjectStore store, ResourceRegistry registry) {
    this.store = store;
    this.quotas = registry.builtIn("", "resourcequotas");
  }

  /**
   * Charges all quotas that apply to a new object.
   *
   * @throws io.berth.sandbox.failure.ApiException 403 if the object exceeds a quota
   */
  public void charge(AdmissionRequest request) {
    if (request.operation() != Operation.CREATE
        || !request.subresource().isEmpty()
        || !request.type().namespaced()
        || request.object().isEmpty()) {
      return;
    }
    for (StoredObject quota : store.list(quotas.storage(), request.namespace()).objects()) {
      charge(request, request.object().get(), quota.key());
    }
  }

  private void charge(AdmissionRequest request, ObjectNode object, ObjectKey key) {
    while (true) {
      Optional<StoredObject> found = store.get(quotas.storage(), key);
      if (found.isEmpty()) {
        return;
      }
      StoredObject quota = found.get();
      JsonNode spec = quota.json().path("spec");
      Map<String, Amount> hard = PodResources.list(spec.path("hard"));
      Map<String, Amount> asked = new TreeMap<>(QuotaUsage.counted(spec, request.type(), object));
      String name = key.name();
      if (!asked.isEmpty() && request.type().is("", "pods")) {
        String missing = QuotaUsage.missing(spec, object);
        if (!missing.isEmpty()) {
          throw refused(request, "failed quota: " + name + ": must specify " + missing);
        }
      }
      asked.keySet().retainAll(hard.keySet());
      if (asked.isEmpty()) {
        return;
      }
      ObjectNode next = quota.copy();
      Map<String, Amount> used = PodResources.list(next.path("status").path("used"));
      check(request, name, asked, used, hard);
      if (request.dryRun()) {
        return;
      }
      ObjectNode total = next.withObjectProperty("status").withObjectProperty("used");
      asked.forEach(
          (resource, amount) ->
              total.put(
                  resource, used.getOrDefault(resource, Amount.ZERO).plus(amount).toString()));
      if (store.replace(quotas.storage(), quota, next).isPresent()) {
        return;
      }
    }
  }

  private static void check(
      AdmissionRequest request,
      String name,
      Map<String, Amount> asked,
      Map<String, Amount> used,
      Map<String, Amount> hard) {
    TreeMap<String, Amount> unknown = new TreeMap<>(asked);
    unknown.keySet().removeAll(used.keySet());
    if (!unknown.isEmpty()) {
      throw refused(
          request,
          "status unknown for quota: "
              + name
              + ", resources: "
              + String.join(",", unknown.keySet()));
    }
    TreeMap<String, Amount> exceeded = new TreeMap<>(asked);
    exceeded
        .entrySet()
        .removeIf(
            each ->
                each.getValue().isZero()
                    || used.get(each.getKey())
                            .plus(each.getValue())
                            .compareTo(hard.get(each.getKey()))
                        <= 0);
    if (!exceeded.isEmpty()) {
      throw refused(
          request,
          "exceeded quota: %s, requested: %s, used: %s, limited: %s"
              .formatted(
                  name, listed(exceeded, asked), listed(exceeded, used), listed(exceeded, hard)));
    }
  }

  private static String listed(SortedMap<String, Amount> which, Map<String, Amount> amounts) {
    return which.keySet().stream()
        .map(resource -> resource + "=" + amounts.get(resource))
        .collect(Collectors.joining(","));
  }

  private static RuntimeException refused(AdmissionRequest request, String why) {
    return Failures.forbidden(request.type().qualified(), request.name(), why);
  }
}
