package io.berth.engine.framework;

import io.berth.engine.state.ClusterState;
import java.util.Optional;

/** A filter whose verdict on a node depends only on the pod and that node. */
public interface SimpleFilter extends SimplePlugin, FilterPlugin {
  /**
   * Returns the reason why the pod must not run on the node; empty if it may. The result must
   * depend only on the plugin, the {@linkplain #relevantPart pod}, and the node.
   */
  Optional<Verdict> check(PodShape pod, NodeView node);

  /**
   * Returns the figures behind the verdict on the node, in words, for the owner of the pod; empty
   * if there are none. The same rules apply as in {@link VerdictFigures}.
   */
  default String figures(PodShape pod, NodeView node) {
    return "";
  }

  @Override
  default Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    return concerns(shape)
        ? Optional.of(SimpleFilterAnswer.acquire(this, shape, state))
        : Optional.empty();
  }

  /**
   * {@inheritDoc}
   *
   * <p>A changed node cures the rejection of a pod that passes on it now, and did not before.
   */
  @Override
  default Cure cureBy(Change change) {
    return switch (change) {
      case Change.NodeChanged node -> Cure.of((shape, state) -> passesNow(node, shape, state));
      case Change.SelfChanged self -> Cure.all();
      case Change.PodGone pod -> Cure.when(reads().contains(NodeInput.PODS));
      case Change.PodChanged pod -> Cure.when(reads().contains(NodeInput.PODS));
      case Change.NodeReadable node -> Cure.when(reads().contains(NodeInput.PODS));
      default -> Cure.none();
    };
  }

  private boolean passesNow(Change.NodeChanged node, PodShape shape, ClusterState state) {
    if (state.nodes().slotOf(node.after().name()) != node.slot()) {
      // The node was removed in the meantime; its slot may hold another one.
      return false;
    }
    return check(shape, NodeView.of(this, state, node.after(), node.slot())).isEmpty()
        && (node.before() == null
            || check(shape, NodeView.of(this, state, node.before(), node.slot())).isPresent());
  }
}
