package io.berth.engine.plugins;

import io.berth.engine.framework.Arguments;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Scale;
import io.berth.engine.framework.ScorePlugin;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.WeightedNodeTerm;
import io.berth.engine.state.ClusterState;
import io.berth.engine.topology.NodeSelector;
import io.berth.rules.label.LabelOperator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rejects nodes that do not match the pod's node selector and required node affinity, and prefers
 * nodes that match its preferred node affinity.
 *
 * @param added the policy's node affinity, in addition to that of the pod
 */
public record NodeAffinity(NodeSelection added) implements FilterPlugin, ScorePlugin {
  record FilterQuestion(
      Map<String, String> nodeSelector,
      Optional<List<NodeTerm>> required,
      Optional<List<NodeTerm>> added) {}

  record ScoreQuestion(List<WeightedNodeTerm> preferred, List<WeightedNodeTerm> added) {}

  /** Creates the plugin without an added affinity. */
  public NodeAffinity() {
    this(NodeSelection.none());
  }

  /** Parses the arguments of the filter. */
  public static NodeAffinity readFilter(Arguments arguments) {
    return new NodeAffinity(AddedAffinity.required(arguments));
  }

  /** Parses the arguments of the score. */
  public static NodeAffinity readScore(Arguments arguments) {
    return new NodeAffinity(AddedAffinity.preferred(arguments));
  }

  @Override
  public String name() {
    return "NodeAffinity";
  }

  @Override
  public boolean pinsPods() {
    return true;
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    NodeSelection wanted = shape.spec().nodes();
    if (wanted.nodeSelector().isEmpty()
        && wanted.required().isEmpty()
        && added.required().isEmpty()) {
      return Optional.empty();
    }
    FilterQuestion question =
        new FilterQuestion(wanted.nodeSelector(), wanted.required(), added.required());
    return Optional.of(state.answers().acquire(question, () -> new FilterAnswer(question, state)));
  }

  @Override
  public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
    List<WeightedNodeTerm> preferred = shape.spec().nodes().preferred();
    if (preferred.isEmpty() && added.preferred().isEmpty()) {
      return Optional.empty();
    }
    ScoreQuestion question = new ScoreQuestion(preferred, added.preferred());
    return Optional.of(state.answers().acquire(question, () -> new ScoreAnswer(question, state)));
  }

  @Override
  public Cure cureBy(Change change) {
    return change instanceof Change.NodeChanged node
            && (node.before() == null || !node.before().labels().equals(node.after().labels()))
        ? Cure.of(
            (shape, state) ->
                admits(shape, node.after())
                    && (node.before() == null || !admits(shape, node.before())))
        : Cure.none();
  }

  private boolean admits(PodShape shape, NodeModel node) {
    return NodeSelector.admits(shape.spec().nodes(), node) && NodeSelector.admits(added, node);
  }

  private static final class FilterAnswer extends NodeFilter {
    private final NodeSelector selector;
    private final @Nullable NodeSelector enforced;
    private final Optional<Set<String>> onlyNodes;
    private final Optional<Verdict> conflict;
    private final int notWanted;
    private final int notAdmitted;

    FilterAnswer(FilterQuestion question, ClusterState state) {
      super(question, state, state.nodes().labelLog());
      this.selector =
          NodeSelector.acquire(
              new NodeSelection(question.nodeSelector(), question.required(), List.of()), state);
      this.enforced =
          question.added().isEmpty()
              ? null
              : NodeSelector.acquire(
                  new NodeSelection(Map.of(), question.added(), List.of()), state);
      this.notWanted =
          idOf(Verdict.unresolvable("node(s) didn't match Pod's node affinity/selector"));
      this.notAdmitted =
          idOf(Verdict.unresolvable("node(s) didn't match scheduler-enforced node affinity"));
      Optional<Set<String>> names = question.required().flatMap(NodeAffinity::namedNodes);
      boolean none = names.isPresent() && names.get().isEmpty();
      this.conflict =
          none
              ? Optional.of(Verdict.unresolvable("pod affinity terms conflict"))
              : Optional.empty();
      this.onlyNodes = none ? Optional.empty() : names;
    }

    @Override
    public boolean readsPods() {
      return false;
    }

    @Override
    public void refreshInputs() {
      selector.refresh();
      if (enforced != null) {
        enforced.refresh();
      }
    }

    @Override
    protected int check(int slot) {
      if (enforced != null && !enforced.nodes().contains(slot)) {
        return notAdmitted;
      }
      return selector.nodes().contains(slot) ? PASSES : notWanted;
    }

    @Override
    public Optional<Verdict> rejectsPod() {
      return conflict;
    }

    @Override
    public Optional<Set<String>> onlyNodes() {
      return onlyNodes;
    }

    @Override
    public void close() {
      selector.release(state);
      if (enforced != null) {
        enforced.release(state);
      }
    }
  }

  /**
   * Returns the nodes that the terms name; empty if any term does not name nodes, and so may match
   * any node.
   */
  private static Optional<Set<String>> namedNodes(List<NodeTerm> terms) {
    if (terms.isEmpty()) {
      return Optional.empty();
    }
    Set<String> named = new HashSet<>();
    for (NodeTerm term : terms) {
      Set<String> ofTerm = null;
      for (Requirement field : term.fields()) {
        if (field.key().equals("metadata.name") && field.operator() == LabelOperator.IN) {
          if (ofTerm == null) {
            ofTerm = new HashSet<>(field.values());
          } else {
            ofTerm.retainAll(field.values());
          }
        }
      }
      if (ofTerm == null) {
        return Optional.empty();
      }
      named.addAll(ofTerm);
    }
    return Optional.of(named);
  }

  private static final class ScoreAnswer extends NodeScorer {
    private final ScoreQuestion question;

    ScoreAnswer(ScoreQuestion question, ClusterState state) {
      super(question, state, Scale.Kind.PROPORTIONAL, state.nodes().labelLog());
      this.question = question;
    }

    @Override
    protected int score(int slot) {
      NodeModel node = nodes.model(slot);
      return sum(question.added(), node) + sum(question.preferred(), node);
    }

    private static int sum(List<WeightedNodeTerm> terms, NodeModel node) {
      int sum = 0;
      for (WeightedNodeTerm preference : terms) {
        if (preference.weight() != 0 && preference.term().matches(node)) {
          sum += preference.weight();
        }
      }
      return sum;
    }
  }
}
