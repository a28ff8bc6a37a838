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
 * Reads that are shared among callers: each caller gets a read that starts after its call, and
 * callers that arrive before the next read starts share it. After a pause, a read starts at once.
 * Under load, reads start at a bounded rate and run concurrently up to a limit; with only one at a
 * time, a caller would wait half a read on average before its own could start.
 *
 * @param <K> the type of a requested topic
 * @param <T> the type of a read's result
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
   * @param read reads the topics that the callers of one round requested
   * @param apart the minimum time between the starts of two reads
   * @param mostAtOnce the maximum number of concurrent reads
   */
  SharedReading(Function<Set<K>, CompletableFuture<T>> read, Duration apart, int mostAtOnce) {
    this.read = read;
    this.apart = apart;
    this.mostAtOnce = mostAtOnce;
  }

  /** Returns the result of a read that has not started yet and will include the topics. */
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

  /** Schedules the next round, if there is one, as soon as the limits allow. */
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
      throw new IllegalStateException("a read started without a request");
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
