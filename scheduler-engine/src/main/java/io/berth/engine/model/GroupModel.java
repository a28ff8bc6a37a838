package io.berth.engine.model;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

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
    return with(copy -> copy.minPerRole = minimums);
  }

  /** The same group with another time for which an interrupted start waits. */
  public GroupModel waitingFor(Duration time) {
    return with(copy -> copy.timeout = time);
  }

  /** The same group with members that are to be together. */
  public GroupModel within(GroupTopology wanted) {
    return with(copy -> copy.topology = Optional.of(wanted));
  }

  /** The same group with another disruption mode. */
  public GroupModel disruptedBy(GroupDisruption mode) {
    return with(copy -> copy.disruption = mode);
  }

  /** The same group with a priority of its own. */
  public GroupModel ofPriority(int value) {
    return with(copy -> copy.priority = Optional.of(value));
  }

  /** The same group with the priority of a PriorityClass. */
  public GroupModel inClass(String name) {
    return with(copy -> copy.priorityClass = name);
  }

  /** The same group with another rule for what counts towards the minimum. */
  public GroupModel matchedBy(MatchPolicy policy) {
    return with(copy -> copy.matchPolicy = policy);
  }

  /** The same group with amounts that have to be free before it is tried. */
  public GroupModel withMinResources(ResourceAmounts amounts) {
    return with(copy -> copy.minResources = amounts);
  }

  private GroupModel with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.model(ref);
  }

  /** A group whose parts can be set one by one. */
  private static final class Copy {
    private int minMember;
    private Map<String, Integer> minPerRole;
    private Duration timeout;
    private Optional<GroupTopology> topology;
    private GroupDisruption disruption;
    private Optional<Integer> priority;
    private String priorityClass;
    private MatchPolicy matchPolicy;
    private ResourceAmounts minResources;

    Copy(GroupModel of) {
      minMember = of.minMember;
      minPerRole = of.minPerRole;
      timeout = of.timeout;
      topology = of.topology;
      disruption = of.disruption;
      priority = of.priority;
      priorityClass = of.priorityClass;
      matchPolicy = of.matchPolicy;
      minResources = of.minResources;
    }

    GroupModel model(GroupRef ref) {
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
          minResources);
    }
  }
}
