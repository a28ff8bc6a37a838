package io.berth.sandbox.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A reader's position in the changes of a bucket. Not thread-safe. */
public final class WatchCursor {
  private final ObjectStore store;
  private final EventLog log;
  private long position;

  WatchCursor(ObjectStore store, EventLog log, long position) {
    this.store = store;
    this.log = log;
    this.position = position;
  }

  /**
   * Returns the next changes in order, and waits for the first if there is none.
   *
   * @return empty if the reader has fallen so far behind that changes were dropped (the API's 410
   *     Gone); an empty list if there was no change within {@code patience} or the bucket was
   *     closed
   */
  public Optional<List<StoreEvent>> next(Duration patience) throws InterruptedException {
    long settled = store.resourceVersion();
    Optional<List<StoreEvent>> read = log.after(position, patience);
    if (read.isPresent()) {
      List<StoreEvent> events = read.get();
      position =
          events.isEmpty() ? Math.max(position, settled) : events.getLast().resourceVersion();
    }
    return read;
  }

  /**
   * Returns the resourceVersion up to which all changes have been returned, for use in bookmarks.
   */
  public long resourceVersion() {
    return position;
  }

  /**
   * Returns whether the bucket is closed, because its CustomResourceDefinition was deleted or the
   * server is stopping.
   */
  public boolean closed() {
    return log.closed();
  }
}
