package io.berth.sandbox.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One reader's position in a bucket's changes. Not for use by several threads at once. */
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
   * The next changes in order, waiting for the first.
   *
   * @return empty if the reader is so late that changes were dropped (the API's 410 Gone); an empty
   *     list if nothing came in time
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

  /** Everything up to this resourceVersion has been returned; what a bookmark says. */
  public long resourceVersion() {
    return position;
  }

  /**
   * Returns whether the bucket is gone, because its CustomResourceDefinition is or the server
   * stops.
   */
  public boolean closed() {
    return log.closed();
  }
}
