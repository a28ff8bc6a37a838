package io.berth.engine.decision;

import io.berth.engine.framework.Verdict;
import java.util.List;
import java.util.Map;

/**
 * The numbers of one scheduling cycle: why a pod was placed on its node, or why it was not.
 * Messages are rendered on demand.
 */
public interface DecisionRecord {
  /** The policy that served; empty where the pod's policy was not there. */
  String policy();

  /** The revision of the policy that served. */
  String policyRevision();

  /** Returns the number of nodes in the cluster. */
  int nodes();

  /** Returns the number of nodes that passed all filters. */
  default int feasibleNodes() {
    return 0;
  }

  /** Returns the number of nodes that each plugin rejected, by reason, in the policy's order. */
  default List<Rejection> rejections() {
    return List.of();
  }

  /** The best nodes, the best first. */
  default List<NodeScore> bestNodes() {
    return List.of();
  }

  /**
   * Returns the verdict of each filter on each node that it rejected, by the names of filter and
   * node. Kept only with {@link io.berth.engine.EngineOptions#recordVerdicts}; otherwise empty.
   */
  default Map<String, Map<String, Verdict>> verdicts() {
    return Map.of();
  }

  /**
   * Every node on which preemption could have made room, in no particular order, where it was
   * tried. Kept only with {@link io.berth.engine.EngineOptions#recordVerdicts}; otherwise empty.
   */
  default List<PreemptionCandidate> preemptionCandidates() {
    return List.of();
  }

  /** Returns what advisors noted beside their verdicts: who was passed over, and why. */
  default List<String> notes() {
    return List.of();
  }

  /**
   * The outcome in kube-scheduler's words: {@code 0/5 nodes are available: 2 node(s) had
   * untolerated taint(s), 3 Insufficient cpu.}
   */
  String message();
}
