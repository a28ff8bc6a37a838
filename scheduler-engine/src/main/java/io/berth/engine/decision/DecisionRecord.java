package io.berth.engine.decision;

import io.berth.engine.framework.Verdict;
import java.util.List;
import java.util.Map;

/**
 * Why a pod went where it went, or why it did not: the numbers of one scheduling cycle. Words are
 * made of them when they are asked for.
 */
public interface DecisionRecord {
  /** The policy that served; empty where the pod's policy was not there. */
  String policy();

  /** The revision of the policy that served. */
  String policyRevision();

  /** How many nodes the cluster has. */
  int nodes();

  /** How many nodes passed all filters. */
  int feasibleNodes();

  /** How many nodes each plugin rejected and why, in the policy's order. */
  List<Rejection> rejections();

  /** The best nodes, the best first. */
  List<NodeScore> bestNodes();

  /**
   * What each filter said of each node that it rejected, by the filter's name and the node's. Kept
   * only with {@link io.berth.engine.EngineOptions#recordVerdicts}; otherwise empty.
   */
  Map<String, Map<String, Verdict>> verdicts();

  /**
   * Every node on which preemption could have made room, in no particular order, where it was
   * tried. Kept only with {@link io.berth.engine.EngineOptions#recordVerdicts}; otherwise empty.
   */
  List<PreemptionCandidate> preemptionCandidates();

  /**
   * The outcome in kube-scheduler's words: {@code 0/5 nodes are available: 2 node(s) had
   * untolerated taint(s), 3 Insufficient cpu.}
   */
  String message();
}
