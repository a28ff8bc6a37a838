package io.berth.operator.query;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The watches in progress, whose number is limited: in total, and for each user. Thread-safe.
 *
 * <p>A watch is a thread that asks for changes, sends them, and waits; it keeps no changes while it
 * waits. One whose client reads slowly keeps one page of them.
 */
final class Watches implements AutoCloseable {
  static final int MOST = 64;
  static final int MOST_OF_A_USER = 8;

  private final int most;
  private final int mostOfAUser;
  private final CountDownLatch closed = new CountDownLatch(1);

  // Guarded by this.
  private final Map<String, Integer> ofUsers = new HashMap<>();
  private int all;

  Watches(int most, int mostOfAUser) {
    this.most = most;
    this.mostOfAUser = mostOfAUser;
  }

  /**
   * Begins a watch of a user, which {@link #ended} gives back.
   *
   * @throws ApiException with 429 if there are too many
   */
  synchronized void begin(String user) throws ApiException {
    int own = ofUsers.getOrDefault(user, 0);
    if (own >= mostOfAUser) {
      throw new ApiException(
          429,
          "user \"%s\" has %d watches in progress, the most that one user may have; end one of them"
              .formatted(user, own));
    }
    if (all >= most) {
      throw new ApiException(
          429, "%d watches are in progress, the most that a replica serves".formatted(all));
    }
    ofUsers.put(user, own + 1);
    all++;
  }

  /** Ends a watch that has begun. */
  synchronized void ended(String user) {
    ofUsers.computeIfPresent(user, (name, own) -> own > 1 ? own - 1 : null);
    all--;
  }

  /** Returns the number of watches in progress. */
  synchronized int inProgress() {
    return all;
  }

  /** Waits; returns true as soon as all watches are to end. */
  boolean isClosedWithin(Duration pause) throws InterruptedException {
    return closed.await(pause.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Ends all watches. */
  @Override
  public void close() {
    closed.countDown();
  }
}
