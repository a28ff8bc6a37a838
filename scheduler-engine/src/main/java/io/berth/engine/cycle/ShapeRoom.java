package io.berth.engine.cycle;

import io.berth.engine.framework.NodeFilter;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;

/**
 * How many pods of one shape each node could take at most, as the state is now. Nothing is placed
 * to find it, so it may be too high, never too low.
 */
public final class ShapeRoom {
  private final int[] room;
  private int nodes;

  private ShapeRoom(int slots) {
    this.room = new int[slots];
  }

  /** The room for pods of a plan; its filters are refreshed. */
  public static ShapeRoom of(ShapePlan plan, NodeTable nodes) {
    ShapeRoom found = new ShapeRoom(nodes.slots());
    int atMost = plan.shape().spec().ports().isEmpty() ? Integer.MAX_VALUE : 1;
    NodeSet left = NodeSet.copyOf(nodes.alive());
    for (NodeFilter filter : plan.filters()) {
      filter.refresh();
      // Where not even one fits, nobody has to be counted.
      if (!filter.readsPods() || filter.boundsRoom()) {
        left.removeAll(filter.rejected());
      }
    }
    left.forEach(slot -> found.room[slot] = atMost);
    for (NodeFilter filter : plan.filters()) {
      if (filter.boundsRoom()) {
        left.forEach(slot -> found.room[slot] = Math.min(found.room[slot], filter.room(slot)));
      }
    }
    left.forEach(slot -> found.nodes += found.room[slot] > 0 ? 1 : 0);
    return found;
  }

  /** Returns the number of nodes with room. */
  public int nodes() {
    return nodes;
  }

  /** Returns how many of this many pods there is room for on all nodes. */
  public int of(int pods) {
    long sum = 0;
    for (int slot = 0; slot < room.length && sum < pods; slot++) {
      sum += room[slot];
    }
    return (int) Math.min(pods, sum);
  }

  /** Returns how many of this many pods there is room for on some nodes. */
  public int of(int pods, NodeSet among) {
    long sum = 0;
    for (int slot = among.next(0); slot >= 0 && slot < room.length; slot = among.next(slot + 1)) {
      sum += room[slot];
    }
    return (int) Math.min(pods, sum);
  }

  /** Returns the room on some nodes. */
  public long on(NodeSet among) {
    long sum = 0;
    for (int slot = among.next(0); slot >= 0 && slot < room.length; slot = among.next(slot + 1)) {
      sum += room[slot];
    }
    return sum;
  }
}
