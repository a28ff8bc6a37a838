package io.berth.engine.attempt;

import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.cycle.ShapeRoom;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.List;

/** Members of a group that are of one shape, with the room that there is for them. */
record GroupMembers(ShapePlan plan, ShapeRoom room, List<PodEntry> pods) {

  /** Returns the number of the members for which there is room. */
  static int fitting(List<GroupMembers> members) {
    return members.stream().mapToInt(some -> some.room().of(some.pods().size())).sum();
  }

  /** Returns the number of the members for which there is room on some nodes. */
  static int fitting(List<GroupMembers> members, NodeSet among) {
    return members.stream().mapToInt(some -> some.room().of(some.pods().size(), among)).sum();
  }

  /** Returns the order of shapes by the number of nodes with room, the fewest first. */
  static List<GroupMembers> fewestNodesFirst(List<GroupMembers> members) {
    List<GroupMembers> order = new ArrayList<>(members);
    order.sort((a, b) -> Integer.compare(a.room().nodes(), b.room().nodes()));
    return order;
  }
}
