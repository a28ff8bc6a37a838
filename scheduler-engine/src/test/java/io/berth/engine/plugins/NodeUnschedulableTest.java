package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;

import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.model.Toleration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class NodeUnschedulableTest {
  private static final String KEY = "node.kubernetes.io/unschedulable";
  private static final Optional<Verdict> CORDONED =
      Optional.of(Verdict.unresolvable("node(s) were unschedulable"));

  private static Pods tolerating(Toleration toleration) {
    return pod("p").toleration(toleration);
  }

  @TestFactory
  Stream<DynamicTest> verdicts() {
    return PluginTable.ofFilter(new NodeUnschedulable())
        .row("no pod goes to a cordoned node", pod("p"))
        .node(node("cordoned").unschedulable(), CORDONED)
        .node(node("open"), PASSES)
        .row(
            "a pod that tolerates the taint goes there",
            tolerating(new Toleration(KEY, true, "", Optional.of(TaintEffect.NO_SCHEDULE))))
        .node(node("cordoned").unschedulable(), PASSES)
        .row(
            "so does one that tolerates everything",
            tolerating(new Toleration("", true, "", Optional.empty())))
        .node(node("cordoned").unschedulable(), PASSES)
        .row(
            "one that tolerates the taint's NoExecute alone does not",
            tolerating(new Toleration(KEY, true, "", Optional.of(TaintEffect.NO_EXECUTE))))
        .node(node("cordoned").unschedulable(), CORDONED)
        .tests();
  }
}
