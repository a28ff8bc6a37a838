package io.berth.engine.model;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A group of pods that are of use only together.
 *
 * @param minMember how many members have to be placed together; members beyond it are ordinary pods
 * @param minPerRole how many members of each role have to be among them; roles that are missing
 *     here have no minimum of their own
 * @param timeout how long a start that was interrupted keeps what its members hold while the others
 *     cannot be placed
 * @param topology where the members are to be; empty where anywhere will do
 * @param priority the group's place in the queue; empty for that of its most important pod
 * @param priorityClass the PriorityClass whose value is the priority, where that is not given;
 *     empty for none
 * @param matchPolicy which placed members count towards the minimum
 * @param minResources what has to be free in the whole cluster before any member is placed
 */
public record GroupModel(
    GroupRef ref,
    int minMember,
    Map<String, Integer> minPerRole,
    Duration timeout,
    Optional<GroupTopology> topology,
    GroupDisruption disruption,
    Optional<Integer> priority,
    String priorityClass,
    MatchPolicy matchPolicy,
    ResourceAmounts minResources) {
  /** The time for which an interrupted start waits where the group does not say. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

  /** Refuses minimums below zero. */
  public GroupModel {
    minPerRole = Map.copyOf(minPerRole);
    if (minMember < 0 || minPerRole.values().stream().anyMatch(min -> min < 0)) {
      throw new IllegalArgumentException(ref + ": minimums must not be negative");
    }
  }

  /** A group of which this many pods have to be placed together, wherever that is. */
  public static GroupModel of(GroupRef ref, int minMember) {
    return new GroupModel(
        ref,
        minMember,
        Map.of(),
        DEFAULT_TIMEOUT,
        Optional.empty(),
        GroupDisruption.POD,
        Optional.empty(),
        "",
        MatchPolicy.WAITING_AND_RUNNING,
        ResourceAmounts.none());
  }

  /** The same group with minimums for its roles. */
  public GroupModel withRoles(Map<String, Integer> minimums) {
    return new GroupModel(
        ref,
        minMember,
        minimums,
        timeout,
        topology,
        disruption,
        priority,
        priorityClass,
        matchPolicy,
        minResources);
  }

  /** The same group with members that are to be together. */
  public GroupModel within(GroupTopology wanted) {
    return new GroupModel(
        ref,
        minMember,
        minPerRole,
        timeout,
        Optional.of(wanted),
        disruption,
        priority,
        priorityClass,
        matchPolicy,
        minResources);
  }

  /** The same group with another disruption mode. */
  public GroupModel disruptedBy(GroupDisruption mode) {
    return new GroupModel(
        ref,
        minMember,
        minPerRole,
        timeout,
        topology,
        mode,
        priority,
        priorityClass,
        matchPolicy,
        minResources);
  }

  /** The same group with another rule for what counts towards the minimum. */
  public GroupModel matchedBy(MatchPolicy policy) {
    return new GroupModel(
        ref,
        minMember,
        minPerRole,
        timeout,
        topology,
        disruption,
        priority,
        priorityClass,
        policy,
        minResources);
  }

  /** The same group with amounts that have to be free before it is tried. */
  public GroupModel withMinResources(ResourceAmounts amounts) {
    return new GroupModel(
        ref,
        minMember,
        minPerRole,
        timeout,
        topology,
        disruption,
        priority,
        priorityClass,
        matchPolicy,
        amounts);
  }

  /** The same group with the priority of a PriorityClass. */
  public GroupModel inClass(String name) {
    return new GroupModel(
        ref,
        minMember,
        minPerRole,
        timeout,
        topology,
        disruption,
        priority,
        name,
        matchPolicy,
        minResources);
  }
}
