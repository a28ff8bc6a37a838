package io.berth.operator.command;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of the process: by a signal, after which the main thread closes everything, or by itself
 * when it has lost the lease. In the latter case it ends within {@link #PATIENCE}, also when
 * closing gets stuck.
 *
 * <p>The hook is there before anything is started, so that a replica that has just won the lease
 * gives it back as well.
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
  private volatile boolean leaseLost;

  Stop() {
    this(PATIENCE, code -> Runtime.getRuntime().halt(code));
  }

  /**
   * @param halt ends the process at once with a code
   */
  Stop(Duration patience, IntConsumer halt) {
    this.patience = patience;
    this.halt = halt;
  }

  /** The shutdown hook: the JVM ends when it has ended. */
  Thread hook() {
    return Thread.ofPlatform().name("shutdown").unstarted(this::stop);
  }

  private void stop() {
    if (closed.getCount() == 0) {
      return; // the main thread has ended by itself
    }
    LOG.info("Stopping");
    stopRequested.countDown();
    if (!awaited) {
      main.interrupt(); // it is still starting
    }
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until the process is to end; on the main thread, once everything has started. */
  void await() throws InterruptedException {
    awaited = true;
    stopRequested.await();
  }

  /** Everything is closed, and the lease is released. */
  void closed() {
    closed.countDown();
  }

  /** The lease is lost: what this process knows may be wrong from now on. */
  void leaseLost() {
    leaseLost = true;
    LOG.error("The lease is lost: the process exits, so that it restarts with a fresh state");
    stopRequested.countDown();
    Thread.ofPlatform().name("exit-watchdog").daemon().start(this::haltIfStuck);
  }

  boolean isLeaseLost() {
    return leaseLost;
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
