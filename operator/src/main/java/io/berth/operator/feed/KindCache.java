package io.berth.operator.feed;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Refusal;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cache of one resource, which keeps only what its readers need and forwards changes to its
 * subscribers as engine events.
 *
 * <p>A change is stored and forwarded in one step: a new subscriber receives all existing objects
 * and then every change, in order for each object, without duplicates or gaps. (1) Only the
 * reflector's thread writes; the lock protects against concurrent subscriptions. (2) The event is
 * compiled on that thread before the lock is acquired.
 *
 * @param <T> the type of the objects
 * @param <V> the type of the cached values
 */
final class KindCache<T extends HasMetadata, V> {

  private final Function<T, V> keep;
  private final Function<V, T> stub;
  private final Function<V, ClusterEvent> upserted;
  private final Function<T, ClusterEvent> removed;
  private final ConcurrentMap<String, V> kept = new ConcurrentHashMap<>();

  /** The events for objects in {@link #kept} that could never be parsed. */
  private final ConcurrentMap<String, ClusterEvent> unreadable = new ConcurrentHashMap<>();

  private final AtomicLong changes = new AtomicLong();
  private final Object order;

  /** Changed only while {@link #order} is locked. */
  private final List<Consumer<ClusterEvent>> subscribers = new CopyOnWriteArrayList<>();

  private volatile @Nullable Follower<V> follower;
  private volatile @Nullable Runnable onChange;
  private volatile @Nullable ClusterEvent whenServed;
  private volatile boolean served;

  /** Receives the changes of every object, in order. */
  interface Follower<V> {
    void put(V value);

    void removed(V value);

    /** Called for a change, with the value that was cached before it. */
    default void changed(V before, V value) {
      put(value);
    }
  }

  /**
   * @param keep converts an object to its cached value
   * @param stub returns an object with the metadata that a reflector reads: name, namespace, UID,
   *     resource version
   * @param upserted returns the event for the cached value of a new or changed object
   * @param removed returns the event for a deleted object, given its stub
   */
  KindCache(
      Function<T, V> keep,
      Function<V, T> stub,
      Function<V, ClusterEvent> upserted,
      Function<T, ClusterEvent> removed) {
    this(keep, stub, upserted, removed, new Object());
  }

  /**
   * Creates a cache that sends events one at a time with all other caches that share the lock.
   *
   * @param order the lock
   */
  private KindCache(
      Function<T, V> keep,
      Function<V, T> stub,
      Function<V, ClusterEvent> upserted,
      Function<T, ClusterEvent> removed,
      Object order) {
    this.order = order;
    this.keep = keep;
    this.stub = stub;
    this.upserted = upserted;
    this.removed = removed;
  }

  /** Returns a cache of complete objects. */
  static <T extends HasMetadata> KindCache<T, T> ofWholeObjects(
      Function<T, ClusterEvent> upserted, Function<T, ClusterEvent> removed) {
    return new KindCache<>(Function.identity(), Function.identity(), upserted, removed);
  }

  /** Returns a cache of objects without their managed fields. */
  static <T extends HasMetadata> KindCache<T, T> ofObjects(
      Function<T, ClusterEvent> upserted, Function<T, ClusterEvent> removed) {
    return ofObjects(upserted, removed, new Object());
  }

  /**
   * Returns a cache of objects without their managed fields, which sends events one at a time with
   * all other caches that share the lock.
   */
  static <T extends HasMetadata> KindCache<T, T> ofObjects(
      Function<T, ClusterEvent> upserted, Function<T, ClusterEvent> removed, Object lock) {
    return new KindCache<>(
        object -> {
          object.getMetadata().setManagedFields(null);
          return object;
        },
        Function.identity(),
        upserted,
        removed,
        lock);
  }

  /**
   * Sends this event to the subscribers once the resource has been listed, and thus is known to be
   * served.
   */
  KindCache<T, V> whenServed(ClusterEvent event) {
    whenServed = event;
    return this;
  }

  /** Records that the resource has been listed. */
  void listed() {
    synchronized (order) {
      ClusterEvent event = whenServed;
      if (event == null || served) {
        return;
      }
      served = true;
      subscribers.forEach(to -> to.accept(event));
    }
  }

  private void tellServed(Consumer<ClusterEvent> to) {
    ClusterEvent event = whenServed;
    if (event != null && served) {
      to.accept(event);
    }
  }

  /** Sends events for all existing objects to a new subscriber, then for every change. */
  Subscription subscribe(Consumer<ClusterEvent> to) {
    synchronized (order) {
      tellServed(to);
      kept.forEach((key, value) -> to.accept(current(key, value)));
      subscribers.add(to);
    }
    return () -> {
      synchronized (order) {
        subscribers.remove(to);
      }
    };
  }

