package io.berth.engine.api;

import io.berth.engine.model.ResourceAmounts;

/**
 * The state of a queue of tenants, with the queues below it.
 *
 * @param parent empty if it is at the top
 * @param pods the number of pods that are bound, assumed, or nominated, and do not leave
 * @param used what these pods request
 * @param borrowed the part of it that no guarantee covers
 * @param lent the part of its guarantee that is not used here, and that others borrow
 * @param fairShare what the queue would have now, see {@link Pending}, if what there is was shared
 *     by the rules of queues: for each resource by itself, without those whose amount is unknown
 * @param share the largest part of the capacity in any resource that is borrowed, by weight; 0 for
 *     nothing, infinite if there is no capacity
 * @param guaranteeMet whether no pod or group waits because nodes lack room, although the guarantee
 *     has room left for it
 * @param pending what waits
 */
public record QueueState(
    String name,
    String parent,
    int pods,
    ResourceAmounts used,
    ResourceAmounts borrowed,
    ResourceAmounts lent,
    ResourceAmounts fairShare,
    double share,
    boolean guaranteeMet,
    Pending pending) {

  /**
   * The pods and groups of a queue that wait, without those with closed gates.
   *
   * @param pods the number of pods, with those in groups
   * @param groups the number of groups
   * @param requested what the pods request, also those for which others are evicted
   * @param firstWaits the reason why the first unit waits; empty if none does
   */
  public record Pending(int pods, int groups, ResourceAmounts requested, String firstWaits) {}
}
