package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.NodeModel;
import io.berth.engine.state.CacheLimit;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class NodeDeclaredFeaturesTest {
  private static final Optional<Verdict> UNDECLARED =
      Optional.of(Verdict.unresolvable("node(s) didn't match Pod's required features"));

  private final NodeDeclaredFeatures plugin = new NodeDeclaredFeatures();
  private final ClusterState state = new ClusterState(new CacheLimit(1 << 20));

  @TestFactory
  Stream<DynamicTest> verdicts() {
    return PluginTable.ofFilter(plugin)
        .row("a pod that needs no feature may go anywhere", pod("p"))
        .node(node("none"), PASSES)
        .node(node("some").declaredFeatures("A"), PASSES)
        .row("a node must declare the feature", pod("p").requiredFeatures("A"))
        .node(node("none"), UNDECLARED)
        .node(node("other").declaredFeatures("B"), UNDECLARED)
        .node(node("this").declaredFeatures("A", "C"), PASSES)
        .row("all of several", pod("p").requiredFeatures("A", "B"))
        .node(node("one").declaredFeatures("A"), UNDECLARED)
        .node(node("both").declaredFeatures("A", "B"), PASSES)
        .tests();
  }

  private boolean cures(@Nullable NodeModel before, Nodes after) {
    PodEntry pod = state.addPod(pod("p").requiredFeatures("A").build());
    PodShape shape = new PodShape(pod.shared(), state.matchersOf(pod), Optional.empty());
    NodeModel node = after.build();
    state.putNode(node);
    Change change = new Change.NodeChanged(before, node, state.nodes().slotOf(node.name()));
    boolean cures = plugin.cureBy(change).mayCure(shape, state);
    state.removePod(pod);
    return cures;
  }

  @Test
  void pods_areWokenByANodeThatHasComeToDeclareTheFeature() {
    NodeModel without = node("n").build();

    assertThat(cures(null, node("n"))).isFalse();
    assertThat(cures(null, node("n").declaredFeatures("A"))).isTrue();
    assertThat(cures(without, node("n").declaredFeatures("A"))).isTrue();
    assertThat(cures(without, node("n").declaredFeatures("B"))).isFalse();
    assertThat(cures(without, node("n").label("zone", "z"))).isFalse();
    assertThat(cures(node("n").declaredFeatures("A").build(), node("n").declaredFeatures("A", "B")))
        .isFalse();
    assertThat(plugin.cureBy(new Change.PodGone(pod("q").build()))).isEqualTo(Cure.none());
    assertThat(plugin.cureBy(new Change.SelfChanged())).isEqualTo(Cure.all());
  }
}
