package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.Storage;
import io.berth.sandbox.store.StoredObject;
import java.util.Optional;

/**
 * The effects of writes to CustomResourceDefinitions, namespaces, and ServiceAccounts: custom
 * resources are served, the default ServiceAccount is created, and content is removed.
 */
final class WriteEffects implements AfterWrite, AutoCloseable {
  static final Caller CALLER = Caller.controlPlane("apiserver");

  private final RestParts parts;
  private final ClusterApi api;
  private final ContentRemoval removal;

  WriteEffects(RestParts parts, ClusterApi api) {
    this.parts = parts;
    this.api = api;
    this.removal = new ContentRemoval(parts, api);
  }

  @Override
  public void created(ResourceType type, StoredObject object) {
    if (type.is("", "namespaces")) {
      makeServiceAccount(object.key().name());
    } else if (isDefinition(type)) {
      parts.customResources().serve(object.json());
    }
  }

  @Override
  public void updated(ResourceType type, StoredObject object) {
    if (type.is("", "namespaces") && object.json().path("metadata").has("deletionTimestamp")) {
      removal.namespace(object.key().name());
    } else if (isDefinition(type)) {
      if (object.json().path("metadata").has("deletionTimestamp")) {
        removal.definition(object.key().name());
      } else {
        parts.customResources().serve(object.json());
      }
    }
  }

  @Override
  public void deleted(ResourceType type, StoredObject object) {
    if (isDefinition(type)) {
      parts.customResources().forget(object.key().name());
      Storage storage = CustomResources.storageOf(object.json());
      parts.store().drop(storage);
    } else if (type.is("", "serviceaccounts") && object.key().name().equals("default")) {
      ResourceType namespaces = parts.registry().builtIn("", "namespaces");
      Optional<StoredObject> namespace =
          parts
              .store()
              .get(namespaces.storage(), ObjectKey.clusterScoped(object.key().namespace()));
      if (namespace.isPresent()
          && !namespace.get().json().path("metadata").has("deletionTimestamp")) {
        makeServiceAccount(object.key().namespace());
      }
    }
    removal.somethingWent();
  }

  private static boolean isDefinition(ResourceType type) {
    return type.is("apiextensions.k8s.io", "customresourcedefinitions");
  }

  private void makeServiceAccount(String namespace) {
    ObjectNode account = Json.object().put("apiVersion", "v1").put("kind", "ServiceAccount");
    account.putObject("metadata").put("name", "default");
    try {
      api.create(
          CALLER,
          parts.registry().builtIn("", "serviceaccounts"),
          namespace,
          account,
          WriteOptions.plain());
    } catch (ApiException e) {
      JsonNode status = e.status();
      if (status.path("code").asInt() != 409
          && status.path("code").asInt() != 403
          && status.path("code").asInt() != 404) {
        throw e;
      }
    }
  }

  @Override
  public void close() {
    removal.close();
  }
}
