package io.berth.operator.api;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The event loop that sends the requests of this process and receives their responses. */
final class RequestLoop {

  private static final Logger LOG = LoggerFactory.getLogger(RequestLoop.class);

  /** One thread: it only writes requests and reads responses, and its receivers do not block. */
  private static final Vertx VERTX =
      DaemonVertx.create(
          new VertxOptions()
              .setEventLoopPoolSize(1)
              .setWorkerPoolSize(1)
              .setInternalBlockingPoolSize(2));

  private static final Context CONTEXT = VERTX.getOrCreateContext();

  private static final Turns TURNS = new Turns();

  private RequestLoop() {}

  /** Returns the library's instance, which is never closed. Its threads are daemon threads. */
  static Vertx vertx() {
    return VERTX;
  }

  /**
   * Runs a task on the event loop; it must not block. If the caller runs there already, the task
   * runs before the loop continues, so that requests that follow from one response are written with
   * one flush. Tasks that are added by a task run after it, in order, and do not deepen the stack.
   * A {@link RuntimeException} of a task is logged and does not affect the other tasks.
   */
  static void run(Runnable task) {
    if (Vertx.currentContext() == CONTEXT) {
      TURNS.run(task);
    } else {
      CONTEXT.runOnContext(ignored -> TURNS.run(task));
    }
  }

  /** Tasks that run one after another; used only on the event loop. */
  private static final class Turns {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    void run(Runnable task) {
      tasks.add(task);
      if (running) {
        return;
      }
      running = true;
      try {
        for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
          runSafely(next);
        }
      } finally {
        running = false;
      }
    }

    private static void runSafely(Runnable task) {
      try {
        task.run();
      } catch (RuntimeException bug) {
        LOG.error(
            "A task of the request loop failed. This is a bug in Berth; please report it", bug);
      }
    }
  }
}
