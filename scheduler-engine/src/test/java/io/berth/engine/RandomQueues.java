package io.berth.engine;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Random trees of queues. Each leaf admits the namespace of its name. */
final class RandomQueues {
  private final Random random;
  private final long[] capacity;
  private final double mostPast;
  private final List<QueueModel> queues = new ArrayList<>();
  private final List<String> leaves = new ArrayList<>();

  /**
   * @param capacity what the guarantees of the queues at the top may promise together
   * @param depth the maximum depth of the tree
   * @param mostPast the largest past share of a queue; 0 if the past does not count
   */
  RandomQueues(Random random, long[] capacity, int depth, double mostPast) {
    this.random = random;
    this.capacity = capacity.clone();
    this.mostPast = mostPast;
    grow("", this.capacity.clone(), depth);
  }

  List<QueueModel> queues() {
    return queues;
  }

  List<String> leaves() {
    return leaves;
  }

  private void grow(String parent, long[] guarantee, int depth) {
    int children = 2 + random.nextInt(2);
    for (int i = 0; i < children; i++) {
      String name = parent.isEmpty() ? "q" + i : parent + "-" + i;
      long[] part = new long[guarantee.length];
      for (int r = 0; r < part.length; r++) {
        part[r] = random.nextInt(3) == 0 ? 0 : guarantee[r] * (1 + random.nextInt(2)) / 8;
      }
      long[] named = part.clone();
      if (random.nextInt(3) == 0) {
        named[random.nextInt(named.length)] = 0;
      }
      boolean limited = random.nextInt(3) == 0;
      queues.add(
          new QueueModel(
                  name,
                  parent,
                  amounts(part, named),
                  limited ? amounts(limits(part), capacity) : ResourceAmounts.none(),
                  1 + random.nextInt(3),
                  random.nextInt(4) == 0 ? 1 : 0,
                  Duration.ZERO,
                  Set.of(name),
                  LabelSelector.nothing())
              .withPastShare(mostPast == 0 ? 0 : random.nextInt(3) * mostPast / 2));
      if (depth > 1 && random.nextInt(3) == 0) {
        grow(name, part, depth - 1);
      } else {
        leaves.add(name);
      }
    }
  }

  private long[] limits(long[] guarantee) {
    long[] limits = guarantee.clone();
    for (int r = 0; r < limits.length; r++) {
      limits[r] += capacity[r] / (2 + random.nextInt(3));
    }
    return limits;
  }

  private static ResourceAmounts amounts(long[] values, long[] named) {
    Map<String, Long> amounts = new HashMap<>();
    for (int r = 0; r < values.length; r++) {
      if (named[r] > 0) {
        amounts.put(QueueOracle.RESOURCES.get(r), values[r]);
      }
    }
    return ResourceAmounts.of(amounts);
  }
}
