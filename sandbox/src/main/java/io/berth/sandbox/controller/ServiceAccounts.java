package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.Optional;

/** Gives every namespace its ServiceAccount {@code default}. */
final class ServiceAccounts {
  private final Workloads workloads;
  private final ResourceType namespaces;
  private final ResourceType accounts;

  ServiceAccounts(Workloads workloads) {
    this.workloads = workloads;
    this.namespaces = workloads.api.registry().builtIn("", "namespaces");
    this.accounts = workloads.api.registry().builtIn("", "serviceaccounts");
  }

  ResourceType namespaces() {
    return namespaces;
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> namespace = workloads.get(namespaces, key);
    if (namespace.isEmpty() || Pods.isDeleted(namespace.get().json())) {
      return Optional.empty();
    }
    ObjectKey account = new ObjectKey(key.name(), "default");
    if (workloads.get(accounts, account).isEmpty()) {
      ObjectNode object = Json.object();
      object.put("apiVersion", "v1").put("kind", "ServiceAccount");
      object.putObject("metadata").put("name", "default").put("namespace", key.name());
      try {
        workloads.writer.create(accounts, key.name(), object);
      } catch (ApiException e) {
        if (e.code() != 409) {
          throw e;
        }
      }
    }
    return Optional.empty();
  }
}
