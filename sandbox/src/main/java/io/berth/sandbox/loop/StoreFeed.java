package io.berth.sandbox.loop;

import io.berth.sandbox.store.EventType;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.Snapshot;
import io.berth.sandbox.store.Storage;
import io.berth.sandbox.store.StoreEvent;
import io.berth.sandbox.store.StoredObject;
import io.berth.sandbox.store.WatchCursor;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A feed of all objects of a storage bucket: delivers the existing objects, then every change in
 * order, on its own virtual thread. A feed that falls behind the store's history lists again and
 * delivers the differences.
 */
public final class StoreFeed implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A receiver of changes, called on the feed's thread. */
  public interface Listener {
    /** Called when an object exists or has a new version. */
    void upserted(StoredObject object);

    /**
     * Called when an object has been deleted.
     *
     * @param object the last version of the object
     */
    void removed(StoredObject object);
  }

  private final ObjectStore store;
  private final Storage storage;
  private final Listener listener;
  private final Map<ObjectKey, StoredObject> known = new HashMap<>();
  private final Thread thread;
  private volatile boolean closed;

  private StoreFeed(ObjectStore store, Storage storage, Listener listener) {
    this.store = store;
    this.storage = storage;
    this.listener = listener;
    this.thread = Thread.ofVirtual().name("feed-" + storage.id()).unstarted(this::run);
  }

  /** Starts a feed to a listener. */
  public static StoreFeed start(ObjectStore store, Storage storage, Listener listener) {
    StoreFeed feed = new StoreFeed(store, storage, listener);
    feed.thread.start();
    return feed;
  }

  private void run() {
    try {
      while (!closed) {
        follow(relist());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private long relist() {
    Snapshot snapshot = store.list(storage, null);
    Map<ObjectKey, StoredObject> gone = new HashMap<>(known);
    for (StoredObject object : snapshot.objects()) {
      StoredObject old = gone.remove(object.key());
      if (old == null || old.resourceVersion() != object.resourceVersion()) {
        known.put(object.key(), object);
        listener.upserted(object);
      }
    }
    for (StoredObject object : gone.values()) {
      known.remove(object.key());
      listener.removed(object);
    }
    return snapshot.resourceVersion();
  }

  private void follow(long from) throws InterruptedException {
    Optional<WatchCursor> cursor = store.watch(storage, from);
    while (cursor.isPresent() && !closed) {
      Optional<List<StoreEvent>> events = cursor.get().next(PATIENCE);
      if (events.isEmpty()) {
        return;
      }
      events.get().forEach(this::dispatch);
      if (cursor.get().closed()) {
        closed = true;
      }
    }
  }

  private void dispatch(StoreEvent event) {
    StoredObject object = event.object();
    if (event.type() == EventType.DELETED) {
      known.remove(object.key());
      listener.removed(object);
    } else {
      known.put(object.key(), object);
      listener.upserted(object);
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
