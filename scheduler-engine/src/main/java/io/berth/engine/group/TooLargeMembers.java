package io.berth.engine.group;

import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.util.List;
import java.util.Optional;

/**
 * Members of a group that fit on no node even when it is empty, so that the group waits for nodes
 * of another size.
 */
public final class TooLargeMembers {
  private TooLargeMembers() {}

  /**
   * Returns a sentence about a member that is larger than every node it may use, if the group
   * cannot be placed without such members; empty otherwise.
   */
  public static Optional<String> text(
      GroupEntry group, List<GroupMembers> members, ClusterState state) {
    Optional<String> found = Optional.empty();
    GroupNeeds needs = GroupNeeds.of(group);
    for (GroupMembers some : members) {
      Optional<String> why =
          some.room().nodes() > 0 ? Optional.empty() : tooLarge(some.plan(), state);
      if (why.isEmpty()) {
        place(some.pods(), needs);
      } else if (found.isEmpty()) {
        found =
            Optional.of(
                "%s does not fit on an empty node either: %s"
                    .formatted(some.pods().getFirst().ref().name(), why.get()));
      }
    }
    return needs.left() > 0 ? found : Optional.empty();
  }

  private static void place(List<PodEntry> pods, GroupNeeds needs) {
    for (PodEntry pod : pods) {
      if (needs.wants(pod)) {
        needs.placed(pod);
      }
    }
  }

  private static Optional<String> tooLarge(ShapePlan plan, ClusterState state) {
    NodeSet usable = usable(plan, state);
    return usable.isEmpty()
        ? Optional.empty()
        : plan.filters().stream()
            .flatMap(filter -> filter.groupRoom().stream())
            .flatMap(room -> room.tooLargeFor(usable).stream())
            .findFirst();
  }

  /** Returns the nodes that pods of a shape may use, whatever pods are there. */
  static NodeSet usable(ShapePlan plan, ClusterState state) {
    NodeSet usable = NodeSet.copyOf(state.nodes().alive());
    for (NodeFilter filter : plan.filters()) {
      if (filter.rejectsPod().isPresent()) {
        return new NodeSet(state.nodes().slots());
      }
      if (filter.ignoresUse()) {
        state.work().spend(filter.rejected().words().length);
        usable.removeAll(filter.rejected());
      }
    }
    return usable;
  }
}
