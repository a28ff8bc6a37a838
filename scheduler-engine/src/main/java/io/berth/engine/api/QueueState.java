package io.berth.engine.api;

import io.berth.engine.model.ResourceAmounts;

/**
 * The state of a queue of tenants, with the queues below it.
 *
 * @param parent empty if it is at the top
 * @param pods the number of pods that are bound, assumed, or nominated, and do not leave
 * @param used what these pods request
 * @param borrowed the part of it that no guarantee covers
 * @param share the largest part of the capacity in any resource that is borrowed, by weight; 0 for
 *     nothing, infinite if there is no capacity
 * @param guaranteeMet whether no pod or group waits because nodes lack room, although the guarantee
 *     has room left for it
 * @param pendingUnits the number of pods and groups that wait, without those with closed gates
 * @param pendingPods the number of pods in these
 * @param firstWaits the reason why the first of them waits; empty if none does
 */
public record QueueState(
    String name,
    String parent,
    int pods,
    ResourceAmounts used,
    ResourceAmounts borrowed,
    double share,
    boolean guaranteeMet,
    int pendingUnits,
    int pendingPods,
    String firstWaits) {}
