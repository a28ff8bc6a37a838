package io.berth.operator.admission;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Readings that many share: each caller gets one that begins after its call, and callers that come
 * while one is under way share the next. The first after a pause begins at once; under load they
 * begin at a bounded rate.
 *
 * @param <K> what callers ask for
 * @param <T> what is read
 */
final class SharedReading<K, T> {

  private final Function<Set<K>, CompletableFuture<T>> read;
  private final Duration apart;

  // Guarded by this.
  private boolean busy;
  private long mayBegin = System.nanoTime();
  private @Nullable Round<K, T> next;

  private record Round<K, T>(Set<K> topics, CompletableFuture<T> result) {}

  /**
   * @param read reads all that the callers of one round asked for
   * @param apart the time from the beginning of one reading to that of the next, at least
   */
  SharedReading(Function<Set<K>, CompletableFuture<T>> read, Duration apart) {
    this.read = read;
    this.apart = apart;
  }

  /** The result of a reading that has not begun yet, and will include the topics. */
  synchronized CompletableFuture<T> fromNow(Set<K> topics) {
    Round<K, T> round = next;
    if (round == null) {
      round = new Round<>(new HashSet<>(), new CompletableFuture<>());
      next = round;
      if (!busy) {
        busy = true;
        beginInTime();
      }
    }
    round.topics().addAll(topics);
    return round.result();
  }

  private void beginInTime() {
    long wait = mayBegin - System.nanoTime();
    Executor when =
        wait <= 0
            ? task -> Thread.ofVirtual().name("catalog-reading").start(task)
            : CompletableFuture.delayedExecutor(wait, TimeUnit.NANOSECONDS);
    when.execute(this::begin);
  }

  private void begin() {
    Round<K, T> round;
    synchronized (this) {
      round = next;
      next = null;
      mayBegin = System.nanoTime() + apart.toNanos();
    }
    if (round == null) {
      throw new IllegalStateException("a reading began that nobody asked for");
    }
    CompletableFuture<T> reading;
    try {
      reading = read.apply(Set.copyOf(round.topics()));
    } catch (RuntimeException e) {
      reading = CompletableFuture.failedFuture(e);
    }
    var _ =
        reading.whenComplete(
            (result, failure) -> {
              ended();
              if (failure == null) {
                round.result().complete(result);
              } else {
                round.result().completeExceptionally(failure);
              }
            });
  }

  private synchronized void ended() {
    if (next == null) {
      busy = false;
    } else {
      beginInTime();
    }
  }
}
