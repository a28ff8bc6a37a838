package io.berth.sandbox.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The versioned in-memory store. Every write takes the next resourceVersion, sets it in the object,
 * and appends the change to the bucket's log, all under one lock, so that a snapshot and its
 * resourceVersion are always consistent. Writes are compare-and-set: a writer passes the version it
 * has read and retries if the object has changed since. The store takes ownership of the trees
 * passed to it. Thread-safe.
 */
public final class ObjectStore {
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();
  private final Map<String, Long> droppedAt = new ConcurrentHashMap<>();
  private final int history;
  private volatile long resourceVersion = 1;

  /**
   * @param history number of changes kept per resource; a watch from an older version gets 410 Gone
   */
  public ObjectStore(int history) {
    this.history = history;
  }

  /** Returns the version of the latest write. Later writes have higher versions. */
  public long resourceVersion() {
    lock.readLock().lock();
    try {
      return resourceVersion;
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Returns the current version of an object. */
  public Optional<StoredObject> get(Storage storage, ObjectKey key) {
    lock.readLock().lock();
    try {
      return Optional.ofNullable(bucket(storage).get(key));
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Returns the version of the latest write to a bucket; 0 if there was none. */
  public long lastChange(Storage storage) {
    return bucket(storage).lastChange;
  }

  /** Returns the number of objects in a bucket. */
  public int size(Storage storage) {
    lock.readLock().lock();
    try {
      return bucket(storage).size();
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Stores a new object.
   *
   * @return the stored object; empty if the key already exists
   */
  public Optional<StoredObject> create(Storage storage, ObjectKey key, ObjectNode object) {
    lock.writeLock().lock();
    try {
      Bucket bucket = bucket(storage);
      if (bucket.get(key) != null) {
        return Optional.empty();
      }
      StoredObject stored = stamp(storage, key, object);
      bucket.put(stored);
      bucket.log.append(new StoreEvent(EventType.ADDED, stored, null));
      return Optional.of(stored);
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Replaces the version that the caller has read with a new one.
   *
   * @return the stored object; empty if the expected version is no longer current
   */
  public Optional<StoredObject> replace(Storage storage, StoredObject expected, ObjectNode object) {
    lock.writeLock().lock();
    try {
      Bucket bucket = bucket(storage);
      if (bucket.get(expected.key()) != expected) {
        return Optional.empty();
      }
      StoredObject stored = stamp(storage, expected.key(), object);
      bucket.put(stored);
      bucket.log.append(new StoreEvent(EventType.MODIFIED, stored, expected));
      expected.compact();
      return Optional.of(stored);
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Deletes an object if the version that the caller has read is still current.
   *
   * @param last the object in the watch event of the deletion, usually a copy of the expected
   *     version
   * @return the object in the watch event; empty if the expected version is no longer current
   */
  public Optional<StoredObject> delete(Storage storage, StoredObject expected, ObjectNode last) {
    lock.writeLock().lock();
    try {
      Bucket bucket = bucket(storage);
      if (bucket.get(expected.key()) != expected) {
        return Optional.empty();
      }
      StoredObject deleted = stamp(storage, expected.key(), last);
      bucket.remove(expected);
      bucket.log.append(new StoreEvent(EventType.DELETED, deleted, expected));
      expected.compact();
      return Optional.of(deleted);
    } finally {
      lock.writeLock().unlock();
    }
  }

  private StoredObject stamp(Storage storage, ObjectKey key, ObjectNode object) {
    long version = resourceVersion + 1;
    object.withObject("metadata").put("resourceVersion", Long.toString(version));
    StoredObject stored = new StoredObject(storage, key, version, object);
    resourceVersion = version;
    bucket(storage).lastChange = version;
    return stored;
  }

  /** Returns the objects of a namespace, or all objects of a bucket if it is null. */
  public Snapshot list(Storage storage, @Nullable String namespace) {
    lock.readLock().lock();
    try {
      Bucket bucket = bucket(storage);
      return new Snapshot(
          List.copyOf(namespace == null ? bucket.all() : bucket.inNamespace(namespace)),
          resourceVersion);
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Returns the state of a bucket at an earlier version.
   *
   * @return empty if the changes since then have been dropped
   */
  public Optional<Snapshot> listAt(Storage storage, @Nullable String namespace, long version) {
    lock.readLock().lock();
    try {
      Bucket bucket = bucket(storage);
      return bucket
          .log
          .since(version)
          .map(events -> new Snapshot(Rollback.undo(bucket, namespace, events), version));
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Returns the objects with a given value in an indexed field, without a scan.
   *
   * @param field a field of the storage with {@link SelectableField#indexed()}
   */
  public Snapshot listByField(
      Storage storage, String field, String value, @Nullable String namespace) {
    lock.readLock().lock();
    try {
      int position = storage.fieldPosition(field);
      return new Snapshot(
          new ArrayList<>(bucket(storage).byField(position, value, namespace)), resourceVersion);
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Opens a cursor over the changes of a bucket after a version.
   *
   * @return empty if changes after that version have been dropped (the API's 410 Gone)
   */
  public Optional<WatchCursor> watch(Storage storage, long afterResourceVersion) {
    EventLog log = bucket(storage).log;
    return log.reaches(afterResourceVersion)
        ? Optional.of(new WatchCursor(this, log, afterResourceVersion))
        : Optional.empty();
  }

  /**
   * Drops the history of a bucket. A watch or list from an earlier version then gets 410 Gone, as
   * after a compaction of etcd.
   */
  public void compact(Storage storage) {
    bucket(storage).log.compact(resourceVersion());
  }

  /**
   * Removes a bucket with all its objects and ends its watches. Called when a
   * CustomResourceDefinition has been deleted.
   */
  public void drop(Storage storage) {
    droppedAt.put(storage.id(), resourceVersion());
    Bucket gone = buckets.remove(storage.id());
    if (gone != null) {
      gone.log.close();
    }
  }

  /** Ends all watches. */
  public void close() {
    buckets.values().forEach(bucket -> bucket.log.close());
  }

  private Bucket bucket(Storage storage) {
    return buckets.computeIfAbsent(
        storage.id(),
        id -> new Bucket(storage, new EventLog(history, droppedAt.getOrDefault(id, 0L))));
  }
}
