package io.berth.benchmarks.workload;

import java.util.Map;

/**
 * The memory for 5,000 nodes with 150,000 bound pods of 500 apps, including the benchmark's own
 * maps.
 */
final class MemoryWorkload {
  private static final int NODES = 5_000;
  private static final int PODS = 150_000;

  private MemoryWorkload() {}

  static Measurement run() {
    Cluster cluster = new Cluster();
    long before = Allocations.liveHeapWith(cluster);
    cluster.addNodes(NODES);
    long[] nanos = new long[PODS];
    Meter meter = Meter.start(cluster);
    for (int i = 0; i < PODS; i++) {
      String app = "app-" + i % 500;
      PodKind kind =
          PodKind.plain(50, 100 * PodKind.MIB)
              .labelled(Map.of("app", app, "pod-template-hash", "hash-" + i % 500, "pod", "p" + i));
      long start = System.nanoTime();
      cluster.addPod(kind.pod("pod-" + i, "node-" + i % NODES));
      nanos[i] = System.nanoTime() - start;
    }
    return meter.stop("Memory", nanos, cluster).above(before);
  }
}
