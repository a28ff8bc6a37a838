package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static io.berth.engine.plugins.PluginTable.PASSES;

import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.WeightedNodeTerm;
import io.berth.rules.label.LabelOperator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class NodeAffinityTest {
  private static final Optional<Verdict> UNMATCHED =
      Optional.of(Verdict.unresolvable("node(s) didn't match Pod's node affinity/selector"));
  private static final Optional<Verdict> NOT_ENFORCED =
      Optional.of(Verdict.unresolvable("node(s) didn't match scheduler-enforced node affinity"));

  private static NodeTerm term(Requirement... expressions) {
    return new NodeTerm(List.of(expressions), List.of(), false);
  }

  private static Requirement is(String key, LabelOperator operator, String... values) {
    return new Requirement(key, operator, List.of(values));
  }

  private static Pods requiring(NodeTerm... terms) {
    return pod("p").nodes(new NodeSelection(Map.of(), Optional.of(List.of(terms)), List.of()));
  }

  private static Pods selecting(Map<String, String> nodeSelector) {
    return pod("p").nodes(new NodeSelection(nodeSelector, Optional.empty(), List.of()));
  }

  private static WeightedNodeTerm prefers(int weight, Requirement expression) {
    return new WeightedNodeTerm(weight, term(expression));
  }

  private static Pods preferring(WeightedNodeTerm... terms) {
    return pod("p").nodes(new NodeSelection(Map.of(), Optional.empty(), List.of(terms)));
  }

  @TestFactory
  Stream<DynamicTest> verdicts() {
    return PluginTable.ofFilter(new NodeAffinity())
        .row("a pod that asks for nothing may go anywhere", pod("p"))
        .node(node("n"), PASSES)
        .row("a node selector needs its label", selecting(Map.of("foo", "bar")))
        .node(node("without"), UNMATCHED)
        .node(node("with").label("foo", "bar"), PASSES)
        .row("all of its labels", selecting(Map.of("foo", "bar", "baz", "blah")))
        .node(node("one").label("foo", "bar"), UNMATCHED)
        .node(node("both").label("foo", "bar").label("baz", "blah").label("x", "y"), PASSES)
        .row("In: one of the values", requiring(term(is("foo", LabelOperator.IN, "bar", "value2"))))
        .node(node("a").label("foo", "bar"), PASSES)
        .node(node("b").label("foo", "other"), UNMATCHED)
        .row(
            "Gt compares integers",
            requiring(term(is("version", LabelOperator.GREATER_THAN, "0204"))))
        .node(node("newer").label("version", "0206"), PASSES)
        .node(node("older").label("version", "0204"), UNMATCHED)
        .node(node("unknown").label("version", "new"), UNMATCHED)
        .row(
            "NotIn: none of the values",
            requiring(term(is("mem-type", LabelOperator.NOT_IN, "DDR", "DDR2"))))
        .node(node("a").label("mem-type", "DDR3"), PASSES)
        .node(node("b").label("mem-type", "DDR"), UNMATCHED)
        .node(node("c"), PASSES)
        .row("Exists: any value", requiring(term(is("GPU", LabelOperator.EXISTS))))
        .node(node("a").label("GPU", "NVIDIA-GRID-K1"), PASSES)
        .node(node("b"), UNMATCHED)
        .row(
            "terms are alternatives",
            requiring(
                term(is("foo", LabelOperator.IN, "bar")),
                term(is("diffkey", LabelOperator.IN, "wrong"))))
        .node(node("n").label("foo", "bar"), PASSES)
        .row(
            "requirements of a term hold together",
            requiring(term(is("foo", LabelOperator.IN, "bar"), is("GPU", LabelOperator.EXISTS))))
        .node(node("n").label("foo", "bar"), UNMATCHED)
        .row("an empty term matches no node", requiring(term()))
        .node(node("n").label("foo", "bar"), UNMATCHED)
        .row("no terms match no node", requiring())
        .node(node("n").label("foo", "bar"), UNMATCHED)
        .row(
            "node selector and affinity hold together",
            pod("p")
                .nodes(
                    new NodeSelection(
                        Map.of("foo", "bar"),
                        Optional.of(List.of(term(is("foo", LabelOperator.EXISTS)))),
                        List.of())))
        .node(node("a").label("foo", "bar"), PASSES)
        .node(node("b").label("foo", "barrrrrr"), UNMATCHED)
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> verdictsWithWhatThePolicyAdds() {
    NodeSelection added =
        new NodeSelection(
            Map.of(), Optional.of(List.of(term(is("zone", LabelOperator.IN, "bar")))), List.of());
    return PluginTable.ofFilter(new NodeAffinity(added))
        .row("the policy's affinity is asked first", selecting(Map.of("foo", "x")))
        .node(node("neither"), NOT_ENFORCED)
        .node(node("policys").label("zone", "bar"), UNMATCHED)
        .node(node("pods").label("foo", "x"), NOT_ENFORCED)
        .node(node("both").label("zone", "bar").label("foo", "x"), PASSES)
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> scores() {
    Requirement here = is("foo", LabelOperator.IN, "bar");
    Requirement fast = is("key", LabelOperator.IN, "value");
    Requirement az = is("az", LabelOperator.IN, "az1");
    return PluginTable.ofScore(new NodeAffinity())
        .row("a pod without preferences scores nothing", pod("p"))
        .node(node("a").label("foo", "bar"), 0)
        .node(node("b"), 0)
        .row("a preference that no node meets", preferring(prefers(2, here)))
        .node(node("a").label("key", "value"), 0)
        .node(node("b"), 0)
        .row("only one node meets it", preferring(prefers(2, here)))
        .node(node("a").label("foo", "bar"), 100)
        .node(node("b").label("key", "value"), 0)
        .row(
            "weights add up, and the greatest sum is 100",
            preferring(prefers(2, here), prefers(4, fast), prefers(5, az)))
        .node(node("a").label("foo", "bar"), 18)
        .node(node("e").label("foo", "bar").label("key", "value").label("az", "az1"), 100)
        .node(node("b").label("key", "value"), 36)
        .tests();
  }
}
