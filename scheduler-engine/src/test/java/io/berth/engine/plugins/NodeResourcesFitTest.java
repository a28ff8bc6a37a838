package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.plugins.ScoringStrategy.RequestedToCapacityRatio;
import io.berth.engine.state.CacheLimit;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class NodeResourcesFitTest {
  private static final String DEVICE = "example.com/aaa";

  private static Optional<Verdict> curable(String... reasons) {
    return Optional.of(Verdict.unschedulable(reasons));
  }

  private static Optional<Verdict> hopeless(String... reasons) {
    return Optional.of(Verdict.unresolvable(reasons));
  }

  private static Nodes node10() {
    return node("n").milliCpu(10).memoryBytes(20).allocatable("pods", 32).allocatable(DEVICE, 5);
  }

  private static Pods asking(long milliCpu, long memoryBytes) {
    return pod("p").milliCpu(milliCpu).memoryBytes(memoryBytes);
  }

  @TestFactory
  Stream<DynamicTest> verdicts() {
    return PluginTable.ofFilter(new NodeResourcesFit())
        .row("a pod that asks for nothing fits a full node", pod("p"))
        .node(node10(), PASSES, asking(10, 20))
        .row("both are short", asking(1, 1))
        .node(node10(), curable("Insufficient cpu", "Insufficient memory"), asking(10, 20))
        .row("it fits", asking(1, 1))
        .node(node10(), PASSES, asking(5, 5))
        .row("CPU alone is short", asking(1, 1))
        .node(node10(), curable("Insufficient cpu"), asking(10, 19))
        .row("memory alone is short", asking(1, 2))
        .node(node10(), curable("Insufficient memory"), asking(5, 19))
        .row("what is left may be taken to the last", asking(5, 1))
        .node(node10(), PASSES, asking(5, 19))
        .row("even an empty node is too small", asking(11, 1))
        .node(node10(), hopeless("Insufficient cpu"))
        .row("an extended resource that fits", asking(1, 1).asks(DEVICE, 5))
        .node(node10(), PASSES)
        .row("more of it than the node has", asking(1, 1).asks(DEVICE, 10))
        .node(node10(), hopeless("Insufficient " + DEVICE))
        .row("more of it than is left", asking(1, 1).asks(DEVICE, 1))
        .node(node10(), curable("Insufficient " + DEVICE), asking(0, 0).asks(DEVICE, 5))
        .row("one that the node does not have", asking(1, 1).asks("example.com/bbb", 1))
        .node(node10(), hopeless("Insufficient example.com/bbb"))
        .row("the node's pods are counted", pod("p"))
        .node(node10().allocatable("pods", 1), curable("Too many pods"), asking(1, 1))
        .tests();
  }

  /** Pending pods are indexed by their needs: no pod that a change may help may be skipped. */
  @Test
  void aChangeThatMayHelpAPod_offersWhatThePodNeeds() {
    Random random = new Random(7);
    NodeResourcesFit fit = new NodeResourcesFit();
    int helped = 0;
    for (int i = 0; i < 3_000; i++) {
      ClusterState state = new ClusterState(new CacheLimit(1 << 20));
      NodeModel node = node10().build();
      state.putNode(node);
      for (int j = 0; j < random.nextInt(4); j++) {
        PodRef ref = new PodRef("default", "other-" + j, "uid-" + j);
        Pods other = asking(random.nextInt(8), 1).priority(random.nextInt(3)).ref(ref).on("n");
        state.place(state.addPod(other.build()), "n");
      }
      Pods waiting =
          asking(random.nextInt(13), 1).priority(random.nextInt(3)).neverPreempts(i % 5 == 0);
      PodEntry pod = state.addPod(waiting.build());
      PodShape shape = new PodShape(pod.shared(), state.matchersOf(pod), Optional.empty());
      Change change =
          switch (random.nextInt(3)) {
            case 0 -> new Change.NodeChanged(null, node, state.nodes().slotOf("n"));
            case 1 -> new Change.PodGone(asking(3, 1).build(), random.nextBoolean() ? "n" : "");
            default -> new Change.PodGone(asking(3, 1).on("gone").build());
          };
      if (fit.cureBy(change).mayCure(shape, state)) {
        helped++;
        assertThat(fit.needOf(shape))
            .as("%s for %s", change, waiting.build())
            .isLessThanOrEqualTo(fit.offeredBy(change, pod.priority(), state));
      }
    }
    assertThat(helped).isGreaterThan(500);
  }

  /** Returns whether a pod is retried after this one has left node n, where the others remain. */
  private static boolean wakes(Pods waiting, Pods gone, Pods... others) {
    ClusterState state = new ClusterState(new CacheLimit(1 << 20));
    state.putNode(node10().build());
    for (int i = 0; i < others.length; i++) {
      PodRef ref = new PodRef("default", "other-" + i, "uid-" + i);
      state.place(state.addPod(others[i].ref(ref).on("n").build()), "n");
    }
    PodEntry pod = state.addPod(waiting.build());
    PodShape shape = new PodShape(pod.shared(), state.matchersOf(pod), Optional.empty());
    return new NodeResourcesFit().cureBy(new Change.PodGone(gone.build())).mayCure(shape, state);
  }

  @Test
  void pods_areWokenByAPodThatLeaves_ifTheyFitNow() {
    assertThat(wakes(asking(5, 5), asking(1, 1).on("n"), asking(5, 5))).isTrue();
    assertThat(wakes(asking(5, 5), asking(1, 1).on("n"), asking(6, 5))).isFalse();
    assertThat(wakes(asking(11, 5), asking(10, 1).on("n"))).as("too large for the node").isFalse();
    assertThat(
            wakes(asking(1, 1).asks(DEVICE, 1), asking(1, 1).on("n"), asking(0, 0).asks(DEVICE, 5)))
        .isFalse();
    assertThat(wakes(asking(11, 5), asking(1, 1))).as("the room was not on a node").isTrue();
    assertThat(wakes(asking(1, 1), asking(1, 1).on("gone"))).as("the node is gone").isFalse();
  }

  @Test
  void pods_areWokenByAPodThatLeaves_ifTheyFitBesideThoseThatTheyMayNotEvict() {
    Pods important = asking(5, 5).priority(10);

    assertThat(wakes(important, asking(1, 1).on("n"), asking(6, 5).priority(9))).isTrue();
    assertThat(wakes(important, asking(1, 1).on("n"), asking(6, 5).priority(10))).isFalse();
    assertThat(wakes(important.neverPreempts(true), asking(1, 1).on("n"), asking(6, 5))).isFalse();
  }

  @TestFactory
  Stream<DynamicTest> verdictsWithIgnoredResources() {
    NodeResourcesFit lenient =
        new NodeResourcesFit(
            Set.of("example.com/bbb"), Set.of("ignored.io"), new NodeResourcesFit().strategy());
    return PluginTable.ofFilter(lenient)
        .row("an ignored resource", asking(1, 1).asks("example.com/bbb", 1))
        .node(node10(), PASSES)
        .row("a resource of an ignored group", asking(1, 1).asks("ignored.io/x", 1))
        .node(node10(), PASSES)
        .row("any other", asking(1, 1).asks("example.com/ccc", 1))
        .node(node10(), hopeless("Insufficient example.com/ccc"))
        .tests();
  }

  private static Nodes sized(String name, long milliCpu, long memoryBytes) {
    return node(name).milliCpu(milliCpu).memoryBytes(memoryBytes);
  }

  @TestFactory
  Stream<DynamicTest> leastAllocatedScores() {
    return PluginTable.ofScore(new NodeResourcesFit())
        .row("equal nodes", asking(0, 0))
        .node(sized("a", 4_000, 10_000), 100)
        .node(sized("b", 4_000, 10_000), 100)
        .row("the larger node has more left", asking(3_000, 5_000))
        .node(sized("a", 4_000, 10_000), 37)
        .node(sized("b", 6_000, 10_000), 50)
        .row("pods that are there count", asking(0, 0))
        .node(sized("a", 10_000, 20_000), 70, asking(3_000, 0), asking(3_000, 0))
        .node(sized("b", 10_000, 20_000), 57, asking(3_000, 0), asking(3_000, 5_000))
        .row("the pod and those that are there", asking(3_000, 5_000))
        .node(sized("a", 10_000, 20_000), 57, asking(3_000, 0))
        .node(sized("b", 10_000, 50_000), 60, asking(3_000, 5_000))
        .row("beyond its capacity a resource scores 0", asking(3_000, 0))
        .node(sized("a", 4_000, 10_000), 50, asking(3_000, 0))
        .node(sized("b", 4_000, 10_000), 25, asking(3_000, 5_000))
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> weightedScores() {
    List<WeightedResource> memoryTwice =
        List.of(new WeightedResource("memory", 2), new WeightedResource("cpu", 1));
    return Stream.concat(
        PluginTable.ofScore(new NodeResourcesFit(new ScoringStrategy.LeastAllocated(memoryTwice)))
            .row("LeastAllocated, memory twice: (25 + 2 x 50) / 3", asking(3_000, 5_000))
            .node(sized("a", 4_000, 10_000), 41)
            .node(sized("b", 6_000, 10_000), 50)
            .tests(),
        PluginTable.ofScore(new NodeResourcesFit(new ScoringStrategy.MostAllocated(memoryTwice)))
            .row("MostAllocated, memory twice: (75 + 2 x 50) / 3", asking(3_000, 5_000))
            .node(sized("a", 4_000, 10_000), 58)
            .node(sized("b", 6_000, 10_000), 50)
            .tests());
  }

  @TestFactory
  Stream<DynamicTest> curveScores() {
    RequestedToCapacityRatio packing =
        new RequestedToCapacityRatio(
            WeightedResource.CPU_AND_MEMORY,
            new UtilizationCurve(
                List.of(new UtilizationCurve.Point(0, 10), new UtilizationCurve.Point(100, 0))));
    return PluginTable.ofScore(new NodeResourcesFit(packing))
        .row("an idle node", asking(0, 0))
        .node(sized("a", 4_000, 10_000), 100)
        .row("the curve falls with the share that is requested", asking(3_000, 5_000))
        .node(sized("a", 4_000, 10_000), 38)
        .node(sized("b", 6_000, 10_000), 50)
        .tests();
  }
}
