package io.berth.engine.preemption;

import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.framework.Protection;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupModel;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.EvictionOrder;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.Importance;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Determines the pods that may be evicted for a preemptor, and those that are evicted together. */
final class VictimUnits {
  private static final PreemptionRules.Permission STATIC_POD = denied(Protection.STATIC_POD);
  private static final PreemptionRules.Permission REJECTED_EVICTION =
      denied(Protection.REJECTED_EVICTION);
  private static final PreemptionRules.Permission OF_CLASS = denied(Protection.PRIORITY_CLASS);

  private record Whole(Optional<List<PodEntry>> pods, Due until) {}

  private final ClusterState state;
  private final RefusedEvictions refused;
  private final PodEntry preemptor;
  private final PreemptionRules rules;
  private final Instant now;

  /** Groups that are disrupted as a whole, with the time until which the result holds. */
  private final Map<GroupEntry, Whole> wholes = new HashMap<>();

  private Due until = Due.NEVER;

  /** The reasons why pods of lower priority must not be evicted. */
  private final Set<Protection> protections = EnumSet.noneOf(Protection.class);

  /** True if each pod is a single victim, also those of groups that are disrupted as a whole. */
  private boolean split;

  VictimUnits(
      ClusterState state,
      RefusedEvictions refused,
      PodEntry preemptor,
      PreemptionRules rules,
      Instant now) {
    this.state = state;
    this.refused = refused;
    this.preemptor = preemptor;
    this.rules = rules;
    this.now = now;
    this.split = !rules.keepsGroupsWhole();
  }

  private static PreemptionRules.Permission denied(Protection protection) {
    return new PreemptionRules.Permission(false, Due.NEVER, Optional.of(protection));
  }

  /** Resets {@link #until}, {@link #protections}, and the effect of {@link #split}. */
  void begin() {
    until = Due.NEVER;
    protections.clear();
    split = !rules.keepsGroupsWhole();
  }

  /**
   * Makes each pod a single victim until the next {@link #begin}. A group that declares that it is
   * disrupted as a whole must not protect its pods where the limits allow fewer victims.
   */
  void split() {
    split = true;
  }

  /**
   * Returns the time until which the results since {@link #begin} hold, if nothing else changes.
   */
  Due until() {
    return until;
  }

  /**
   * Returns the reasons since {@link #begin} why pods of lower priority must not be evicted; empty
   * if there are none.
   */
  Set<Protection> protections() {
    return protections;
  }

  /** Returns whether the pod may be evicted, regardless of its group. */
  boolean mayGo(PodEntry pod) {
    PreemptionRules.Permission permission = permission(pod);
    permission.protection().ifPresent(protections::add);
    return permission.granted();
  }

  private PreemptionRules.Permission permission(PodEntry pod) {
    EvictionOrder order = state.evictionOrder();
    if (!order.mayDisplace(pod, preemptor)) {
      return PreemptionRules.Permission.DENIED;
    }
    Due protectedUntil = order.protectedUntil(pod, preemptor);
    if (!protectedUntil.isReached(now)) {
      until = until.orEarlier(protectedUntil);
      return PreemptionRules.Permission.tooEarly(protectedUntil);
    }
    PreemptionRules.Permission permission = rules.mayEvict(pod, preemptor, now);
    until = until.orEarlier(permission.until());
    if (!permission.granted()) {
      return permission;
    }
    if (pod.model().mirror()) {
      return STATIC_POD;
    }
    if (refused.isRefused(pod)) {
      return REJECTED_EVICTION;
    }
    return state.priorityClasses().protects(pod, preemptor.priority()) ? OF_CLASS : permission;
  }

  /**
   * Returns the pods that are evicted together with a member of a group, including itself, the most
   * important first; empty if the pod may not be evicted. If another member may not be evicted, the
   * pod is a single victim: only administrators, by limits and PriorityClasses, protect pods.
   */
  Optional<List<PodEntry>> withGroup(PodEntry pod, GroupEntry group) {
    if (isWhole(group)) {
      if (state.groups().of(preemptor).filter(own -> own == group).isPresent()) {
        return Optional.empty(); // a pod never evicts its own group
      }
      Whole known = wholes.computeIfAbsent(group, this::members);
      until = until.orEarlier(known.until());
      if (goesWhole(group) && known.pods().filter(pods -> pods.contains(pod)).isPresent()) {
        return known.pods();
      }
    }
    return mayGo(pod) ? Optional.of(List.of(pod)) : Optional.empty();
  }

  private Whole members(GroupEntry group) {
    Due before = until;
    until = Due.NEVER;
    List<PodEntry> pods = new ArrayList<>();
    boolean all = true;
    for (PodEntry member : group.placed()) {
      if (member.slot() != PodEntry.NOWHERE) {
        all &= permission(member).granted();
        pods.add(member);
      }
    }
    pods.sort(Importance.SPARED_FIRST);
    Whole found = new Whole(all ? Optional.of(List.copyOf(pods)) : Optional.empty(), until);
    until = before;
    return found;
  }

  /** Returns whether the pods of the group are evicted together if all of them may be evicted. */
  boolean goesWhole(GroupEntry group) {
    return !split && isWhole(group);
  }

  private static boolean isWhole(GroupEntry group) {
    return group.model().map(GroupModel::disruption).orElse(GroupDisruption.POD)
        == GroupDisruption.GROUP;
  }

  /**
   * Returns the number of pods of the group above its minimum; the maximum value if it has no
   * minimum.
   */
  static int above(GroupEntry group) {
    int minimum = group.model().map(GroupModel::minimum).orElse(0);
    return minimum == 0 ? Integer.MAX_VALUE : Math.max(0, group.held() - minimum);
  }

  /** Returns, for each group, the least important of the given pods that are above its minimum. */
  static Set<PodEntry> surplus(Collection<PodEntry> members, ClusterState state) {
    Map<GroupEntry, List<PodEntry>> byGroup = new LinkedHashMap<>();
    for (PodEntry pod : members) {
      state
          .groups()
          .of(pod)
          .filter(group -> above(group) > 0 && above(group) < Integer.MAX_VALUE)
          .ifPresent(group -> byGroup.computeIfAbsent(group, it -> new ArrayList<>()).add(pod));
    }
    Set<PodEntry> surplus = new HashSet<>();
    byGroup.forEach(
        (group, pods) ->
            pods.stream()
                .sorted(Importance.SPARED_FIRST.reversed())
                .limit(above(group))
                .forEach(surplus::add));
    return surplus;
  }

  /** Returns the number of groups that would lose their minimum with these pods. */
  static int broken(List<PodEntry> victims, ClusterState state) {
    Map<GroupEntry, Integer> lost = Map.of();
    for (PodEntry victim : victims) {
      if (victim.model().group().isPresent()) {
        Map<GroupEntry, Integer> counts = lost.isEmpty() ? new HashMap<>() : lost;
        lost = counts;
        state.groups().of(victim).ifPresent(group -> counts.merge(group, 1, Integer::sum));
      }
    }
    int broken = 0;
    for (Map.Entry<GroupEntry, Integer> group : lost.entrySet()) {
      broken += group.getValue() > above(group.getKey()) ? 1 : 0;
    }
    return broken;
  }
}
