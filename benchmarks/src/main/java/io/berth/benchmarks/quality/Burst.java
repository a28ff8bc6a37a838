package io.berth.benchmarks.quality;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.NodeUsage;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * A burst of pods between two reports of node usage. The pods use about four times their requests,
 * so requests do not predict the load; the expected usage in their annotation is accurate within 25
 * %.
 *
 * <p>For comparison, a second run disables the correction for pods that no report contains yet, so
 * that only the last report counts: each pod's start time is set to a time before the report, as if
 * the report contained its usage.
 */
final class Burst {
  static final int NODES = 50;
  static final int PODS = 1_000;

  private static final long MILLI_CPU = 64_000;
  private static final long REQUESTED = 250;
  private static final long EXPECTED = 1_000;
  private static final double ERROR = 0.25;
  private static final Duration WINDOW = Duration.ofSeconds(20);
  private static final String POLICY =
      """
      {"preemption": {"enabled": false}, "priorities": [
        {"name": "NodeResourcesFit", "weight": 0},
        {"name": "NodeResourcesBalancedAllocation", "weight": 0},
        {"name": "MostAvailable", "weight": 1, "args": {"resources": [{"name": "cpu"}]}}]}
      """;

  /**
   * The load of the nodes after the burst, in percent of their CPUs.
   *
   * @param hottest the highest load of a node
   * @param mean the mean load of all nodes
   */
  record Result(double hottest, double mean) {}

  private Burst() {}

  /**
   * Runs the burst of this seed.
   *
   * @param corrected whether pods that the report cannot contain are counted
   */
  static Result run(long seed, boolean corrected) {
    Random random = new Random(seed);
    Pool pool = new Pool(POLICY);
    Map<String, Long> load = new LinkedHashMap<>();
    List<NodeUsage> reports = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      String name = "node-" + i;
      pool.add(Nodes.node(name).milliCpu(MILLI_CPU).memoryBytes(1L << 38).build());
      long used = (long) (MILLI_CPU * (0.1 + 0.2 * random.nextDouble()));
      load.put(name, used);
      reports.add(new NodeUsage(name, pool.now(), WINDOW, ResourceAmounts.of(Map.of("cpu", used))));
    }
    pool.report(reports);
    for (int i = 0; i < PODS; i++) {
      PodModel pod =
          Pods.pod("pod-" + i)
              .policy(Pool.POLICY)
              .milliCpu(REQUESTED)
              .virtuallyAsks("cpu", EXPECTED)
              .build();
      long uses = (long) (EXPECTED * (1 - ERROR + 2 * ERROR * random.nextDouble()));
      String node = pool.place(pod).orElseThrow();
      load.merge(node, uses, Long::sum);
      if (!corrected) {
        pool.add(
            Pods.from(pod)
                .on(node)
                .startedAt(Optional.of(pool.now().minus(Duration.ofHours(1))))
                .build());
      }
    }
    long sum = load.values().stream().mapToLong(Long::longValue).sum();
    long most = load.values().stream().mapToLong(Long::longValue).max().orElseThrow();
    return new Result(100.0 * most / MILLI_CPU, 100.0 * sum / MILLI_CPU / NODES);
  }

  /** Returns the figures of both runs by name. */
  static Map<String, Object> figures(Result without, Result with) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("hottestWithout", Balance.rounded(without.hottest()));
    figures.put("hottestWith", Balance.rounded(with.hottest()));
    figures.put("meanWithout", Balance.rounded(without.mean()));
    figures.put("meanWith", Balance.rounded(with.mean()));
    return figures;
  }
}
