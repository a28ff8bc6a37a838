package io.berth.benchmarks.workload;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;

/** Allocations of this thread, and the size of the heap. */
final class Allocations {
  private Allocations() {}

  /** Bytes that this thread has allocated so far; 0 where the JVM does not tell. */
  static long ofThisThread() {
    return ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
        ? threads.getCurrentThreadAllocatedBytes()
        : 0;
  }

  /** Bytes of live objects, these among them: what is left after a collection. */
  static long liveHeapWith(Object held) {
    try {
      System.gc();
      return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    } finally {
      Reference.reachabilityFence(held);
    }
  }
}
