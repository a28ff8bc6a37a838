package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.selector.LabelSelector;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Adoption and release of the objects of one kind: orphans are adopted by a controller whose
 * selector matches them, and objects that their controller's selector no longer matches are
 * released.
 */
final class Adoption {
  private final Workloads workloads;
  private final ResourceType children;
  private final OwnedObjects owned;
  private final List<ResourceType> controllers;
  private final Map<String, Long> seenGenerations = new HashMap<>();

  /**
   * Creates the adoption of one kind of objects.
   *
   * @param owned the index of all these objects
   * @param controllers the controller kinds that may own these objects
   */
  Adoption(
      Workloads workloads,
      ResourceType children,
      OwnedObjects owned,
      List<ResourceType> controllers) {
    this.workloads = workloads;
    this.children = children;
    this.owned = owned;
    this.controllers = controllers;
  }

  /**
   * Returns whether an object has to be released by its controller or, as an orphan, adopted by
   * one.
   */
  boolean concerns(StoredObject child) {
    if (!isAlive(child)) {
      return false;
    }
    Optional<JsonNode> owner = OwnedObjects.controller(child.json());
    return owner.isPresent()
        ? ownerThatDoesNotSelect(child, owner.get()).isPresent()
        : selecting(child).isPresent();
  }

  /**
   * Adopts the orphans selected by a controller that is new or whose generation has changed. Called
   * before the controller counts its objects. The orphans are read from the store: the index of
   * owned objects may not know yet an orphan that is older than the controller.
   */
  synchronized void claim(StoredObject controller) {
    if (Pods.isDeleted(controller.json())) {
      return;
    }
    long generation = controller.json().path("metadata").path("generation").asLong();
    Long seen = seenGenerations.put(controller.uid(), generation);
    if (seen != null && seen == generation) {
      return;
    }
    workloads.api.store().list(children.storage(), controller.key().namespace()).objects().stream()
        .filter(child -> OwnedObjects.controller(child.json()).isEmpty())
        .filter(orphan -> isAlive(orphan) && selects(controller, orphan.labels()))
        .forEach(orphan -> adopt(orphan, controller));
  }

  /** Drops the state of a deleted controller. */
  synchronized void forget(StoredObject controller) {
    seenGenerations.remove(controller.uid());
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> found = workloads.get(children, key);
    if (found.isEmpty() || !isAlive(found.get())) {
      return Optional.empty();
    }
    StoredObject child = found.get();
    Optional<JsonNode> owner = OwnedObjects.controller(child.json());
    if (owner.isPresent()) {
      ownerThatDoesNotSelect(child, owner.get()).ifPresent(wrong -> release(child, wrong));
    } else {
      selecting(child).ifPresent(controller -> adopt(child, controller));
    }
    return Optional.empty();
  }

  private static boolean isAlive(StoredObject child) {
    return Pods.isActive(child.json());
  }

  private Optional<StoredObject> ownerThatDoesNotSelect(StoredObject child, JsonNode owner) {
    return controllers.stream()
        .filter(type -> type.kind().equals(owner.path("kind").asText()))
        .flatMap(
            type ->
                workloads
                    .get(type, type.key(child.key().namespace(), owner.path("name").asText()))
                    .stream())
        .filter(controller -> controller.uid().equals(owner.path("uid").asText()))
        .filter(controller -> !selects(controller, child.labels()))
        .findFirst();
  }

  private Optional<StoredObject> selecting(StoredObject child) {
    return controllers.stream()
        .flatMap(
            type ->
                workloads
                    .api
                    .store()
                    .list(type.storage(), child.key().namespace())
                    .objects()
                    .stream())
        .filter(controller -> !Pods.isDeleted(controller.json()))
        .filter(controller -> selects(controller, child.labels()))
        .findFirst();
  }

  /** Returns whether a controller selects objects with these labels. */
  static boolean selects(StoredObject controller, Map<String, String> labels) {
    JsonNode selector = controller.json().path("spec").path("selector");
    if (!controller.json().path("kind").asText().equals("ReplicationController")) {
      return LabelSelector.ofObject(selector).matches(labels);
    }
    ObjectNode written = Json.object();
    written.set("matchLabels", selector);
    return !selector.isEmpty() && LabelSelector.ofObject(written).matches(labels);
  }

  private void adopt(StoredObject child, StoredObject controller) {
    change(
            child,
            tree -> {
              if (OwnedObjects.controller(tree).isPresent()) {
                return false;
              }
              tree.withObject("metadata")
                  .withArray("ownerReferences")
                  .add(Pods.controllerReference(controller.json()));
              return true;
            })
        .ifPresent(owned::put);
  }

  private void release(StoredObject child, StoredObject controller) {
    change(child, tree -> MetadataLists.dropOwner(tree, controller.uid()));
  }

  private Optional<StoredObject> change(StoredObject child, Predicate<ObjectNode> change) {
    return workloads.writer.change(children, child.key(), child.uid(), "", change);
  }
}
