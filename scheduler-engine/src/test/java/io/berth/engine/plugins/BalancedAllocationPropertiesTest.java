package io.berth.engine.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.state.CacheLimit;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** NodeResourcesBalancedAllocation compared with an independent implementation of its formulas. */
class BalancedAllocationPropertiesTest {
  private static final int ROUNDS = 3_000;
  private static final List<String> NAMES =
      List.of("cpu", "memory", "nvidia.com/gpu", "example.com/fpga");

  /** One node and one pod, by resource. */
  private static final class Case {
    private final long[] allocatable;
    private final long[] held;
    private final long[] asked;

    Case(long[] allocatable, long[] held, long[] asked) {
      this.allocatable = allocatable;
      this.held = held;
      this.asked = asked;
    }

    long[] allocatable() {
      return allocatable;
    }

    long[] held() {
      return held;
    }

    long[] asked() {
      return asked;
    }

    static Case random(Random random) {
      int size = 2 + random.nextInt(NAMES.size() - 1);
      long[] allocatable = new long[size];
      long[] held = new long[size];
      long[] asked = new long[size];
      for (int k = 0; k < size; k++) {
        allocatable[k] = k > 0 && random.nextInt(6) == 0 ? 0 : 1 + random.nextInt(100);
        held[k] = random.nextInt(70);
        asked[k] = random.nextInt(3) == 0 ? 0 : random.nextInt(50);
      }
      asked[0]++;
      return new Case(allocatable, held, asked);
    }

    /** Returns the shares that count: extended resources only if the pod requests them. */
    List<double[]> shares(boolean withPod, long[] weights) {
      List<double[]> shares = new ArrayList<>();
      for (int k = 0; k < allocatable.length; k++) {
        if (allocatable[k] > 0 && (k < 2 || asked[k] > 0)) {
          double requested = (double) (held[k] + (withPod ? asked[k] : 0));
          shares.add(new double[] {Math.min(1, requested / allocatable[k]), weights[k]});
        }
      }
      return shares;
    }
  }

  private static int scoreOf(Case given, long[] weights) {
    List<WeightedResource> resources = new ArrayList<>();
    Nodes node = Nodes.bare("n").allocatable("pods", 10);
    Pods there = Pods.pod("there");
    Pods pod = Pods.pod("p");
    for (int k = 0; k < weights.length; k++) {
      resources.add(new WeightedResource(NAMES.get(k), weights[k]));
      node.allocatable(NAMES.get(k), given.allocatable()[k]);
      there.asks(NAMES.get(k), given.held()[k]);
      pod.asks(NAMES.get(k), given.asked()[k]);
    }
    ClusterState state = new ClusterState(new CacheLimit(1 << 20));
    state.putNode(node.build());
    state.place(state.addPod(there.build()), "n");
    PodEntry entry = state.addPod(pod.build());
    PodShape shape = new PodShape(entry.shared(), state.matchersOf(entry), Optional.empty());
    NodeScorer scorer =
        new NodeResourcesBalancedAllocation(resources).scorerFor(shape, state).orElseThrow();
    NodeSet feasible = new NodeSet(1);
    feasible.add(0);
    scorer.refresh(feasible);
    return scorer.raw(0);
  }

  private static int score(double deviationWith, double deviationWithout) {
    int with = (int) ((1 - deviationWith) * 100);
    int without = (int) ((1 - deviationWithout) * 100);
    return 50 + (50 + with - without) / 2;
  }

  /** Returns kube-scheduler's standard deviation, which has no weights. */
  private static double plainDeviation(List<double[]> shares) {
    if (shares.size() == 2) {
      return Math.abs((shares.get(0)[0] - shares.get(1)[0]) / 2);
    }
    if (shares.size() < 2) {
      return 0;
    }
    double total = 0;
    for (double[] share : shares) {
      total += share[0];
    }
    double mean = total / shares.size();
    double sum = 0;
    for (double[] share : shares) {
      sum += (share[0] - mean) * (share[0] - mean);
    }
    return Math.sqrt(sum / shares.size());
  }

  /** Returns the deviation from the weighted mean, with a weight for each square. */
  private static double weightedDeviation(List<double[]> shares) {
    double weights = shares.stream().mapToDouble(share -> share[1]).sum();
    double mean = shares.stream().mapToDouble(share -> share[1] * share[0]).sum() / weights;
    return Math.sqrt(
        shares.stream().mapToDouble(share -> share[1] * (share[0] - mean) * (share[0] - mean)).sum()
            / weights);
  }

  @Test
  void withEqualWeightsEveryScore_isKubeSchedulers() {
    Random random = new Random(36);
    for (int round = 0; round < ROUNDS; round++) {
      Case given = Case.random(random);
      long[] weights = new long[given.asked().length];
      Arrays.fill(weights, round % 2 == 0 ? 1 : 1 + random.nextInt(100));

      assertThat(scoreOf(given, weights))
          .as("round %d", round)
          .isEqualTo(
              score(
                  plainDeviation(given.shares(true, weights)),
                  plainDeviation(given.shares(false, weights))));
    }
  }

  /** Different orders of floating-point additions may round to different integers. */
  @Test
  void withAnyWeightsIt_isTheWeightedDeviation() {
    Random random = new Random(11);
    for (int round = 0; round < ROUNDS; round++) {
      Case given = Case.random(random);
      long[] weights = random.longs(given.asked().length, 1, 101).toArray();

      assertThat((double) scoreOf(given, weights))
          .as("round %d", round)
          .isCloseTo(
              score(
                  weightedDeviation(given.shares(true, weights)),
                  weightedDeviation(given.shares(false, weights))),
              Offset.offset(1.0));
    }
  }
}
