package io.berth.engine.group;

import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.List;

/** The members of a group with the same shape, and the room for them. */
public record GroupMembers(ShapePlan plan, MemberRoom room, List<PodEntry> pods) {

  /** Returns the number of members that fit. */
  public static int fitting(List<GroupMembers> members) {
    return members.stream().mapToInt(some -> some.room().of(some.pods().size())).sum();
  }

  /** Returns the number of members that fit on these nodes. */
  public static int fitting(List<GroupMembers> members, NodeSet among) {
    return members.stream().mapToInt(some -> some.room().of(some.pods().size(), among)).sum();
  }

  /** Returns the members, those with the fewest suitable nodes first. */
  public static List<GroupMembers> fewestNodesFirst(List<GroupMembers> members) {
    List<GroupMembers> order = new ArrayList<>(members);
    order.sort((a, b) -> Integer.compare(a.room().nodes(), b.room().nodes()));
    return order;
  }
}
