package io.berth.benchmarks.workload;

import java.lang.management.ManagementFactory;

/** What this thread allocates, and what the heap holds. */
final class Allocations {
  private Allocations() {}

  /** Bytes that this thread has allocated so far; 0 where the JVM does not tell. */
  static long ofThisThread() {
    return ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
        ? threads.getCurrentThreadAllocatedBytes()
        : 0;
  }

  /** Bytes of live objects: what is left after a collection. */
  static long liveHeap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
