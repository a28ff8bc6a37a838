package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.TaintEffect;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class PodTopologySpreadTest {
  private static final LabelSelector FOO = LabelSelector.ofPairs(Map.of("foo", "bar"));
  private static final String UNEVEN_WORDS = "node(s) didn't match pod topology spread constraints";
  private static final Optional<Verdict> UNEVEN = Optional.of(Verdict.unschedulable(UNEVEN_WORDS));
  private static final Optional<Verdict> NO_LABEL =
      Optional.of(Verdict.unresolvable(UNEVEN_WORDS + " (missing required label)"));

  private static SpreadConstraint hard(int maxSkew, String key) {
    return new SpreadConstraint(maxSkew, key, true, FOO, 1, true, false);
  }

  private static SpreadConstraint soft(int maxSkew, String key) {
    return new SpreadConstraint(maxSkew, key, false, FOO, 1, true, false);
  }

  private static Pods foo() {
    return pod("p").label("foo", "bar");
  }

  private static Pods spread(SpreadConstraint... constraints) {
    return foo().spread(List.of(constraints));
  }

  private static Nodes in(String zone, String name) {
    return node(name).label("zone", zone).label("node", name);
  }

  private static Pods[] foos(int count) {
    return Stream.generate(PodTopologySpreadTest::foo).limit(count).toArray(Pods[]::new);
  }

  @TestFactory
  Stream<DynamicTest> verdicts() {
    return PluginTable.ofFilter(new PodTopologySpread())
        .row("no pod is there yet", spread(hard(1, "zone")))
        .node(in("zone1", "a"), PASSES)
        .node(in("zone2", "x"), PASSES)
        .row("pods of another namespace do not count", spread(hard(1, "zone")))
        .node(in("zone1", "a"), PASSES, foo().namespace("other"), foo().namespace("other"))
        .node(in("zone2", "x"), PASSES)
        .row("zones as 3/3", spread(hard(1, "zone")))
        .node(in("zone1", "a"), PASSES, foos(2))
        .node(in("zone1", "b"), PASSES, foos(1))
        .node(in("zone2", "x"), PASSES)
        .node(in("zone2", "y"), PASSES, foos(3))
        .row("zones as 1/2, a node without the label", spread(hard(1, "zone")))
        .node(in("zone1", "a"), PASSES, foos(1))
        .node(node("b").label("zon", "zone1"), NO_LABEL, foos(1))
        .node(in("zone2", "x"), UNEVEN, foos(1))
        .node(in("zone2", "y"), UNEVEN, foos(1))
        .row("no node has the label", spread(hard(1, "rack")))
        .node(in("zone1", "a"), NO_LABEL)
        .row("nodes as 2/1/0/3", spread(hard(1, "node")))
        .node(in("zone1", "a"), UNEVEN, foos(2))
        .node(in("zone1", "b"), UNEVEN, foos(1))
        .node(in("zone2", "x"), PASSES)
        .node(in("zone2", "y"), UNEVEN, foos(3))
        .row("nodes as 2/1/0/3, skew 2", spread(hard(2, "node")))
        .node(in("zone1", "a"), UNEVEN, foos(2))
        .node(in("zone1", "b"), PASSES, foos(1))
        .node(in("zone2", "x"), PASSES)
        .node(in("zone2", "y"), UNEVEN, foos(3))
        .row(
            "nodes as 2/1/0/3, the pod does not count itself",
            pod("p").label("bar", "").spread(hard(1, "node")))
        .node(in("zone1", "a"), UNEVEN, foos(2))
        .node(in("zone1", "b"), PASSES, foos(1))
        .node(in("zone2", "x"), PASSES)
        .node(in("zone2", "y"), UNEVEN, foos(3))
        .row("terminating pods do not count", spread(hard(1, "node")))
        .node(in("zone1", "a"), PASSES, foo().terminating(true))
        .node(in("zone1", "b"), UNEVEN, foos(1))
        .row("zones and nodes, [3/4] and [2/1/0/4]", spread(hard(1, "zone"), hard(1, "node")))
        .node(in("zone1", "a"), UNEVEN, foos(2))
        .node(in("zone1", "b"), UNEVEN, foos(1))
        .node(in("zone2", "x"), UNEVEN)
        .node(in("zone2", "y"), UNEVEN, foos(4))
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> verdictsByWhichNodesCount() {
    NodeSelection zone1 = new NodeSelection(Map.of("zone", "zone1"), Optional.empty(), List.of());
    SpreadConstraint ignoring = new SpreadConstraint(1, "node", true, FOO, 1, false, false);
    SpreadConstraint minDomains = new SpreadConstraint(2, "node", true, FOO, 4, true, false);
    SpreadConstraint honoringTaints = new SpreadConstraint(1, "node", true, FOO, 1, true, true);
    return PluginTable.ofFilter(new PodTopologySpread())
        .row(
            "a node that the pod cannot go to does not count as the emptiest; NodeAffinity rejects"
                + " it",
            spread(hard(1, "node")).nodes(zone1))
        .node(in("zone1", "a"), PASSES, foos(1))
        .node(in("zone1", "b"), UNEVEN, foos(2))
        .node(in("zone2", "x"), PASSES)
        .row("unless the constraint says so", spread(ignoring).nodes(zone1))
        .node(in("zone1", "a"), UNEVEN, foos(1))
        .node(in("zone1", "b"), UNEVEN, foos(2))
        .node(in("zone2", "x"), PASSES)
        .row("nodes as 2/2/1 and fewer domains than minDomains: the least is 0", spread(minDomains))
        .node(in("zone1", "a"), UNEVEN, foos(2))
        .node(in("zone1", "b"), UNEVEN, foos(2))
        .node(in("zone2", "x"), PASSES, foos(1))
        .row("tainted nodes count", spread(hard(1, "node")))
        .node(in("zone1", "a"), UNEVEN, foos(1))
        .node(in("zone1", "b").taint("t", "", TaintEffect.NO_SCHEDULE), PASSES)
        .row("unless the constraint honors taints", spread(honoringTaints))
        .node(in("zone1", "a"), PASSES, foos(1))
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> scores() {
    return PluginTable.ofScore(new PodTopologySpread())
        .row("a pod without constraints, Service or controller scores nothing", pod("p"))
        .node(in("zone1", "a"), 0)
        .node(in("zone1", "b"), 0)
        .row("nothing there: all are as good", spread(soft(1, "node")))
        .node(in("zone1", "a"), 100)
        .node(in("zone1", "b"), 100)
        .row(
            "the fewer on the node, the better: 2/1/0/3, weighted by log(4 + 2) and rounded",
            spread(soft(1, "node")))
        .node(in("zone1", "a"), 20, foos(2))
        .node(in("zone1", "b"), 60, foos(1))
        .node(in("zone2", "c"), 100)
        .node(in("zone2", "d"), 0, foos(3))
        .row("nodes without the label score 0", spread(soft(1, "node")))
        .node(in("zone1", "a"), 100)
        .node(node("b"), 0)
        .tests();
  }
}
