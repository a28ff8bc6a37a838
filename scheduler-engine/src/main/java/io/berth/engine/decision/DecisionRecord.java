package io.berth.engine.decision;

import io.berth.engine.framework.Verdict;
import java.util.List;
import java.util.Map;

/**
 * The numbers of one scheduling cycle: why a pod was placed on its node, or why it was not.
 * Messages are rendered on demand.
 */
public interface DecisionRecord {
  /** Returns the name of the policy; empty if the pod's policy does not exist. */
  String policy();

  /** Returns the revision of the policy. */
  String policyRevision();

  /** Returns the group that the pod was tried with; empty if it was tried by itself. */
  default String group() {
    return "";
  }

  /** Returns the number of nodes in the cluster. */
  int nodes();

  /** Returns the number of nodes that passed all filters. */
  default int feasibleNodes() {
    return 0;
  }

  /**
   * Returns the number of nodes that were neither found feasible nor rejected: the pod was
   * nominated for another node, or the search ended when it had found enough nodes.
   */
  default int unconsideredNodes() {
    return 0;
  }

  /** Returns the number of nodes that each plugin rejected, by reason, in the policy's order. */
  default List<Rejection> rejections() {
    return List.of();
  }

  /** Returns the best nodes, in descending order of score. */
  default List<NodeScore> bestNodes() {
    return List.of();
  }

  /**
   * Returns the verdict of each filter on each node that it rejected, by the names of filter and
   * node. Kept only with {@link io.berth.engine.api.EngineOptions#recordVerdicts}; otherwise empty.
   */
  default Map<String, Map<String, Verdict>> verdicts() {
    return Map.of();
  }

  /**
   * Returns every node on which preemption could have freed enough resources, in no particular
   * order, if preemption was tried. Kept only with {@link
   * io.berth.engine.api.EngineOptions#recordVerdicts}; otherwise empty.
   */
  default List<PreemptionCandidate> preemptionCandidates() {
    return List.of();
  }

  /** Returns additional messages from advisors, such as which extender was skipped and why. */
  default List<String> notes() {
    return List.of();
  }

  /**
   * Returns the outcome in kube-scheduler's wording: {@code 0/5 nodes are available: 2 node(s) had
   * untolerated taint(s), 3 Insufficient cpu.}
   */
  String message();
}
