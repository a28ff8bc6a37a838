package io.berth.engine.decision;

import io.berth.engine.framework.Verdict;
import java.util.List;
import java.util.Map;

/**
 * Why a pod went where it went, or why it did not: the numbers of one scheduling cycle. Messages
 * are rendered on demand.
 */
public interface DecisionRecord {
  /** The policy that served; empty where the pod's policy was not there. */
  String policy();

  /** The revision of the policy that served. */
  String policyRevision();

  /** How many nodes the cluster has. */
  int nodes();

  /** How many nodes passed all filters. */
  default int feasibleNodes() {
    return 0;
  }

  /** How many nodes each plugin rejected and why, in the policy's order. */
  default List<Rejection> rejections() {
    return List.of();
  }

  /** The best nodes, the best first. */
  default List<NodeScore> bestNodes() {
    return List.of();
  }

  /**
   * What each filter said of each node that it rejected, by the filter's name and the node's. Kept
   * only with {@link io.berth.engine.EngineOptions#recordVerdicts}; otherwise empty.
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

  /**
   * The outcome in kube-scheduler's words: {@code 0/5 nodes are available: 2 node(s) had
   * untolerated taint(s), 3 Insufficient cpu.}
   */
  String message();
}
