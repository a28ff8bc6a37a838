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
 * before the next begins share that one. The first after a pause begins at once. Under load they
 * begin at a bounded rate, and only a few are under way at a time: with one alone, a caller would
 * wait half a reading on average before its own could begin.
 *
 * @param <K> what callers ask for
 * @param <T> what is read
 */
final class SharedReading<K, T> {

  private final Function<Set<K>, CompletableFuture<T>> read;
  private final Duration apart;
  private final int mostAtOnce;

  // Guarded by this.
  private int underWay;
  private boolean starting;
  private long mayBegin = System.nanoTime();
  private @Nullable Round<K, T> next;

  private record Round<K, T>(Set<K> topics, CompletableFuture<T> result) {}

  /**
   * @param read reads all that the callers of one round asked for
   * @param apart the time from the beginning of one reading to that of the next, at least
   * @param mostAtOnce the number of readings that may be under way at a time
   */
  SharedReading(Function<Set<K>, CompletableFuture<T>> read, Duration apart, int mostAtOnce) {
    this.read = read;
    this.apart = apart;
    this.mostAtOnce = mostAtOnce;
  }

  /** The result of a reading that has not begun yet, and will include the topics. */
  synchronized CompletableFuture<T> fromNow(Set<K> topics) {
    Round<K, T> round = next;
    if (round == null) {
      round = new Round<>(new HashSet<>(), new CompletableFuture<>());
      next = round;
    }
    round.topics().addAll(topics);
    beginInTime();
    return round.result();
  }

  /** Has the next round begin as soon as it may, if there is one. */
  private synchronized void beginInTime() {
    if (next == null || starting || underWay == mostAtOnce) {
      return;
    }
    starting = true;
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
      starting = false;
      underWay++;
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
    underWay--;
    beginInTime();
  }
}
