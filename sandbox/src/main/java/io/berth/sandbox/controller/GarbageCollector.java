package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.loop.StoreFeed;
import io.berth.sandbox.loop.WorkQueue;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The garbage collector: deletes objects whose owners no longer exist and implements the finalizers
 * {@code orphan} and {@code foregroundDeletion}. It watches every stored resource except events,
 * including custom resources that are added later.
 */
final class GarbageCollector implements AutoCloseable {
  private static final Duration LOOK_FOR_RESOURCES = Duration.ofMillis(500);
  private static final Set<String> NEVER_OWNED = Set.of("events");
  private static final ObjectKey RESOURCES = new ObjectKey("", "");

  private final Workloads workloads;
  private final WorkQueue queue;
  private final Map<String, StoreFeed> feeds = new HashMap<>();
  private final Map<String, Node> nodes = new HashMap<>();
  private final Map<String, Map<String, Node>> dependents = new HashMap<>();

  /**
   * An object of the ownership graph: its type, its last seen version, and the UIDs of its owners.
   */
  private record Node(ResourceType type, StoredObject object, List<String> owners) {
    static Node of(ResourceType type, StoredObject object) {
      List<String> owners = new ArrayList<>();
      for (JsonNode owner : object.json().path("metadata").path("ownerReferences")) {
        owners.add(owner.path("uid").asText());
      }
      return new Node(type, object, List.copyOf(owners));
    }
  }

  GarbageCollector(Workloads workloads) {
    this.workloads = workloads;
    this.queue = WorkQueue.start("garbage-collector", this::reconcile);
    queue.add(RESOURCES);
  }

  private Optional<Duration> reconcile(ObjectKey key) {
    if (key.equals(RESOURCES)) {
      follow();
      return Optional.of(LOOK_FOR_RESOURCES);
    }
    collect(key.name());
    return Optional.empty();
  }

  private void follow() {
    for (ResourceType type : workloads.api.registry().all()) {
      if (!NEVER_OWNED.contains(type.plural())
          && type.verbs().contains("watch")
          && !feeds.containsKey(type.storage().id())) {
        feeds.put(
            type.storage().id(),
            StoreFeed.start(workloads.api.store(), type.storage(), new Follower(type)));
      }
    }
  }

  private final class Follower implements StoreFeed.Listener {
    private final ResourceType type;

    Follower(ResourceType type) {
      this.type = type;
    }

    @Override
    public void upserted(StoredObject object) {
      String uid = object.uid();
      Node node = Node.of(type, object);
      boolean otherOwners;
      synchronized (nodes) {
        Node old = nodes.put(uid, node);
        otherOwners = old == null ? !node.owners.isEmpty() : !old.owners.equals(node.owners);
        if (old != null) {
          unlink(old);
        }
        for (String owner : node.owners) {
          dependents.computeIfAbsent(owner, ignored -> new LinkedHashMap<>()).put(uid, node);
        }
      }
      if (otherOwners || Pods.isDeleted(object.json())) {
        queue.add(new ObjectKey("", uid));
      }
    }

    @Override
    public void removed(StoredObject object) {
      String uid = object.uid();
      List<String> concerned;
      synchronized (nodes) {
        Node old = nodes.remove(uid);
        if (old != null) {
          unlink(old);
        }
        concerned = new ArrayList<>(dependents.getOrDefault(uid, Map.of()).keySet());
      }
      concerned.forEach(each -> queue.add(new ObjectKey("", each)));
      Node.of(type, object).owners.forEach(owner -> queue.add(new ObjectKey("", owner)));
    }
  }

  private void unlink(Node node) {
    String uid = node.object.uid();
    for (String ownerUid : node.owners) {
      Map<String, Node> siblings = dependents.get(ownerUid);
      if (siblings != null) {
        siblings.remove(uid);
        if (siblings.isEmpty()) {
          dependents.remove(ownerUid);
        }
      }
    }
  }

