package io.berth.benchmarks.quality;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A pool of nodes with GPUs, and pods of four kinds that request CPU, memory, and GPUs in very
 * different proportions. Their total requests are close to the capacity of each resource.
 */
final class MixedStream {
  static final int NODES = 300;
  static final String GPU = "nvidia.com/gpu";
  static final List<String> RESOURCES = List.of("cpu", "memory", GPU);

  private static final long GIB = 1L << 30;
  private static final long MILLI_CPU = 64_000;
  private static final long MEMORY = 256 * GIB;
  private static final long GPUS = 8;

  private final Random random;
  private int pods;

  MixedStream(long seed) {
    this.random = new Random(seed);
  }

  static List<NodeModel> nodes() {
    List<NodeModel> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      nodes.add(
          Nodes.node("node-" + i)
              .milliCpu(MILLI_CPU)
              .memoryBytes(MEMORY)
              .allocatable(GPU, GPUS)
              .build());
    }
    return nodes;
  }

  /** Returns the next pod. */
  PodModel next() {
    Pods pod = Pods.pod("pod-" + pods++).policy(Pool.POLICY);
    int size = 1 + random.nextInt(4);
    return switch (random.nextInt(20)) {
      // Web servers and builds: one core per GiB.
      case 0, 1, 2, 3, 4, 5, 6, 7 -> asking(pod, 1_000L * size, GIB * size, 0);
      // Caches: one core per 16 GiB.
      case 8, 9, 10, 11, 12, 13 -> asking(pod, 500L * size, 8 * GIB * size, 0);
      // Inference: one GPU and little else.
      case 14, 15, 16, 17 -> asking(pod, 1_000, 4 * GIB, 1);
      // Training: GPUs with many cores each.
      default ->
          asking(pod, 8_000L * Math.min(size, 2), 16 * GIB * Math.min(size, 2), Math.min(size, 2));
    };
  }

  private static PodModel asking(Pods pod, long milliCpu, long memoryBytes, long gpus) {
    pod.milliCpu(milliCpu).memoryBytes(memoryBytes);
    return (gpus > 0 ? pod.asks(GPU, gpus) : pod).build();
  }

  /**
   * Draws the lifetime of a pod as a number of later arrivals, from an exponential distribution
   * with this mean.
   */
  int lifetime(int mean) {
    return 1 + (int) (-mean * Math.log(1 - random.nextDouble()));
  }
}
