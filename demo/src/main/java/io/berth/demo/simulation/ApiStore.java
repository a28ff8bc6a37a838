package io.berth.demo.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import io.berth.demo.tenants.SharedCluster;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a cluster, as an API server keeps them: each change gives an object a new
 * resourceVersion and is reported to all listeners at once, in order.
 */
final class ApiStore implements SharedCluster {

  private final Supplier<Instant> now;
  private final NavigableMap<ObjectKey, ObjectNode> objects = new TreeMap<>();
  private final List<Consumer<Change>> listeners = new ArrayList<>();
  private Admission admission = (object, before) -> Optional.of(object);
  private long version;
  private long uids;

  /**
   * A change.
   *
   * @param object the object after the change, or its last state if it was deleted; must not be
   *     changed
   */
  record Change(ObjectKey key, ObjectNode object, boolean deleted) {}

  /** Creates an empty store. */
  ApiStore(Supplier<Instant> now) {
    this.now = now;
  }

  /** Decides about objects that tenants write. */
  interface Admission {
    /**
     * Returns the object as it is stored; empty if it is denied.
     *
     * @param before the stored object; null if it is created
     */
    Optional<ObjectNode> admit(ObjectNode object, @Nullable ObjectNode before);
  }

  /** Sets what decides about objects that tenants write. */
  void admission(Admission decides) {
    admission = decides;
  }

  void listen(Consumer<Change> listener) {
    listeners.add(listener);
  }

  void ignore(Consumer<Change> listener) {
    listeners.remove(listener);
  }

  /** Creates an object, or replaces the one of the same name and UID. */
  void put(ObjectNode object) {
    ObjectKey key = ObjectKey.of(object);
    ObjectNode stored = object.deepCopy();
    ObjectNode metadata = stored.withObject("/metadata");
    ObjectNode before = objects.get(key);
    if (before == null) {
      metadata.put("uid", "uid-" + ++uids);
      metadata.put("creationTimestamp", now.get().toString());
    }
    metadata.put("resourceVersion", String.valueOf(++version));
    objects.put(key, stored);
    report(new Change(key, stored, false));
    if (hasLostFinalizers(before, stored)) {
      remove(key);
    }
  }

  private static boolean hasLostFinalizers(@Nullable ObjectNode before, ObjectNode stored) {
    return before != null
        && KubeObjects.isTerminating(stored)
        && hasFinalizers(before)
        && !hasFinalizers(stored);
  }

  private static boolean hasFinalizers(ObjectNode object) {
    return !object.at("/metadata/finalizers").isEmpty();
  }

  /** Changes an object, if it exists, without admission. */
  void write(ObjectKey key, Consumer<ObjectNode> change) {
    ObjectNode stored = objects.get(key);
    if (stored != null) {
      ObjectNode changed = stored.deepCopy();
      change.accept(changed);
      replace(stored, changed);
    }
  }

  private void replace(ObjectNode stored, ObjectNode changed) {
    if (!changed.equals(stored)) {
      put(changed);
    }
  }

  /** Removes an object, if it exists. */
  void remove(ObjectKey key) {
    ObjectNode gone = objects.remove(key);
    if (gone != null) {
      ObjectNode last = gone.deepCopy();
      last.withObject("/metadata").put("resourceVersion", String.valueOf(++version));
      report(new Change(key, last, true));
    }
  }

  /** Returns an object as it would be created; empty if it is denied. */
  Optional<ObjectNode> admit(ObjectNode object) {
    return admission.admit(object, null);
  }

  @Override
  public void create(ObjectNode object) {
    admit(object).ifPresent(this::put);
  }

  /** Changes an object as a tenant does: admission may change or deny it. */
  @Override
  public void change(ObjectKey key, Consumer<ObjectNode> change) {
    ObjectNode stored = objects.get(key);
    if (stored != null) {
      ObjectNode changed = stored.deepCopy();
      change.accept(changed);
      admission.admit(changed, stored).ifPresent(admitted -> replace(stored, admitted));
    }
  }

  /**
   * Deletes an object as the API server does: a pod on a node and an object with finalizers
   * terminate, and any other is gone.
   */
  @Override
  public void delete(ObjectKey key) {
    ObjectNode object = objects.get(key);
    if (object == null) {
      return;
    }
    boolean runs =
        key.kind().equals("Pod")
            && !KubeObjects.nodeOf(object).isEmpty()
            && !KubeObjects.isFinished(object);
    if (!runs && !hasFinalizers(object)) {
      remove(key);
    } else if (!KubeObjects.isTerminating(object)) {
      String at = now.get().toString();
      write(key, changed -> changed.withObject("/metadata").put("deletionTimestamp", at));
    }
  }

  private void report(Change change) {
    List.copyOf(listeners).forEach(listener -> listener.accept(change));
  }

  @Override
  public Optional<ObjectNode> find(ObjectKey key) {
    return Optional.ofNullable(objects.get(key));
  }

  @Override
  public List<ObjectNode> all(String kind) {
    List<ObjectNode> all = new ArrayList<>();
    for (Map.Entry<ObjectKey, ObjectNode> entry :
        objects.tailMap(new ObjectKey(kind, "", "")).entrySet()) {
      if (!entry.getKey().kind().equals(kind)) {
        break; // keys are ordered by kind first
      }
      all.add(entry.getValue());
    }
    return Collections.unmodifiableList(all);
  }

  /** Returns all objects; they must not be changed. */
  List<ObjectNode> all() {
    return List.copyOf(objects.values());
  }
}
