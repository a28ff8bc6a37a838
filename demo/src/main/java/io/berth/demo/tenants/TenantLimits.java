package io.berth.demo.tenants;

/**
 * The limits of what tenants create.
 *
 * @param pods the number of pods from which on no more are created
 * @param firstNodes more than the number of nodes at the beginning
 * @param nodes the maximum number of nodes
 * @param largestGroup more than the number of members of the largest group
 * @param largestFlood more than the number of pods that are created at once
 * @param kubernetesGroups whether the cluster serves the PodGroups of Kubernetes, beside those of
 *     scheduler-plugins
 * @param queues whether tenants have SchedulingQueues
 * @param replicaSets whether tenants have ReplicaSets, for which a controller creates pods
 * @param rollouts whether tenants change policies in steps
 * @param claims whether nodes have devices, and pods use them by resource claims
 */
public record TenantLimits(
    int pods,
    int firstNodes,
    int nodes,
    int largestGroup,
    int largestFlood,
    boolean kubernetesGroups,
    boolean queues,
    boolean replicaSets,
    boolean rollouts,
    boolean claims) {

  /** The limits of a cluster in memory. */
  public static TenantLimits inMemory() {
    return new TenantLimits(1_500, 30, 60, 2_000, 300, true, true, true, true, true);
  }

  /**
   * The limits of a cluster of processes on one machine.
   *
   * @param claims whether its API server serves resource claims
   */
  public static TenantLimits ofProcesses(boolean claims) {
    return new TenantLimits(300, 12, 16, 60, 80, false, true, false, false, claims);
  }
}
