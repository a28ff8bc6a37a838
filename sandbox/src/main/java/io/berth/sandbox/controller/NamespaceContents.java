package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.Optional;

/**
 * Creates the objects that pods expect in every namespace: the {@code default} ServiceAccount, and
 * the ConfigMap {@code kube-root-ca.crt} with the certificate authority, copied from {@code
 * kube-system}.
 */
final class NamespaceContents {
  private static final String AUTHORITY = "kube-root-ca.crt";

  private final Workloads workloads;
  private final ResourceType namespaces;
  private final ResourceType accounts;
  private final ResourceType configMaps;

  NamespaceContents(Workloads workloads) {
    this.workloads = workloads;
    this.namespaces = workloads.api.registry().builtIn("", "namespaces");
    this.accounts = workloads.api.registry().builtIn("", "serviceaccounts");
    this.configMaps = workloads.api.registry().builtIn("", "configmaps");
  }

  ResourceType namespaces() {
    return namespaces;
  }

  /** The ConfigMap type; a deleted copy of the certificate authority is restored. */
  ResourceType copied() {
    return configMaps;
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> namespace = workloads.get(namespaces, key);
    if (namespace.isEmpty() || Pods.isDeleted(namespace.get().json())) {
      return Optional.empty();
    }
    ensure(accounts, key.name(), "ServiceAccount", "default", Json.object());
    workloads
        .get(configMaps, new ObjectKey("kube-system", AUTHORITY))
        .ifPresent(
            source -> {
              ObjectNode content = Json.object();
              content.set("data", source.json().path("data").deepCopy());
              ensure(configMaps, key.name(), "ConfigMap", AUTHORITY, content);
            });
    return Optional.empty();
  }

  private void ensure(
      ResourceType type, String namespace, String kind, String name, ObjectNode object) {
    if (workloads.get(type, new ObjectKey(namespace, name)).isPresent()) {
      return;
    }
    object.put("apiVersion", "v1").put("kind", kind);
    object.putObject("metadata").put("name", name).put("namespace", namespace);
    try {
      workloads.writer.create(type, namespace, object);
    } catch (ApiException e) {
      if (e.code() != 409) {
        throw e;
      }
    }
  }
}
