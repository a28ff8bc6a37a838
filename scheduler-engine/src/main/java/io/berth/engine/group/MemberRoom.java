package io.berth.engine.group;

import io.berth.engine.cycle.NominatedPods;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.cycle.ShapeRoom;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.journal.Journal;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The room for the members of a group with the same plan: what each node can take, less what is
 * reserved for pods outside the group that its members do not outrank.
 */
public final class MemberRoom {
  private final ShapeRoom room;

  /** The difference on nodes where other pods are nominated. */
  private final Map<Integer, Integer> nominated = new HashMap<>();

  private long nominatedInAll;
  private int nodesWithoutRest;

  private MemberRoom(ShapeRoom room) {
    this.room = room;
  }

  /**
   * Returns the current room.
   *
   * @param pods the members, at least one
   */
  public static MemberRoom of(
      ShapePlan plan,
      List<PodEntry> pods,
      GroupEntry group,
      ClusterState state,
      Nominations nominations) {
    MemberRoom found = new MemberRoom(plan.room());
    for (String nodeName : nominations.nodes()) {
      int slot = state.nodes().slotOf(nodeName);
      int all = slot < 0 ? 0 : found.room.at(slot);
      if (all > 0) {
        List<PodEntry> others = othersOn(nodeName, pods.getFirst(), group, state, nominations);
        if (!others.isEmpty()) {
          found.take(
              slot, all, besides(others, plan, pods, Math.min(all, pods.size()), slot, state));
        }
      }
    }
    return found;
  }

  private void take(int slot, int all, int left) {
    nominated.put(slot, all - left);
    nominatedInAll += all - left;
    nodesWithoutRest += left == 0 ? 1 : 0;
  }

  private static List<PodEntry> othersOn(
      String nodeName,
      PodEntry member,
      GroupEntry group,
      ClusterState state,
      Nominations nominations) {
    return NominatedPods.notOutrankedBy(member, nodeName, state, nominations).stream()
        .filter(other -> !state.groups().of(other).equals(Optional.of(group)))
        .toList();
  }

  /** Returns the number of members that fit on the node next to the others. */
  private static int besides(
      List<PodEntry> others,
      ShapePlan plan,
      List<PodEntry> pods,
      int atMost,
      int slot,
      ClusterState state) {
    Journal.Savepoint point = state.journal().savepoint();
    try {
      others.forEach(other -> state.place(other, slot));
      int fitting = 0;
      while (fitting < atMost && passes(plan, slot)) {
        state.place(pods.get(fitting), slot);
        fitting++;
      }
      return fitting;
    } finally {
      state.journal().rollback(point);
    }
  }

  private static boolean passes(ShapePlan plan, int slot) {
    for (NodeFilter filter : plan.filters()) {
      if (filter.keepsRejecting() && filter.evaluate(slot) != NodeFilter.PASSES) {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of nodes with room. */
  public int nodes() {
    return room.nodes() - nodesWithoutRest;
  }

  /** Returns the part of this number of pods that fits on all nodes together. */
  int of(int pods) {
    return (int) Math.min(pods, room.sum() - nominatedInAll);
  }

  /** Returns the part of this number of pods that fits on some nodes. */
  int of(int pods, NodeSet among) {
    return (int) Math.min(pods, on(among));
  }

  /** Returns the room on some nodes. */
  long on(NodeSet among) {
    long found = room.on(among);
    for (Map.Entry<Integer, Integer> node : nominated.entrySet()) {
      found -= among.contains(node.getKey()) ? node.getValue() : 0;
    }
    return found;
  }
}
