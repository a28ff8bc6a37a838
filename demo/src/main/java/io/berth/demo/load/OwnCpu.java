package io.berth.demo.load;

import com.sun.management.OperatingSystemMXBean;
import io.berth.demo.cluster.Patience;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * The CPU time of the load generator's own process.
 *
 * <p>After it has created thousands of objects, its JVM continues to compile the code for that, and
 * takes up to half of a core from the scheduler that is measured next.
 */
final class OwnCpu {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration WINDOW = Duration.ofMillis(500);

  /** The share of one core below which the process is idle. */
  private static final double IDLE = 0.1;

  private OwnCpu() {}

  /** Waits until this process is idle, for at most 30 s. */
  static void awaitIdle() throws InterruptedException {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    Patience.within(PATIENCE, () -> share(system) < IDLE);
  }

  /** Returns the share of one core that this process takes during the next 500 ms. */
  private static double share(OperatingSystemMXBean system) throws InterruptedException {
    long startNanos = System.nanoTime();
    long startCpuNanos = system.getProcessCpuTime();
    Thread.sleep(WINDOW);
    return (double) (system.getProcessCpuTime() - startCpuNanos) / (System.nanoTime() - startNanos);
  }
}
