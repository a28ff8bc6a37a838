package io.berth.engine.decision;

import java.util.List;

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
   * The outcome in kube-scheduler's words: {@code 0/5 nodes are available: 2 node(s) had
   * untolerated taint(s), 3 Insufficient cpu.}
   */
  String message();
}
