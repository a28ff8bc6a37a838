package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.quantity.Amount;
import io.berth.sandbox.quantity.PodResources;
import io.berth.sandbox.quota.QuotaUsage;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The resource quota controller: recalculates the usage in the status of ResourceQuotas. As in
 * kube-controller-manager, it runs when the limits of a quota change, when a pod of the namespace
 * ends or is deleted, and periodically, because admission also charges objects that are then not
 * stored. It does not run when admission charges a new object: that object is not stored yet, so
 * the recalculation would take the charge back. The usage is written only if the quota has not
 * changed since the calculation.
 */
final class QuotaController {
  private static final Duration RECOUNT = Duration.ofSeconds(5);

  private final Workloads workloads;
  private final ResourceType quotas;

  QuotaController(Workloads workloads) {
    this.workloads = workloads;
    this.quotas = workloads.api.registry().builtIn("", "resourcequotas");
  }

  ResourceType quotas() {
    return quotas;
  }

  /** Returns whether the limits of a quota are not in its status yet. */
  boolean limitsChanged(StoredObject quota) {
    return !quota.json().path("spec").path("hard").equals(quota.json().path("status").path("hard"));
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> found = workloads.get(quotas, key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    StoredObject quota = found.get();
    var hard = quota.json().path("spec").path("hard");
    Map<String, Amount> used = PodResources.list(hard);
    used.replaceAll((resource, bound) -> new Amount(Amount.ZERO.value(), bound.notation()));
    for (ResourceType type : counted(used.keySet())) {
      for (StoredObject object :
          workloads.api.store().list(type.storage(), key.namespace()).objects()) {
        QuotaUsage.counted(quota.json().path("spec"), type, object.json())
            .forEach((name, amount) -> used.computeIfPresent(name, (n, sum) -> sum.plus(amount)));
      }
    }
    ObjectNode status = Json.object();
    status.set("hard", hard.deepCopy());
    ObjectNode amounts = status.putObject("used");
    used.forEach((name, amount) -> amounts.put(name, amount.toString()));
    if (status.equals(quota.json().path("status"))) {
      return Optional.of(RECOUNT);
    }
    ObjectNode next = quota.copy();
    next.set("status", status);
    boolean written = workloads.api.store().replace(quotas.storage(), quota, next).isPresent();
    return Optional.of(written ? RECOUNT : Duration.ZERO);
  }

  /** Returns the resource types whose objects count toward any of these quota names. */
  private Set<ResourceType> counted(Set<String> names) {
    Set<ResourceType> types = new LinkedHashSet<>();
    types.add(workloads.pods);
    for (ResourceType type : workloads.api.registry().all()) {
      boolean named =
          names.stream()
              .anyMatch(
                  name ->
                      name.equals("count/" + type.qualified())
                          || name.equals(type.qualified())
                          || name.startsWith(type.qualified() + ".")
                          || (type.is("", "persistentvolumeclaims")
                              && name.endsWith("requests.storage"))
                          || name.endsWith("/" + type.qualified()));
      if (named && type.namespaced()) {
        types.add(type);
      }
    }
    return types;
  }
}
