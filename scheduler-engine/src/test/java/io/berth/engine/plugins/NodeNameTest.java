package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;

import io.berth.engine.framework.Verdict;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class NodeNameTest {
  private static final Optional<Verdict> ANOTHER =
      Optional.of(Verdict.unresolvable("node(s) didn't match the requested node name"));

  @TestFactory
  Stream<DynamicTest> verdicts() {
    return PluginTable.ofFilter(new NodeName())
        .row("a pod that names no node may go anywhere", pod("p"))
        .node(node("foo"), PASSES)
        .row("a pod goes to the node that it names and to no other", pod("p").requestedNode("foo"))
        .node(node("foo"), PASSES)
        .node(node("bar"), ANOTHER)
        .row("a node that is not there is nobody's", pod("p").requestedNode("baz"))
        .node(node("foo"), ANOTHER)
        .tests();
  }
}
