package io.berth.benchmarks.workload;

import io.berth.engine.ClusterEvent;
import io.berth.engine.Decision;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.SpreadConstraint;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The engine's hot operations one by one, on 5,000 nodes: a pod that comes, is placed and goes; the
 * same with a spread constraint; a node that changes under a remembered shape; a bound pod that
 * comes and goes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class EngineBenchmark {
  private static final int NODES = 5_000;
  private static final Map<String, String> APP = Map.of("app", "web");

  private final Cluster cluster = new Cluster();
  private final PodModel plain = PodKind.plain(100, 500 * PodKind.MIB).pod("plain", "");
  private final PodModel spread =
      PodKind.plain(100, 500 * PodKind.MIB)
          .labelled(APP)
          .spread(
              new SpreadConstraint(
                  5, PodKind.ZONE, true, LabelSelector.ofPairs(APP), 1, true, false))
          .pod("spread", "");
  private final PodModel bound = PodKind.plain(100, PodKind.MIB).pod("bound", "node-7");
  private int number;

  /** Adds the nodes. */
  @Setup
  public void addNodes() {
    for (int i = 0; i < NODES; i++) {
      cluster.addNode(Cluster.node(i, 3));
    }
  }

  @Benchmark
  public Decision plainPod_comesIsPlacedAndGoes() {
    return placeAndRemove(plain);
  }

  @Benchmark
  public Decision podWithSpreadConstraint_comesIsPlacedAndGoes() {
    return placeAndRemove(spread);
  }

  /** What a remembered shape costs when a node has changed in between. */
  @Benchmark
  public Decision plainPod_afterANodeChanged() {
    number++;
    NodeModel node = Cluster.node(number % NODES, 3);
    cluster.addNode(
        new NodeModel(
            node.name(),
            node.uid(),
            node.labels(),
            List.of(),
            false,
            ResourceAmounts.of(
                Map.of("cpu", 3_900L + number % 100, "memory", 32L << 30, "pods", 110L)),
            List.of()));
    return placeAndRemove(plain);
  }

  /** What the columns and counters cost for a pod that others have placed. */
  @Benchmark
  public void boundPod_comesAndGoes() {
    cluster.addPod(bound);
    cluster.removePod(bound.ref());
  }

  private Decision placeAndRemove(PodModel pod) {
    cluster.addPod(pod);
    Decision decision = cluster.decide();
    cluster.apply(new ClusterEvent.BindingConfirmed(decision.pod()));
    cluster.removePod(decision.pod());
    return decision;
  }
}
