package io.berth.benchmarks.quality;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;

/**
 * A stream of arriving and terminating pods whose demand rises slowly from 0 to 105 % of a pool's
 * capacity.
 *
 * <p>Demand is the share of the capacity that the pods would use if each were placed on arrival. At
 * every tick, pods arrive until the demand reaches its target, so the stream does not depend on the
 * policy. Pods have six sizes, from 1/64 to 1/2 of a node in CPU and memory, and the pods of each
 * size request about the same total: there are twice as many pods of half the size. A pod runs for
 * 30 to 90 minutes. Demand rises by 3 percentage points per hour, so every pod is replaced at least
 * three times between 85 % and 100 %.
 */
final class DemandStream {
  static final int NODES = 300;

  /** The number of parts of a node; sizes are measured in parts. */
  static final int PARTS = 64;

  static final int LARGEST = PARTS / 2;
  static final int TICK_SECONDS = 10;
  static final double LAST_PERCENT = 105;

  private static final int TICKS_PER_HOUR = 3600 / TICK_SECONDS;
  private static final int PERCENT_PER_HOUR = 3;
  private static final List<Integer> SIZES = List.of(1, 2, 4, 8, 16, 32);
  private static final long MEBIBYTE = 1L << 20;

  /**
   * The arrival of a pod.
   *
   * @param tick the tick at which it arrives
   * @param parts its size, in parts of a node
   * @param lifetime the number of ticks for which it runs once it is placed
   */
  record Arrival(int tick, int parts, int lifetime, PodModel pod) {}

  private DemandStream() {}

  /** Returns the last tick, at which the demand is {@value #LAST_PERCENT} %. */
  static int ticks() {
    return (int) (LAST_PERCENT / PERCENT_PER_HOUR * TICKS_PER_HOUR);
  }

  /** Returns the demand at a tick, in percent of the capacity. */
  static double percentAt(int tick) {
    return (double) tick * PERCENT_PER_HOUR / TICKS_PER_HOUR;
  }

  static List<NodeModel> nodes() {
    List<NodeModel> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      nodes.add(
          Nodes.node("node-" + i)
              .milliCpu(PARTS * 1_000L)
              .memoryBytes(PARTS * 4_096L * MEBIBYTE)
              .build());
    }
    return nodes;
  }

  /** Returns the arrivals of this seed, in order of time. */
  static List<Arrival> arrivals(long seed) {
    Random random = new Random(seed);
    List<Arrival> arrivals = new ArrayList<>();
    PriorityQueue<Arrival> asking =
        new PriorityQueue<>((one, other) -> Integer.compare(end(one), end(other)));
    long asked = 0;
    for (int tick = 1; tick <= ticks(); tick++) {
      while (!asking.isEmpty() && end(asking.peek()) <= tick) {
        asked -= asking.remove().parts();
      }
      while (asked * 100.0 < percentAt(tick) * NODES * PARTS) {
        int parts = size(random);
        int lifetime = TICKS_PER_HOUR / 2 + random.nextInt(TICKS_PER_HOUR);
        Arrival arrival = arrivalOf(arrivals.size(), tick, parts, lifetime);
        arrivals.add(arrival);
        asking.add(arrival);
        asked += parts;
      }
    }
    return arrivals;
  }

  private static int end(Arrival arrival) {
    return arrival.tick() + arrival.lifetime();
  }

  /** Draws a size, each half as likely as the next smaller one. */
  private static int size(Random random) {
    int drawn = 1 + random.nextInt((1 << SIZES.size()) - 1);
    return SIZES.get(Integer.numberOfLeadingZeros(drawn) - (Integer.SIZE - SIZES.size()));
  }

  /** Returns a pod of this size that arrives at a tick. */
  static Arrival arrivalOf(int number, int tick, int parts, int lifetime) {
    PodModel pod =
        Pods.pod("pod-" + number)
            .policy(Pool.POLICY)
            .milliCpu(parts * 1_000L)
            .memoryBytes(parts * 4_096L * MEBIBYTE)
            .build();
    return new Arrival(tick, parts, lifetime, pod);
  }
}
