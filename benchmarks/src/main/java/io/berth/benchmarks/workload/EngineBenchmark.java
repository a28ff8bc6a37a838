package io.berth.benchmarks.workload;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.SpreadConstraint;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
 * Benchmarks of the engine's hot operations on 5,000 nodes: adding, placing, and removing a pod of
 * a known shape, of a new shape, and with a spread constraint; changing a node, with and without
 * placing a pod afterwards; adding and removing a bound pod; preemption dry runs on every node; and
 * rendering the messages of a decision.
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
  private @Nullable Decision explained;
  private int number;

  /** Adds the nodes. */
  @Setup
  public void addNodes() {
    for (int i = 0; i < NODES; i++) {
      cluster.addNode(Cluster.node(i, 3));
      cluster.addPod(PodKind.plain(1_000, PodKind.MIB).pod("low-" + i, "node-" + i));
    }
    explained = placeAndRemove(spread);
  }

  @Benchmark
  public Decision plainPod_comesIsPlacedAndGoes() {
    return placeAndRemove(plain);
  }

  @Benchmark
  public Decision podWithSpreadConstraint_comesIsPlacedAndGoes() {
    return placeAndRemove(spread);
  }

  /** Measures a pod with a new shape: every filter and score of every node. */
  @Benchmark
  public Decision podOfANewShape_comesIsPlacedAndGoes() {
    number++;
    return placeAndRemove(PodKind.plain(100 + number % 3_000, number).pod("new", ""));
  }

  /**
   * Measures the update of a node's columns, and the search for pods that the change makes
   * schedulable.
   */
  @Benchmark
  public void node_changes() {
    change();
  }

  /** Measures preemption dry runs on every node for a pod of a new kind. */
  @Benchmark
  public Decision preemption_isTriedOnEveryNode() {
    number++;
    PodModel pod =
        PodKind.plain(3_500, number).withPriority(10 + number % 1_000).pod("preemptor", "");
    cluster.addPod(pod);
    Decision decision = cluster.decide();
    cluster.removePod(pod.ref());
    return decision;
  }

  /** Measures rendering a decision's messages and scores. */
  @Benchmark
  public int decision_isExplained() {
    DecisionRecord record = Objects.requireNonNull(explained).record();
    return record.message().length() + record.bestNodes().size() + record.rejections().size();
  }

  /** Measures a pod of a known shape after a node has changed. */
  @Benchmark
  public Decision plainPod_afterANodeChanged() {
    change();
    return placeAndRemove(plain);
  }

  /** Measures the update of columns and counters for a pod that is already bound. */
  @Benchmark
  public void boundPod_comesAndGoes() {
    cluster.addPod(bound);
    cluster.removePod(bound.ref());
  }

  private void change() {
    number++;
    cluster.addNode(
        Nodes.from(Cluster.node(number % NODES, 3)).milliCpu(3_900L + number % 100).build());
  }

  private Decision placeAndRemove(PodModel pod) {
    cluster.addPod(pod);
    Decision decision = cluster.decide();
    cluster.apply(new ClusterEvent.BindingConfirmed(decision.pod()));
    cluster.removePod(decision.pod());
    return decision;
  }
}
