package io.berth.engine.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.engine.state.CacheLimit;
import io.berth.engine.state.ClusterState;
import io.berth.rules.label.LabelOperator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeSelectorTest {
  private static final List<LabelOperator> OPERATORS = List.of(LabelOperator.values());

  private final ClusterState state = new ClusterState(new CacheLimit(1 << 30));
  private final Map<String, NodeModel> nodes = new HashMap<>();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void selectsTheNodesThatMatchEachForItself(int seed) {
    Random random = new Random(seed);
    int count = seed % 2 == 0 ? 40 : 5_000;
    for (int i = 0; i < count; i++) {
      put(node("node-" + i, random));
    }
    List<NodeSelection> selections = new ArrayList<>();
    List<NodeSelector> selectors = new ArrayList<>();
    for (int round = 0; round < 12; round++) {
      NodeSelection selection = selection(random);
      selections.add(selection);
      selectors.add(NodeSelector.acquire(selection, state));
      int changes = random.nextBoolean() ? 3 : count / 2;
      for (int i = 0; i < changes; i++) {
        String name = "node-" + random.nextInt(count + 5);
        if (random.nextInt(4) == 0 && nodes.size() > 1) {
          state.removeNode(name);
          nodes.remove(name);
        } else {
          put(node(name, random));
        }
      }
      for (int i = 0; i < selectors.size(); i++) {
        assertSelects(selectors.get(i), selections.get(i));
      }
    }
    selectors.forEach(selector -> selector.release(state));
    assertThat(state.answers().size()).isZero();
  }

  @Test
  void readsTheNodesOneByOneIfTheLabelHasAsManyValues() {
    for (int i = 0; i < 5_000; i++) {
      put(Nodes.node("node-" + i).label("host", "node-" + i).build());
    }
    NodeSelection selection =
        new NodeSelection(Map.of("host", "node-77"), Optional.empty(), List.of());

    assertSelects(NodeSelector.acquire(selection, state), selection);
    assertThat(state.answers().size()).as("the answers, without a key of the label").isOne();
  }

  @Test
  void selectorMadeWithFewNodes_keepsNoKeyOfALabelWithManyValues() {
    NodeSelection selection =
        new NodeSelection(Map.of("host", "node-77"), Optional.empty(), List.of());
    put(Nodes.node("node-0").label("host", "node-0").build());
    NodeSelector selector = NodeSelector.acquire(selection, state);
    for (int i = 1; i < 600; i++) {
      assertSelects(selector, selection);
      put(Nodes.node("node-" + i).label("host", "node-" + i).build());
    }

    assertSelects(selector, selection);
    assertThat(state.answers().size()).isOne();
  }

  @ParameterizedTest
  @ValueSource(ints = {128, 10_000})
  void selector_releasesItsKeys_whenThereAreTooManyCombinations(int nodesAtFirst) {
    NodeSelection selection =
        new NodeSelection(Map.of("rack", "rack-5000"), Optional.empty(), List.of());
    NodeSelector selector = NodeSelector.acquire(selection, state);
    int inOneRack = 128;
    for (int i = 0; i < nodesAtFirst; i++) {
      put(Nodes.node("node-" + i).label("rack", i < inOneRack ? "rack" : "rack-" + i).build());
    }
    assertSelects(selector, selection);
    assertThat(state.answers().size()).isEqualTo(nodesAtFirst == inOneRack ? 2 : 1);

    for (int i = nodesAtFirst; i < 10_000; i++) {
      put(Nodes.node("node-" + i).label("rack", "rack-" + i).build());
      selector.refresh();
    }
    assertSelects(selector, selection);
    assertThat(state.answers().size()).as("the answers, without a key of the label").isOne();
  }

  private void assertSelects(NodeSelector selector, NodeSelection selection) {
    selector.refresh();
    for (NodeModel node : nodes.values()) {
      assertThat(selector.nodes().contains(state.nodes().slotOf(node.name())))
          .as("%s %s", selection, node.labels())
          .isEqualTo(NodeSelector.admits(selection, node));
    }
    assertThat(selector.nodes().size())
        .isEqualTo(
            (int)
                nodes.values().stream()
                    .filter(each -> NodeSelector.admits(selection, each))
                    .count());
  }

  private void put(NodeModel node) {
    state.putNode(node);
    nodes.put(node.name(), node);
  }

  private static NodeModel node(String name, Random random) {
    Nodes node = Nodes.node(name);
    for (String key : List.of("zone", "pool", "cores")) {
      if (random.nextInt(5) > 0) {
        node.label(key, String.valueOf(random.nextInt(6)));
      }
    }
    return node.build();
  }

  private static NodeSelection selection(Random random) {
    Map<String, String> labels =
        random.nextBoolean() ? Map.of("zone", String.valueOf(random.nextInt(6))) : Map.of();
    if (random.nextInt(4) == 0) {
      return new NodeSelection(labels, Optional.empty(), List.of());
    }
    List<NodeTerm> terms = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      List<Requirement> fields =
          random.nextInt(6) == 0
              ? List.of(
                  new Requirement(
                      "metadata.name", LabelOperator.IN, List.of("node-" + random.nextInt(40))))
              : List.of();
      terms.add(
          new NodeTerm(
              List.of(requirement("pool", random), requirement("cores", random)),
              fields,
              random.nextInt(10) == 0));
    }
    return new NodeSelection(labels, Optional.of(terms), List.of());
  }

  private static Requirement requirement(String key, Random random) {
    LabelOperator operator = OPERATORS.get(random.nextInt(OPERATORS.size()));
    List<String> values =
        switch (operator) {
          case EXISTS, DOES_NOT_EXIST -> List.of();
          case GREATER_THAN, LESS_THAN -> List.of(String.valueOf(random.nextInt(6)));
          case IN, NOT_IN ->
              List.of(String.valueOf(random.nextInt(6)), String.valueOf(random.nextInt(6)));
        };
    return new Requirement(key, operator, values);
  }
}
