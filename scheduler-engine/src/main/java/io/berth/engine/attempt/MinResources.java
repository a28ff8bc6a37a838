package io.berth.engine.attempt;

import io.berth.engine.group.GroupMembers;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.GroupEntry.MemberState;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import java.util.List;
import java.util.Optional;

/**
 * The first resource of a group's {@code minResources} that is not sufficiently free. Amounts that
 * placed members hold count as free. Once a member has succeeded, the group needs less than
 * declared, and nothing is checked.
 *
 * @param asked the amount that the group requires
 * @param free the amount that is free on all schedulable nodes together
 */
record MinResources(String resource, long asked, long free) {
  static Optional<MinResources> lacking(GroupEntry group, ClusterState state) {
    ResourceAmounts wanted =
        group.model().map(GroupModel::minResources).orElse(ResourceAmounts.none());
    if (wanted.size() == 0 || group.count(MemberState.SUCCEEDED) > 0) {
      return Optional.empty();
    }
    for (int i = 0; i < wanted.size(); i++) {
      String name = wanted.name(i);
      long free = free(name, state) + held(name, group);
      if (free < wanted.amount(i)) {
        return Optional.of(new MinResources(name, wanted.amount(i), free));
      }
    }
    return Optional.empty();
  }

  private static long free(String name, ClusterState state) {
    NodeTable nodes = state.nodes();
    int column = state.resources().idOf(name);
    long free = 0;
    for (int slot = nodes.alive().next(0); slot >= 0; slot = nodes.alive().next(slot + 1)) {
      if (!nodes.isUnschedulable(slot)) {
        long ofNode =
            name.equals(ResourceAmounts.PODS)
                ? nodes.maxPods(slot) - nodes.podCount(slot)
                : nodes.allocatable(column, slot) - nodes.requested(column, slot);
        free +=
            Math.max(
                0, ofNode); // An overcommitted node does not reduce the free amounts of others.
      }
    }
    return free;
  }

  private static long held(String name, GroupEntry group) {
    if (name.equals(ResourceAmounts.PODS)) {
      return group.placed().size();
    }
    return group.placed().stream()
        .mapToLong(pod -> pod.spec().requests().held().amountOf(name))
        .sum();
  }

  /**
   * Returns whether placing this many members implies that the resource is free; then it is worth
   * evicting pods for them.
   */
  boolean isCoveredBy(List<GroupMembers> members, int needed, GroupEntry group) {
    long least =
        members.stream()
            .flatMap(some -> some.pods().stream())
            .mapToLong(this::asks)
            .sorted()
            .limit(needed)
            .sum();
    return held(resource, group) + least >= asked;
  }

  private long asks(PodEntry pod) {
    return resource.equals(ResourceAmounts.PODS)
        ? 1
        : pod.spec().requests().asked().amountOf(resource);
  }

  /** Returns the user-visible description of the missing amount. */
  String text() {
    return "its minResources request %s of %s, but %s is free on schedulable nodes"
        .formatted(
            ResourceAmounts.text(resource, asked), resource, ResourceAmounts.text(resource, free));
  }
}
