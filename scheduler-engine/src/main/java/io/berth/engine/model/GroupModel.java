package io.berth.engine.model;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A group of pods that are useful only together.
 *
 * @param minMember the number of members that have to be placed together; further members are
 *     scheduled individually
 * @param minPerRole the minimum number of members by role; roles that are not listed have none
 * @param timeout the time for which an interrupted start keeps the nodes of its placed members
 *     while others do not fit, at most {@link #LONGEST_TIMEOUT}
 * @param topology the topology constraint of the members; empty if there is none
 * @param priority the group's priority in the queue; empty for the highest of its pods
 * @param priorityClass the PriorityClass that defines the priority if it is not set; empty for none
 * @param matchPolicy the placed members that count towards the minimum
 * @param minResources the amounts that have to be free in the whole cluster before any member is
 *     placed
 * @param queue the Volcano queue of its pods; empty if they name it themselves
 * @param admission whether its pods may be created
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
    ResourceAmounts minResources,
    String queue,
    GroupAdmission admission) {
  /** The default time for which an interrupted start waits. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

  /** The longest timeout; a longer one is read as this one. */
  public static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

  /** Limits the timeout, and rejects negative minimums. */
  public GroupModel {
    timeout = timeout.compareTo(LONGEST_TIMEOUT) < 0 ? timeout : LONGEST_TIMEOUT;
    minPerRole = Map.copyOf(minPerRole);
    if (minMember < 0 || minPerRole.values().stream().anyMatch(min -> min < 0)) {
      throw new IllegalArgumentException(ref + ": minimums must not be negative");
    }
  }

  /** Returns the number of members that have to be placed together, with those of all roles. */
  public int minimum() {
    int ofRoles = minPerRole.values().stream().mapToInt(Integer::intValue).sum();
    return Math.max(minMember, ofRoles);
  }

  /** Returns a group that requires this many pods to be placed together, without a topology. */
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
        ResourceAmounts.none(),
        "",
        GroupAdmission.NOT_NEEDED);
  }

  /** Returns the same group with minimums by role. */
  public GroupModel withRoles(Map<String, Integer> minimums) {
    return with(copy -> copy.minPerRole = minimums);
  }

  /** Returns the same group with another timeout of interrupted starts. */
  public GroupModel waitingFor(Duration time) {
    return with(copy -> copy.timeout = time);
  }

  /** Returns the same group with a topology constraint. */
  public GroupModel within(GroupTopology wanted) {
    return with(copy -> copy.topology = Optional.of(wanted));
  }

  /** Returns the same group with another disruption mode. */
  public GroupModel disruptedBy(GroupDisruption mode) {
    return with(copy -> copy.disruption = mode);
  }

  /** Returns the same group with its own priority. */
  public GroupModel ofPriority(int value) {
    return with(copy -> copy.priority = Optional.of(value));
  }

  /** Returns the same group with the priority of a PriorityClass. */
  public GroupModel inClass(String name) {
    return with(copy -> copy.priorityClass = name);
  }

  /** Returns the same group with another match policy. */
  public GroupModel matchedBy(MatchPolicy policy) {
    return with(copy -> copy.matchPolicy = policy);
  }

  /** Returns the same group with minimum resources. */
  public GroupModel withMinResources(ResourceAmounts amounts) {
    return with(copy -> copy.minResources = amounts);
  }

  /** Returns the same group in a Volcano queue. */
  public GroupModel inQueue(String name) {
    return with(copy -> copy.queue = name);
  }

  /** Returns the same group with another admission. */
  public GroupModel admitted(GroupAdmission value) {
    return with(copy -> copy.admission = value);
  }

  private GroupModel with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.model(ref);
  }

  /** A copy of a group for changes of single fields. */
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
    private String queue;
    private GroupAdmission admission;

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
      queue = of.queue;
      admission = of.admission;
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
          minResources,
          queue,
          admission);
    }
  }
}
