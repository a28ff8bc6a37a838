package io.berth.demo.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Threads that take turns with the thread of the simulation: at any time exactly one of them runs,
 * so that their order is always the same. A thread gives up its turn when it waits for a result,
 * and when it ends.
 */
final class SimulatedThreads {

  private final VirtualTime time;
  private final List<Turn> waiting = new ArrayList<>();
  private static final ThreadLocal<@Nullable Turn> CURRENT = new ThreadLocal<>();
  private boolean ended;

  /** Ends a thread whose replica has crashed, in whatever it is doing. */
  private static final class Crashed extends Error {
    @java.io.Serial private static final long serialVersionUID = 1;

    Crashed() {
      super(null, null, false, false);
    }
  }

  /** The turns of one thread. */
  private static final class Turn {
    final Semaphore mine = new Semaphore(0);
    final Semaphore others = new Semaphore(0);
    @Nullable Throwable failure;

    /** Lets this thread run until it waits or ends. */
    void take() {
      mine.release();
      others.acquireUninterruptibly();
      Throwable thrown = failure;
      failure = null;
      if (thrown != null) {
        throw new IllegalStateException("a thread has ended with an exception", thrown);
      }
    }

    /** Gives the turn back, and waits for the next one. */
    void give() {
      others.release();
      mine.acquireUninterruptibly();
    }
  }

  SimulatedThreads(VirtualTime time) {
    this.time = time;
  }

  /** Runs a task that may wait, soon and on its own thread. */
  void fork(Runnable task) {
    time.later(Duration.ZERO, () -> begin(task));
  }

  private void begin(Runnable task) {
    if (ended) {
      return;
    }
    Turn turn = new Turn();
    Thread.ofVirtual()
        .start(
            () -> {
              turn.mine.acquireUninterruptibly();
              CURRENT.set(turn);
              try {
                task.run();
              } catch (Crashed crashed) {
                // the replica is gone
              } catch (RuntimeException | Error failure) {
                turn.failure = failure;
              }
              turn.others.release();
            });
    turn.take();
  }

  /** Waits for a result, in a task that was {@link #fork forked}. */
  <T> T await(CompletableFuture<T> result) {
    Turn turn = CURRENT.get();
    if (turn == null) {
      throw new IllegalStateException("only a forked task may wait");
    }
    if (!result.isDone()) {
      waiting.add(turn);
      var _ =
          result.whenComplete((value, failure) -> time.later(Duration.ZERO, () -> resume(turn)));
      turn.give();
      if (ended) {
        throw new Crashed();
      }
    }
    return result.join();
  }

  private void resume(Turn turn) {
    if (waiting.remove(turn)) {
      turn.take();
    }
  }

  /** Ends all threads that wait. */
  void end() {
    ended = true;
    List<Turn> left = List.copyOf(waiting);
    waiting.clear();
    left.forEach(Turn::take);
  }
}
