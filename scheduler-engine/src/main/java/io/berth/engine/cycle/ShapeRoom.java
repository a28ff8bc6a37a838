package io.berth.engine.cycle;

import io.berth.engine.framework.GroupRoom;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.Arrays;
import java.util.List;

/**
 * An upper bound of the number of pods of one plan that each node can take. It is computed without
 * placing pods, so it may be too high, but never too low. It follows the changes that filters
 * publish, so that a retry of a waiting group costs only the changes since the last attempt for it
 * or a similar group.
 */
public final class ShapeRoom {
  private final List<NodeFilter> filters;
  private final List<GroupRoom> bounds;
  private final ClusterState state;
  private final NodeTable nodes;
  private final int atMost;
  private final long[] seenVerdicts;
  private final long[] seenRooms;
  private int[] room = {};
  private int seenSlots = -1;
  private long seenNodes;
  private long sum;
  private int withRoom;
  private long looks;
  private long chargedBytes;
  private boolean released;

  /**
   * @param atMost the maximum number of pods on any node: one if they use host ports
   */
  ShapeRoom(List<NodeFilter> filters, int atMost, ClusterState state) {
    this.filters = filters;
    this.bounds = filters.stream().flatMap(filter -> filter.groupRoom().stream()).toList();
    this.state = state;
    this.nodes = state.nodes();
    this.atMost = atMost;
    this.seenVerdicts = new long[filters.size()];
    this.seenRooms = new long[filters.size()];
  }

  /** Refreshes the filters, and applies their changes. */
  void refresh() {
    boolean all = seenSlots != nodes.slots();
    for (int i = 0; i < seenVerdicts.length; i++) {
      NodeFilter filter = filters.get(i);
      filter.refresh();
      all |=
          !filter.changes().knowsSince(seenVerdicts[i])
              || !filter.roomChanges().knowsSince(seenRooms[i]);
    }
    if (all) {
      rebuild();
    } else {
      seenNodes = nodes.membershipLog().visit(seenNodes, this::look);
      for (int i = 0; i < seenVerdicts.length; i++) {
        filters.get(i).changes().forEachSince(seenVerdicts[i], this::look);
        filters.get(i).roomChanges().forEachSince(seenRooms[i], this::look);
      }
    }
    for (int i = 0; i < seenVerdicts.length; i++) {
      seenVerdicts[i] = filters.get(i).changes().version();
      seenRooms[i] = filters.get(i).roomChanges().version();
    }
  }

  private void rebuild() {
    seenSlots = nodes.slots();
    seenNodes = nodes.membershipLog().head();
    if (room.length < seenSlots) {
      room = new int[nodes.roomForSlots()];
      charge();
    } else {
      Arrays.fill(room, 0);
    }
    sum = 0;
    withRoom = 0;
    nodes.alive().forEach(this::look);
  }

  private void look(int slot) {
    looks++;
    int before = room[slot];
    int now = nodes.alive().contains(slot) ? count(slot) : 0;
    room[slot] = now;
    sum += now - (long) before;
    withRoom += (now > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
  }

  private int count(int slot) {
    for (NodeFilter filter : filters) {
      if (filter.keepsRejecting() && filter.verdictAt(slot) != NodeFilter.PASSES) {
        return 0;
      }
    }
    int count = atMost;
    for (GroupRoom bound : bounds) {
      count = Math.min(count, bound.room(slot));
    }
    return count;
  }

  /** Returns the number of nodes with room. */
  public int nodes() {
    return withRoom;
  }

  /** Returns the room on all nodes together. */
  public long sum() {
    return sum;
  }

  /** Returns the room on a node. */
  public int at(int slot) {
    return slot < room.length ? room[slot] : 0;
  }

  /** Returns the room on some nodes. */
  public long on(NodeSet among) {
    long found = 0;
    for (int slot = among.next(0); slot >= 0 && slot < room.length; slot = among.next(slot + 1)) {
      found += room[slot];
    }
    return found;
  }

  /** Returns the number of nodes counted so far; tests compare it with the number of changes. */
  public long looks() {
    return looks;
  }

  private void charge() {
    long bytes = released ? 0 : 200 + 4L * room.length;
    state.answers().charge(bytes - chargedBytes);
    chargedBytes = bytes;
  }

  /** Releases the filters when the plan is dropped; the current attempt may still read it. */
  void release() {
    released = true;
    charge();
  }
}
