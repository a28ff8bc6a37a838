package io.berth.engine.topology;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.SharedAnswers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The nodes that satisfy a pod's node selector and required node affinity.
 *
 * <p>Labels of nodes have few values, apart from the host name. The first time, a node is therefore
 * not compared with the selection, but only the first node of each combination of values. This is
 * not possible for labels with many values, and for selections by the names of nodes.
 */
public final class NodeSelector implements NodeGroup, SharedAnswers.Answer {
  record Question(Map<String, String> nodeSelector, Optional<List<NodeTerm>> required) {}

  /** The maximum number of combinations of values that are compared with the selection. */
  private static final int MOST_COMBINATIONS = 1 << 12;

  /** The number of nodes whose values of a label are looked at to find out if they are few. */
  private static final int NODES_TO_COMPARE = 128;

  private static final int MOST_VALUES = NODES_TO_COMPARE / 2;

  /** The number of nodes per change of labels above which all nodes are read. */
  private static final int PART_THAT_CHANGED = 4;

  private static final byte ADMITTED = 1;
  private static final byte REJECTED = 2;

  private final Question question;
  private final ClusterState state;
  private final NodeTable nodes;
  private final SharedAnswers answers;

  /** The labels that decide; empty if the names of nodes decide as well. */
  private final Set<String> labels;

  /** The labels as keys; empty as long as nodes are compared one by one. */
  private final List<TopologyKey> keys = new ArrayList<>();

  /** True once there were too many combinations of values, although the first nodes share them. */
  private boolean hasManyCombinations;

  private final NodeSet selected = new NodeSet();
  private long seen;
  private long version;

  private NodeSelector(Question question, ClusterState state) {
    this.question = question;
    this.state = state;
    this.nodes = state.nodes();
    this.answers = state.answers();
    boolean byName =
        question.required().stream().flatMap(List::stream).anyMatch(t -> !t.fields().isEmpty());
    this.labels = byName ? Set.of() : labelsOf(question);
  }

  /**
   * Returns whether the first nodes share the values of a label; a key of many would be large. A
   * few nodes alone do not show that, and are compared one by one.
   */
  private boolean hasFewValues(String label) {
    Set<String> values = new HashSet<>();
    int seenNodes = 0;
    NodeSet alive = nodes.alive();
    for (int slot = alive.next(0);
        slot >= 0 && seenNodes < NODES_TO_COMPARE;
        slot = alive.next(slot + 1)) {
      seenNodes++;
      String value = nodes.model(slot).labels().get(label);
      if (value != null) {
        values.add(value);
      }
    }
    return seenNodes == NODES_TO_COMPARE && values.size() <= MOST_VALUES;
  }

  private static Set<String> labelsOf(Question question) {
    Set<String> labels = new TreeSet<>(question.nodeSelector().keySet());
    for (NodeTerm term : question.required().orElse(List.of())) {
      term.expressions().forEach(requirement -> labels.add(requirement.key()));
    }
    return labels;
  }

  /** Returns the nodes that match the selection; requires one {@link #release}. */
  public static NodeSelector acquire(NodeSelection selection, ClusterState state) {
    Question question = new Question(selection.nodeSelector(), selection.required());
    return state.answers().acquire(question, () -> new NodeSelector(question, state));
  }

  public void release(ClusterState state) {
    state.answers().release(question);
  }

  @Override
  public void refresh() {
    if (selected.words().length < NodeSet.wordsFor(nodes.slots())) {
      selected.grow(nodes.slots());
      answers.resized(this);
      if (!keys.isEmpty()) {
        combinations(); // releases the keys of labels that have many values by now
      }
    }
    long head = nodes.labelLog().head();
    if (head - seen > nodes.slots() / PART_THAT_CHANGED && readAll()) {
      seen = head;
    } else {
      seen = nodes.labelLog().visit(seen, this::reread);
    }
  }

  /** Returns the number of combinations of values, whose keys are held; 0 if there are too many. */
  private int combinations() {
    if (hasManyCombinations || labels.isEmpty() || !labels.stream().allMatch(this::hasFewValues)) {
      releaseKeys();
      return 0;
    }
    if (keys.isEmpty()) {
      labels.forEach(label -> keys.add(TopologyKey.acquire(label, state)));
    }
    long combinations = 1;
    for (TopologyKey key : keys) {
      key.refresh();
      combinations *= key.bound() + 1L;
      if (combinations > MOST_COMBINATIONS) {
        hasManyCombinations = true;
        releaseKeys();
        return 0;
      }
    }
    return (int) combinations;
  }

  private void releaseKeys() {
    keys.forEach(key -> key.release(state));
    keys.clear();
  }

  /** Reads all nodes by their combinations of values; returns false if there are too many. */
  private boolean readAll() {
    int combinations = combinations();
    if (combinations == 0) {
      return false;
    }
    byte[] known = new byte[combinations];
    int[] combinationOf = new int[nodes.slots()];
    for (TopologyKey key : keys) {
      int values = key.bound() + 1;
      int[] domains = key.domains();
      for (int slot = 0; slot < combinationOf.length; slot++) {
        combinationOf[slot] = combinationOf[slot] * values + (domains[slot] - TopologyKey.NONE);
      }
    }
    boolean changed = false;
    for (int slot = 0; slot < combinationOf.length; slot++) {
      boolean in = nodes.alive().contains(slot) && admits(slot, combinationOf[slot], known);
      changed |= selected.put(slot, in);
    }
    version += changed ? 1 : 0;
    return true;
  }

  private boolean admits(int slot, int combination, byte[] known) {
    if (known[combination] == 0) {
      known[combination] = admits(slot) ? ADMITTED : REJECTED;
    }
    return known[combination] == ADMITTED;
  }

  private boolean admits(int slot) {
    return admits(question.nodeSelector(), question.required(), nodes.model(slot));
  }

  @Override
  public NodeSet nodes() {
    return selected;
  }

  @Override
  public long version() {
    return version;
  }

  private void reread(int slot) {
    if (selected.put(slot, nodes.alive().contains(slot) && admits(slot))) {
      version++;
    }
  }

  private static boolean admits(
      Map<String, String> nodeSelector, Optional<List<NodeTerm>> required, NodeModel node) {
    for (Map.Entry<String, String> pair : nodeSelector.entrySet()) {
      if (!pair.getValue().equals(node.labels().get(pair.getKey()))) {
        return false;
      }
    }
    return required.isEmpty() || matchesAny(required.get(), node);
  }

  /** Returns whether a node matches a selection. */
  public static boolean admits(NodeSelection selection, NodeModel node) {
    return admits(selection.nodeSelector(), selection.required(), node);
  }

  /** Returns whether the node satisfies at least one of the terms. */
  public static boolean matchesAny(List<NodeTerm> terms, NodeModel node) {
    for (NodeTerm term : terms) {
      if (term.matches(node)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public long bytes() {
    return 300L + selected.bytes();
  }

  @Override
  public void close() {
    releaseKeys();
  }
}
