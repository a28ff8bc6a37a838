package io.berth.operator.command;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of the process: after a signal, the main thread closes everything; if the replica can no
 * longer lead, the process ends by itself, within {@link #PATIENCE} even if closing hangs.
 *
 * <p>The shutdown hook is installed before anything starts, so that a replica that has just
 * acquired the lease also releases it.
 */
final class Stop {

  static final Duration PATIENCE = Duration.ofSeconds(45);

  private static final Logger LOG = LoggerFactory.getLogger(Stop.class);

  private final Thread main = Thread.currentThread();
  private final Duration patience;
  private final IntConsumer halt;
  private final CountDownLatch stopRequested = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean awaited;
  private volatile @Nullable String failure;

  Stop() {
    this(PATIENCE, code -> Runtime.getRuntime().halt(code));
  }

  /**
   * @param halt ends the process immediately with an exit code
   */
  Stop(Duration patience, IntConsumer halt) {
    this.patience = patience;
    this.halt = halt;
  }

  /** The shutdown hook, which delays the end of the JVM until everything is closed. */
  Thread hook() {
    return Thread.ofPlatform().name("shutdown").unstarted(this::stop);
  }

  private void stop() {
    if (closed.getCount() == 0) {
      return; // the main thread has already closed everything
    }
    LOG.info("Stopping");
    stopRequested.countDown();
    if (!awaited) {
      main.interrupt(); // startup is still in progress
    }
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until the process must stop; called on the main thread after startup. */
  void await() throws InterruptedException {
    awaited = true;
    stopRequested.await();
  }

  /** Records that everything is closed and the lease is released. */
  void closed() {
    closed.countDown();
  }

  /**
   * Ends the process, so that it restarts with a fresh state.
   *
   * @param why the reason for which this replica cannot go on
   */
  void failed(String why) {
    failure = why;
    LOG.error("The process exits, so that it restarts with a fresh state: {}", why);
    stopRequested.countDown();
    Thread.ofPlatform().name("exit-watchdog").daemon().start(this::haltIfStuck);
  }

  /** Returns the reason for which the process ends by itself, if it does. */
  Optional<String> failure() {
    return Optional.ofNullable(failure);
  }

  private void haltIfStuck() {
    try {
      if (!closed.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.error("Shutdown did not complete within {} s: halting", patience.toSeconds());
        halt.accept(1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