  private void collect(String uid) {
    Node node;
    List<Node> owned;
    synchronized (nodes) {
      node = nodes.get(uid);
      owned = new ArrayList<>(dependents.getOrDefault(uid, Map.of()).values());
    }
    if (node == null) {
      return;
    }
    Optional<StoredObject> now = workloads.get(node.type, node.object.key());
    if (now.isEmpty() || !now.get().uid().equals(uid)) {
      return;
    }
    JsonNode json = now.get().json();
    if (Pods.isDeleted(json)) {
      finalizers(Node.of(node.type, now.get()), owned);
      return;
    }
    JsonNode owners = json.path("metadata").path("ownerReferences");
    if (owners.isEmpty()) {
      return;
    }
    boolean alive = false;
    boolean waited = false;
    Set<String> leaving = new HashSet<>();
    for (JsonNode owner : owners) {
      Optional<StoredObject> there = owner(node, owner);
      boolean foreground = there.isPresent() && has(there.get().json(), "foregroundDeletion");
      waited |= foreground;
      if (there.isPresent() && !foreground) {
        alive = true;
      } else {
        leaving.add(owner.path("uid").asText());
      }
    }
    if (alive) {
      leaving.forEach(owner -> disown(node, owner));
      return;
    }
    boolean foreground = waited && !owned.isEmpty();
    if (foreground
        && owned.stream().anyMatch(each -> has(each.object.json(), "foregroundDeletion"))) {
      unblock(node);
      leaving.forEach(owner -> queue.add(new ObjectKey("", owner)));
    }
    DeleteOptions options =
        foreground ? DeleteOptions.plain().propagating("Foreground") : DeleteOptions.background();
    workloads.writer.delete(node.type, now.get().key(), uid, options);
  }

  /**
   * Clears {@code blockOwnerDeletion} in the owner references. The object may be part of an
   * ownership cycle, whose members would otherwise wait for each other.
   */
  private void unblock(Node node) {
    workloads.writer.change(
        node.type,
        node.object.key(),
        node.object.uid(),
        "",
        tree -> {
          boolean changed = false;
          for (JsonNode owner : tree.path("metadata").path("ownerReferences")) {
            changed |= owner.path("blockOwnerDeletion").asBoolean();
            ((ObjectNode) owner).put("blockOwnerDeletion", false);
          }
          return changed;
        });
  }

  private Optional<StoredObject> owner(Node dependent, JsonNode owner) {
    Optional<ResourceType> type =
        workloads
            .api
            .registry()
            .ofKind(owner.path("apiVersion").asText(), owner.path("kind").asText());
    return type.flatMap(
            found ->
                workloads.get(
                    found,
                    found.key(dependent.object.key().namespace(), owner.path("name").asText())))
        .filter(found -> found.uid().equals(owner.path("uid").asText()));
  }

  private void finalizers(Node node, List<Node> owned) {
    JsonNode json = node.object.json();
    String uid = node.object.uid();
    if (has(json, "orphan")) {
      owned.forEach(each -> disown(each, uid));
      removeFinalizer(node, "orphan");
    } else if (has(json, "foregroundDeletion")) {
      boolean blocked = false;
      for (Node each : owned) {
        Optional<StoredObject> there = workloads.get(each.type, each.object.key());
        if (there.isEmpty() || !there.get().uid().equals(each.object.uid())) {
          continue;
        }
        blocked |= blocks(there.get().json(), uid);
        if (!Pods.isDeleted(there.get().json())) {
          queue.add(new ObjectKey("", each.object.uid()));
        }
      }
      if (!blocked) {
        removeFinalizer(node, "foregroundDeletion");
      }
    }
  }

  private static boolean blocks(JsonNode dependent, String ownerUid) {
    for (JsonNode owner : dependent.path("metadata").path("ownerReferences")) {
      if (owner.path("uid").asText().equals(ownerUid)) {
        return owner.path("blockOwnerDeletion").asBoolean();
      }
    }
    return false;
  }

  private void disown(Node dependent, String ownerUid) {
    workloads.writer.change(
        dependent.type,
        dependent.object.key(),
        dependent.object.uid(),
        "",
        tree -> MetadataLists.dropOwner(tree, ownerUid));
  }

  private void removeFinalizer(Node node, String finalizer) {
    workloads.writer.change(
        node.type,
        node.object.key(),
        node.object.uid(),
        "",
        tree -> MetadataLists.dropFinalizer(tree, finalizer));
  }

  private static boolean has(JsonNode object, String finalizer) {
    for (JsonNode each : object.path("metadata").path("finalizers")) {
      if (each.asText().equals(finalizer)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    queue.close();
    feeds.values().forEach(StoreFeed::close);
  }
}