  /** Sends events for all objects to a receiver, while subscribers also receive the changes. */
  void replay(Consumer<ClusterEvent> to) {
    tellServed(to);
    kept.forEach((key, value) -> to.accept(current(key, value)));
  }

  private ClusterEvent current(String key, V value) {
    ClusterEvent event = unreadable.get(key);
    return event == null ? upserted.apply(value) : event;
  }

  /** Sends the event for a cached object to the subscribers again. */
  void resend(String namespace, String name) {
    synchronized (order) {
      String key = key(namespace, name);
      V value = kept.get(key);
      if (value != null) {
        subscribers.forEach(to -> to.accept(current(key, value)));
      }
    }
  }

  /** Sends all existing values to the follower, then every change. */
  void follow(Follower<V> by) {
    synchronized (order) {
      kept.values().forEach(by::put);
      follower = by;
    }
  }

  void unfollow() {
    synchronized (order) {
      follower = null;
    }
  }

  /** Registers a callback that runs after every change, on the reflector's thread. */
  void onChange(Runnable listener) {
    onChange = listener;
  }

  Optional<V> find(String namespace, String name) {
    return Optional.ofNullable(kept.get(key(namespace, name)));
  }

  /** As {@link #find}, but after all subscribers have received the event for the value. */
  Optional<V> findForwarded(String namespace, String name) {
    return forwarded(() -> find(namespace, name));
  }

  /** Returns a result that is read after all subscribers have received the events so far. */
  <R> R forwarded(Supplier<R> result) {
    synchronized (order) {
      return result.get();
    }
  }

  List<V> all() {
    return List.copyOf(kept.values());
  }

  Stream<V> stream() {
    return kept.values().stream();
  }

  static String key(@Nullable String namespace, String name) {
    return namespace == null || namespace.isEmpty() ? name : namespace + "/" + name;
  }

  /**
   * Stores the current state of an object.
   *
   * @return its key, for {@link #retain}
   */
  String put(T object) {
    ObjectMeta metadata = object.getMetadata();
    String key = key(metadata.getNamespace(), metadata.getName());
    V known = kept.get(key);
    if (known != null) {
      ObjectMeta before = stub.apply(known).getMetadata();
      if (!Objects.equals(before.getUid(), metadata.getUid())) {
        remove(key); // another object under the same name
      } else if (Objects.equals(before.getResourceVersion(), metadata.getResourceVersion())) {
        return key;
      }
    }
    V value = keep.apply(object);
    unreadable.remove(key);
    store(key, value, upserted.apply(value));
    return key;
  }

  /**
   * Stores an object that cannot be parsed, unless an earlier state of it is known, which is kept.
   *
   * @param stub the object, with its metadata alone
   * @return its key, for {@link #retain}
   */
  String putUnreadable(T stub, String why) {
    String key = key(stub.getMetadata().getNamespace(), stub.getMetadata().getName());
    if (!kept.containsKey(key) || unreadable.containsKey(key)) {
      ClusterEvent event =
          new ClusterEvent.Malformed(
              new Refusal(stub.getKind(), key, "it cannot be parsed (" + why + ")"));
      unreadable.put(key, event);
      store(key, keep.apply(stub), event);
    }
    return key;
  }

  private void store(String key, V value, ClusterEvent event) {
    synchronized (order) {
      V before = kept.put(key, value);
      subscribers.forEach(to -> to.accept(event));
      Follower<V> by = follower;
      if (by != null && before == null) {
        by.put(value);
      } else if (by != null) {
        by.changed(before, value);
      }
    }
    changed();
  }

  /** Removes a deleted object. */
  void remove(T object) {
    remove(key(object.getMetadata().getNamespace(), object.getMetadata().getName()));
  }

  /** Removes all objects except those with these keys. */
  void retain(Set<String> keys) {
    for (String key : List.copyOf(kept.keySet())) {
      if (!keys.contains(key)) {
        remove(key);
      }
    }
  }

  private void remove(String key) {
    synchronized (order) {
      V before = kept.remove(key);
      unreadable.remove(key);
      if (before == null) {
        return;
      }
      subscribers.forEach(to -> to.accept(removed.apply(stub.apply(before))));
      Follower<V> by = follower;
      if (by != null) {
        by.removed(before);
      }
    }
    changed();
  }

  /** Returns the number of changes. */
  long changes() {
    return changes.get();
  }

  private void changed() {
    changes.incrementAndGet();
    Runnable listener = onChange;
    if (listener != null) {
      listener.run();
    }
  }

  int size() {
    return kept.size();
  }
}
