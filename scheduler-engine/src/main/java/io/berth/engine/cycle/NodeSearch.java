package io.berth.engine.cycle;

import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.Arrays;

/**
 * The nodes that a search examines if it ends after enough feasible nodes, according to the
 * policy's {@code percentageOfNodesToScore}: kube-scheduler's numFeasibleNodesToFind and its
 * rotating start.
 *
 * <p>The verdicts on all nodes are cached, so the search saves no filtering; it determines which
 * nodes are scored and reported. Each search starts at the node where the previous one ended, so
 * that all nodes take turns.
 */
final class NodeSearch {
  /** The minimum number of feasible nodes to find. Smaller clusters are examined completely. */
  private static final int LEAST_NODES = 100;

  private static final int LEAST_PERCENT = 5;

  private final NodeTable nodes;
  private final NodeSet found = new NodeSet();
  private final NodeSet examined = new NodeSet();
  private int start;
  private int nextStart;
  private int lastStart;

  NodeSearch(NodeTable nodes) {
    this.nodes = nodes;
  }

  /**
   * Returns the sufficient number of feasible nodes.
   *
   * @param percentage 1 to 100; 0 for 50 minus one for each 125 nodes, but at least 5
   * @param nodes the number of nodes to search
   */
  static int enough(int percentage, int nodes) {
    if (nodes < LEAST_NODES) {
      return nodes;
    }
    int percent = percentage == 0 ? Math.max(LEAST_PERCENT, 50 - nodes / 125) : percentage;
    return Math.max(LEAST_NODES, (int) ((long) nodes * percent / 100));
  }

  /** Returns whether a policy's searches may end before all nodes were examined. */
  static boolean mayEndEarly(CompiledPolicy policy) {
    return policy.percentageOfNodesToScore() < 100;
  }

  /**
   * Examines the nodes, starting where the last search ended.
   *
   * @param among the nodes to examine; others are excluded beforehand
   * @param feasible the nodes among them that fit
   * @return the first feasible nodes, up to the sufficient number; valid until the next search
   */
  NodeSet run(CompiledPolicy policy, NodeSet among, NodeSet feasible) {
    found.grow(nodes.slots());
    found.clear();
    examined.grow(nodes.slots());
    examined.clear();
    int[] all = nodes.order().slots();
    int[] order = all;
    if (among.size() < all.length) {
      order = Arrays.stream(all).filter(among::contains).toArray();
    }
    // Without scores, all nodes are equally good.
    int enough =
        policy.scores().isEmpty() ? 1 : enough(policy.percentageOfNodesToScore(), order.length);
    int count = 0;
    int processed = 0;
    for (; processed < order.length; processed++) {
      int slot = order[(int) (((long) start + processed) % order.length)];
      if (feasible.contains(slot)) {
        if (count == enough) {
          break;
        }
        found.add(slot);
        count++;
      }
      examined.add(slot);
    }
    nextStart = (int) (((long) start + processed) % all.length);
    return found;
  }

  /** Ends a search that was only a query: the next one starts at the same node. */
  void stay() {
    nextStart = start;
  }

  /** Ends a real search: the next one starts where it ended. */
  void advance() {
    lastStart = start;
    start = nextStart;
  }

  /** The nodes at which searches start. */
  record Position(int start, int nextStart, int lastStart) {}

  /** Returns the current position. */
  Position position() {
    return new Position(start, nextStart, lastStart);
  }

  /** Lets the next search start where the last one did, until the position is restored. */
  void repeat() {
    start = lastStart;
    nextStart = lastStart;
  }

  /** Restores a position, as if there had been no search since. */
  void restore(Position position) {
    start = position.start();
    nextStart = position.nextStart();
    lastStart = position.lastStart();
  }

  /** Lets the next search start at the first node. */
  void restart() {
    start = 0;
  }

  /** Returns the nodes that the last search examined. */
  NodeSet examined() {
    return examined;
  }
}
