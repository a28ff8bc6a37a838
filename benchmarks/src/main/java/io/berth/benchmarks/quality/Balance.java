package io.berth.benchmarks.quality;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Measures the capacity that a policy strands.
 *
 * <p>Free capacity of a resource is stranded if the node's scarcest resource runs out first: with
 * 32 of 64 CPUs and 1 of 256 GiB of memory left, about half of the CPUs are stranded. The stranded
 * share of a resource is its free share minus that of the scarcest resource; the figure is its mean
 * over all resources, all nodes, and the second half of the stream of pods, when the pool is full.
 */
final class Balance {
  /** The number of pods in the stream, each of which terminates after its lifetime. */
  static final int PODS = 24_000;

  /**
   * The mean lifetime of a pod, as a number of later arrivals: more pods than fit into the pool.
   */
  static final int LIFETIME = 9_000;

  private static final int SAMPLE_EVERY = 200;

  /** kube-scheduler's defaults, which prefer empty nodes and a balance of CPU and memory. */
  static final String DEFAULT_POLICY = "{}";

  /**
   * A policy that prefers a balance of all three resources over anything else, with double weight
   * for GPUs.
   */
  static final String WEIGHTED_POLICY =
      """
      {"priorities": [
        {"name": "NodeResourcesBalancedAllocation", "weight": 20, "args": {"resources": [
          {"name": "cpu", "weight": 1},
          {"name": "memory", "weight": 1},
          {"name": "nvidia.com/gpu", "weight": 2}]}}]}
      """;

  /** A running pod, and the arrival before which it terminates. */
  private record Running(int until, PodModel pod, String node) {}

  /**
   * The result of a policy.
   *
   * @param strandedPercent the stranded percentage in the second half of the stream
   * @param byResource the same for each of {@link MixedStream#RESOURCES}
   * @param curve the stranded percentage by the number of pods that have arrived
   * @param refused the number of pods that did not fit on any node
   */
  record Result(
      double strandedPercent, List<Double> byResource, List<LinePlot.Point> curve, int refused) {}

  private final Pool pool;
  private final MixedStream stream;
  private final Map<String, NodeModel> nodes = new HashMap<>();
  private final Map<String, long[]> free = new HashMap<>();

  private Balance(String policy, long seed) {
    this.pool = new Pool(policy);
    this.stream = new MixedStream(seed);
    for (NodeModel node : MixedStream.nodes()) {
      pool.add(node);
      nodes.put(node.name(), node);
      free.put(
          node.name(),
          MixedStream.RESOURCES.stream().mapToLong(node.allocatable()::amountOf).toArray());
    }
  }

  /** Runs the stream of this seed with a policy. */
  static Result run(String policy, long seed) {
    return new Balance(policy, seed).run();
  }

  /** Returns the figures of both policies by name. */
  static Map<String, Object> figures(Result byDefault, Result weighted) {
    Map<String, Object> figures = new HashMap<>();
    figures.put("defaultStrandedPercent", rounded(byDefault.strandedPercent()));
    figures.put("weightedStrandedPercent", rounded(weighted.strandedPercent()));
    return figures;
  }

  static double rounded(double percent) {
    return Double.parseDouble(String.format(Locale.ROOT, "%.2f", percent));
  }

  private Result run() {
    PriorityQueue<Running> running =
        new PriorityQueue<>((one, other) -> Integer.compare(one.until(), other.until()));
    List<LinePlot.Point> curve = new ArrayList<>();
    double[] sums = new double[MixedStream.RESOURCES.size()];
    int samples = 0;
    int refused = 0;
    for (int i = 1; i <= PODS; i++) {
      while (!running.isEmpty() && running.peek().until() <= i) {
        Running gone = running.remove();
        pool.remove(gone.pod().ref());
        charge(gone.pod(), gone.node(), -1);
      }
      PodModel pod = stream.next();
      int until = i + stream.lifetime(LIFETIME);
      Optional<String> node = pool.place(pod);
      if (node.isPresent()) {
        charge(pod, node.get(), 1);
        running.add(new Running(until, pod, node.get()));
      } else {
        refused++;
      }
      if (i % SAMPLE_EVERY == 0) {
        double[] stranded = strandedPercents();
        curve.add(new LinePlot.Point(i, mean(stranded)));
        if (i > PODS / 2) {
          samples++;
          for (int k = 0; k < sums.length; k++) {
            sums[k] += stranded[k];
          }
        }
      }
    }
    int count = samples;
    List<Double> byResource = Arrays.stream(sums).map(sum -> sum / count).boxed().toList();
    return new Result(mean(sums) / count, byResource, curve, refused);
  }

  private void charge(PodModel pod, String node, int sign) {
    long[] left = free.get(node);
    for (int k = 0; k < left.length; k++) {
      left[k] -= sign * pod.spec().requests().asked().amountOf(MixedStream.RESOURCES.get(k));
    }
  }

  /** Returns the stranded percentage of each resource, as the mean over all nodes. */
  private double[] strandedPercents() {
    double[] percents = new double[MixedStream.RESOURCES.size()];
    for (Map.Entry<String, long[]> node : free.entrySet()) {
      double[] stranded = stranded(nodes.get(node.getKey()), node.getValue());
      for (int k = 0; k < percents.length; k++) {
        percents[k] += 100 * stranded[k] / free.size();
      }
    }
    return percents;
  }

  /** Returns the free share of each resource minus that of the scarcest. */
  static double[] stranded(NodeModel node, long[] left) {
    double[] shares = new double[left.length];
    double least = 1;
    for (int k = 0; k < left.length; k++) {
      shares[k] = (double) left[k] / node.allocatable().amountOf(MixedStream.RESOURCES.get(k));
      least = Math.min(least, shares[k]);
    }
    for (int k = 0; k < left.length; k++) {
      shares[k] -= least;
    }
    return shares;
  }

  static double mean(double[] values) {
    return Arrays.stream(values).average().orElse(0);
  }
}
