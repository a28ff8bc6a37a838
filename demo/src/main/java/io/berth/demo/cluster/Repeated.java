package io.berth.demo.cluster;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A task that runs periodically on its own thread until it is closed or fails. */
public final class Repeated implements AutoCloseable {
  private final CountDownLatch ending = new CountDownLatch(1);
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  public Repeated(String name, Duration period, Runnable step) {
    Thread.ofPlatform().name(name).daemon().start(() -> run(period, step));
  }

  /** Stops the task after the current run. Throws the exception of a failed run. */
  @Override
  public void close() {
    ending.countDown();
    done.join();
  }

  private void run(Duration period, Runnable step) {
    try {
      long next = System.nanoTime();
      while (!ending.await(Math.max(0, next - System.nanoTime()), TimeUnit.NANOSECONDS)) {
        step.run();
        next = Math.max(next + period.toNanos(), System.nanoTime());
      }
      done.complete(null);
    } catch (InterruptedException | RuntimeException e) {
      done.completeExceptionally(e);
    }
  }
}
