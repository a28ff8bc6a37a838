package io.berth.engine.topology;

import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.SharedAnswers;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The nodes that satisfy a pod's node selector and required node affinity. */
public final class NodeSelector implements NodeGroup, SharedAnswers.Answer {
  record Question(Map<String, String> nodeSelector, Optional<List<NodeTerm>> required) {}

  private final Question question;
  private final NodeTable nodes;
  private final SharedAnswers answers;
  private final NodeSet selected = new NodeSet();
  private long seen;
  private long version;

  private NodeSelector(Question question, ClusterState state) {
    this.question = question;
    this.nodes = state.nodes();
    this.answers = state.answers();
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
    }
    seen = nodes.labelLog().visit(seen, this::reread);
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
    boolean in =
        nodes.alive().contains(slot)
            && admits(question.nodeSelector(), question.required(), nodes.model(slot));
    if (selected.put(slot, in)) {
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
  public void close() {}
}
