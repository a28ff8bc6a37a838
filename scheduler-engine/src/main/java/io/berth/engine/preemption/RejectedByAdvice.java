package io.berth.engine.preemption;

import io.berth.engine.api.Advice;
import io.berth.engine.model.NodeModel;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that advisors have rejected for pending pods, as far as preemption must know them.
 *
 * <p>An advisor is asked only about nodes on which the pod fits, so for a full node after the
 * evictions. If it then rejects the node, the evictions were in vain, and would be on the next node
 * too: the pod evicts no others until the advisor accepts a node, or the node or the policy
 * changes. Nodes that were rejected for a reason that evictions cannot resolve are no candidates
 * until then.
 */
public final class RejectedByAdvice {
  /** The rejections for one pod under one policy revision. */
  private static final class Rejections {
    final int serial;
    final NodeSet unresolvable = new NodeSet();
    final Set<String> evictedOn = new HashSet<>();
    @Nullable String inVain;

    Rejections(int serial) {
      this.serial = serial;
    }
  }

  private final ClusterState state;
  private final Map<String, Rejections> byPod = new HashMap<>();

  RejectedByAdvice(ClusterState state) {
    this.state = state;
  }

  private Rejections of(String podUid, int serial) {
    Rejections known = byPod.get(podUid);
    if (known == null || known.serial != serial) {
      known = new Rejections(serial);
      byPod.put(podUid, known);
    }
    return known;
  }

  private Optional<Rejections> known(String podUid, int serial) {
    return Optional.ofNullable(byPod.get(podUid)).filter(known -> known.serial == serial);
  }

  /** Records that pods were evicted from a node for this pod. */
  public void evicted(String podUid, int serial, String nodeName) {
    of(podUid, serial).evictedOn.add(nodeName);
  }

  /**
   * Records an answer.
   *
   * @param asked the nodes that the question was about
   */
  public void answered(String podUid, int serial, List<String> asked, Advice.Nodes advice) {
    Optional<Set<String>> allowed = advice.allowed();
    if (allowed.isEmpty() || asked.stream().anyMatch(allowed.get()::contains)) {
      byPod.remove(podUid);
      return;
    }
    Rejections known = of(podUid, serial);
    for (String nodeName : asked) {
      int slot = state.nodes().slotOf(nodeName);
      Advice.Refused refusal = advice.refusals().get(nodeName);
      if (slot >= 0 && (refusal == null || !refusal.verdict().resolvable())) {
        known.unresolvable.grow(state.nodes().slots());
        known.unresolvable.add(slot);
      }
      if (known.inVain == null && known.evictedOn.contains(nodeName)) {
        known.inVain = nodeName;
      }
    }
  }

  /**
   * Returns the node from which pods were evicted for this pod in vain; as long as there is one,
   * the pod must not evict others.
   */
  public Optional<String> evictedInVain(String podUid, int serial) {
    return known(podUid, serial).map(known -> known.inVain);
  }

  /** Removes the nodes on which evictions do not change the advisor's answer. */
  public void withoutUnresolvable(String podUid, int serial, NodeSet nodes) {
    known(podUid, serial).ifPresent(known -> nodes.removeAll(known.unresolvable));
  }

  /** Handles a changed node: earlier answers about it may not hold any more. */
  public void nodeChanged(NodeModel before, NodeModel after, int slot) {
    if (!byPod.isEmpty() && !withoutImages(before).equals(withoutImages(after))) {
      nodeGone(before.name(), slot);
    }
  }

  /** Handles the end of a node: a new one may have its name or its slot. */
  public void nodeGone(String nodeName, int slot) {
    for (Rejections known : byPod.values()) {
      if (known.unresolvable.contains(slot)) {
        known.unresolvable.remove(slot);
      }
      known.evictedOn.remove(nodeName);
      if (Objects.equals(known.inVain, nodeName)) {
        known.inVain = null;
      }
    }
  }

  private static NodeModel withoutImages(NodeModel node) {
    return new NodeModel(
        node.name(),
        node.uid(),
        node.labels(),
        node.taints(),
        node.unschedulable(),
        node.allocatable(),
        List.of(),
        node.declaredFeatures(),
        node.cards());
  }

  /** Removes a pod that has changed, is placed, or is deleted. */
  public void forget(String podUid) {
    byPod.remove(podUid);
  }

  /** Returns the number of pods with rejections. */
  public int size() {
    return byPod.size();
  }
}
