package io.berth.benchmarks.workload;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Measures the CPU time of a thread, which other processes of the machine do not affect. */
final class ProcessorTime {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private ProcessorTime() {}

  /** Returns the CPU time that the current thread has used so far, in nanoseconds. */
  static long ofThisThread() {
    return THREADS.getCurrentThreadCpuTime();
  }
}
