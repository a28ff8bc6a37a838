package io.berth.engine.topology;

import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Toleration;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.SharedAnswers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The nodes that count for a topology spread constraint: those that have all of its topology labels
 * and, if the constraint honors them, match the pod's node selection and have only taints that the
 * pod tolerates.
 */
public final class EligibleNodes implements NodeGroup, SharedAnswers.Answer {
  /**
   * The properties that the group depends on.
   *
   * @param labels the labels that a node must have
   * @param selection absent if the pod's node selection is ignored
   * @param tolerations absent if taints are ignored
   */
  public record Question(
      List<String> labels, Optional<Selection> selection, Optional<List<Toleration>> tolerations) {

    /** The part of a pod's node selection that rejects nodes. */
    public record Selection(Map<String, String> nodeSelector, Optional<List<NodeTerm>> required) {}

    /** Returns the question for a constraint of a pod. */
    public static Question of(
        List<String> labels,
        NodeSelection nodes,
        boolean honorSelection,
        List<Toleration> tolerations,
        boolean honorTaints) {
      boolean selects = !nodes.nodeSelector().isEmpty() || nodes.required().isPresent();
      return new Question(
          labels.stream().sorted().distinct().toList(),
          honorSelection && selects
              ? Optional.of(new Selection(nodes.nodeSelector(), nodes.required()))
              : Optional.empty(),
          honorTaints ? Optional.of(tolerations) : Optional.empty());
    }
  }

  private final ClusterState state;
  private final NodeTable nodes;
  private final Question question;
  private final List<TopologyKey> keys = new ArrayList<>();
  private final List<NodeGroup> groups = new ArrayList<>();
  private final NodeSet eligible = new NodeSet();
  private long[] seen;
  private long seenLabels;
  private long version;

  private EligibleNodes(Question question, ClusterState state) {
    this.question = question;
    this.state = state;
    this.nodes = state.nodes();
    for (String label : question.labels()) {
      keys.add(TopologyKey.acquire(label, state));
    }
    question
        .selection()
        .ifPresent(
            selection ->
                groups.add(
                    NodeSelector.acquire(
                        new NodeSelection(
                            selection.nodeSelector(), selection.required(), List.of()),
                        state)));
    question
        .tolerations()
        .ifPresent(tolerations -> groups.add(ToleratedNodes.acquire(tolerations, state)));
    this.seen = new long[keys.size() + groups.size()];
    Arrays.fill(seen, -1);
    this.seenLabels = -1;
  }

  /** Returns the counted nodes; requires one {@link #release}. */
  public static EligibleNodes acquire(Question question, ClusterState state) {
    return state.answers().acquire(question, () -> new EligibleNodes(question, state));
  }

  public void release() {
    state.answers().release(question);
  }

  @Override
  public void refresh() {
    if (eligible.words().length < NodeSet.wordsFor(nodes.slots())) {
      eligible.grow(nodes.slots());
      state.answers().resized(this);
    }
    long[] now = new long[seen.length];
    int at = 0;
    for (TopologyKey key : keys) {
      key.refresh();
      now[at++] = key.version();
    }
    for (NodeGroup group : groups) {
      group.refresh();
      now[at++] = group.version();
    }
    long labels = keys.isEmpty() ? nodes.labelLog().head() : 0;
    if (Arrays.equals(now, seen) && labels == seenLabels) {
      return;
    }
    seen = now;
    seenLabels = labels;
    long[] words = eligible.words();
    boolean changed = false;
    for (int word = 0; word < words.length; word++) {
      long bits = wordOf(nodes.alive(), word);
      for (TopologyKey key : keys) {
        bits &= wordOf(key.present(), word);
      }
      for (NodeGroup group : groups) {
        bits &= wordOf(group.nodes(), word);
      }
      changed |= bits != words[word];
      words[word] = bits;
    }
    if (changed) {
      version++;
    }
  }

  private static long wordOf(NodeSet set, int word) {
    return word < set.words().length ? set.words()[word] : 0;
  }

  @Override
  public NodeSet nodes() {
    return eligible;
  }

  @Override
  public long version() {
    return version;
  }

  @Override
  public long bytes() {
    return 400L + eligible.bytes() + 16L * seen.length;
  }

  @Override
  public void close() {
    keys.forEach(key -> key.release(state));
    for (NodeGroup group : groups) {
      if (group instanceof NodeSelector selector) {
        selector.release(state);
      } else if (group instanceof ToleratedNodes tolerated) {
        tolerated.release(state);
      }
    }
  }
}
