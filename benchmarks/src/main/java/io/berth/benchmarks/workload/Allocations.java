package io.berth.benchmarks.workload;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;

/** Measures the allocations of the current thread and the size of the heap. */
final class Allocations {
  private Allocations() {}

  /**
   * Returns the number of bytes that the current thread has allocated so far; 0 if the JVM does not
   * support it.
   */
  static long ofThisThread() {
    return ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
        ? threads.getCurrentThreadAllocatedBytes()
        : 0;
  }

  /**
   * Returns the size of live objects after a garbage collection, in bytes, including everything
   * reachable from the argument.
   */
  static long liveHeapWith(Object held) {
    try {
      System.gc();
      return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    } finally {
      Reference.reachabilityFence(held);
    }
  }
}
