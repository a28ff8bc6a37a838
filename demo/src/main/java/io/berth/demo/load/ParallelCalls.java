package io.berth.demo.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.IntConsumer;

/** Makes many calls to an API server, several at a time. */
final class ParallelCalls {
  private static final int CALLS_IN_FLIGHT = 16;

  private ParallelCalls() {}

  /** Makes the calls 0 to {@code count} - 1. */
  static void make(int count, IntConsumer call) {
    make(count, call, i -> {});
  }

  /**
   * Makes the calls 0 to {@code count} - 1.
   *
   * @param pace called before each is submitted, in order
   */
  static void make(int count, IntConsumer call, IntConsumer pace) {
    Semaphore room = new Semaphore(CALLS_IN_FLIGHT);
    List<Future<?>> calls = new ArrayList<>(count);
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < count; i++) {
        int index = i;
        pace.accept(index);
        calls.add(
            executor.submit(
                () -> {
                  room.acquireUninterruptibly();
                  try {
                    call.accept(index);
                  } finally {
                    room.release();
                  }
                }));
      }
      for (Future<?> one : calls) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("the load could not be changed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while changing the load", e);
    }
  }
}
