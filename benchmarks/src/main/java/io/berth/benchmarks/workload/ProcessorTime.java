package io.berth.benchmarks.workload;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The processor time of a thread, which other work on the machine does not lengthen. */
final class ProcessorTime {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private ProcessorTime() {}

  /** Returns the processor time that this thread has taken so far, in nanoseconds. */
  static long ofThisThread() {
    return THREADS.getCurrentThreadCpuTime();
  }
}
