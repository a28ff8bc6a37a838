package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.Storage;
import io.berth.sandbox.store.StoredObject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Removes the content of deleted namespaces and CustomResourceDefinitions, and then these
 * themselves. It runs on its own virtual thread and continues after each deletion of an object,
 * until all content is gone.
 */
final class ContentRemoval implements AutoCloseable {
  private static final Logger LOG = System.getLogger(ContentRemoval.class.getName());
  static final String DEFINITION_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

  private final RestParts parts;
  private final ClusterApi api;
  private final Set<String> namespaces = new LinkedHashSet<>();
  private final Set<String> definitions = new LinkedHashSet<>();
  private final Thread worker;
  private boolean dirty;
  private boolean closed;

  ContentRemoval(RestParts parts, ClusterApi api) {
    this.parts = parts;
    this.api = api;
    this.worker = Thread.ofVirtual().name("content-removal").start(this::run);
  }

  synchronized void namespace(String name) {
    namespaces.add(name);
    wake();
  }

  synchronized void definition(String name) {
    definitions.add(name);
    wake();
  }

  synchronized void somethingWent() {
    if (!namespaces.isEmpty() || !definitions.isEmpty()) {
      wake();
    }
  }

  private synchronized void wake() {
    dirty = true;
    notifyAll();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    worker.interrupt();
  }

  private synchronized boolean awaitWork() throws InterruptedException {
    while (!dirty && !closed) {
      wait();
    }
    dirty = false;
    return !closed;
  }

  private void run() {
    try {
      while (awaitWork()) {
        for (String name : copy(namespaces)) {
          attempt(() -> removeNamespace(name));
        }
        for (String name : copy(definitions)) {
          attempt(() -> removeDefinition(name));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void attempt(Runnable step) {
    try {
      step.run();
    } catch (ApiException e) {
      LOG.log(
          Level.WARNING,
          "content of a deleted namespace or definition could not be removed yet: {0}",
          e.getMessage());
    }
  }

  private synchronized List<String> copy(Set<String> names) {
    return List.copyOf(names);
  }

  private void removeNamespace(String name) {
    boolean empty = true;
    for (ResourceType type : parts.registry().all()) {
      if (type.namespaced()
          && type.verbs().contains("delete")
          && !type.group().equals("events.k8s.io")) {
        empty &= removeAll(type, name);
      }
    }
    ResourceType type = parts.registry().builtIn("", "namespaces");
    Optional<StoredObject> current =
        parts.store().get(type.storage(), ObjectKey.clusterScoped(name));
    if (current.isEmpty()) {
      done(namespaces, name);
    } else if (empty) {
      ObjectNode next = current.get().copy();
      next.withObjectProperty("spec").remove("finalizers");
      settle(type, current.get(), next);
    }
  }

  private void removeDefinition(String name) {
    ResourceType type =
        parts.registry().builtIn("apiextensions.k8s.io", "customresourcedefinitions");
    Optional<StoredObject> current =
        parts.store().get(type.storage(), ObjectKey.clusterScoped(name));
    if (current.isEmpty()) {
      done(definitions, name);
      return;
    }
    Storage storage = CustomResources.storageOf(current.get().json());
    for (ResourceType served : parts.registry().all()) {
      if (served.custom() && served.storage().id().equals(storage.id())) {
        removeAll(served, null);
        break;
      }
    }
    if (parts.store().size(storage) == 0) {
      ObjectNode next = current.get().copy();
      ArrayNode kept = next.arrayNode();
      for (JsonNode finalizer : next.path("metadata").path("finalizers")) {
        if (!finalizer.asText().equals(DEFINITION_FINALIZER)) {
          kept.add(finalizer);
        }
      }
      next.withObjectProperty("metadata").set("finalizers", kept);
      settle(type, current.get(), next);
    }
  }

  /** Deletes all objects that are not terminating yet, and returns whether none are left. */
  private boolean removeAll(ResourceType type, @Nullable String namespace) {
    for (StoredObject object : parts.store().list(type.storage(), namespace).objects()) {
      if (!object.json().path("metadata").has("deletionTimestamp")) {
        try {
          api.delete(
              WriteEffects.CALLER,
              type,
              object.key().namespace(),
              object.key().name(),
              DeleteOptions.background());
        } catch (ApiException e) {
          if (e.code() != 404) {
            throw e;
          }
        }
      }
    }
    return parts.store().list(type.storage(), namespace).objects().isEmpty();
  }

  private void settle(ResourceType type, StoredObject current, ObjectNode next) {
    boolean settled =
        Deleting.isOver(next)
            ? new Deleting(parts, new GoneListener()).remove(type, current, next).isPresent()
            : parts.store().replace(type.storage(), current, next).isPresent();
    if (!settled) {
      wake();
    }
  }

  private synchronized void done(Set<String> names, String name) {
    names.remove(name);
  }

  /** Stops serving a definition that was removed by this thread. */
  private final class GoneListener implements AfterWrite {
    @Override
    public void created(ResourceType type, StoredObject object) {}

    @Override
    public void updated(ResourceType type, StoredObject object) {}

    @Override
    public void deleted(ResourceType type, StoredObject object) {
      if (type.is("apiextensions.k8s.io", "customresourcedefinitions")) {
        parts.customResources().forget(object.key().name());
        parts.store().drop(CustomResources.storageOf(object.json()));
        done(definitions, object.key().name());
      } else {
        done(namespaces, object.key().name());
      }
    }
  }
}
