package io.berth.engine.cycle;

import io.berth.engine.policy.CompiledPolicy;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.Arrays;

/**
 * The nodes that a search comes to, if it ends when enough feasible ones are found, as a policy's
 * {@code percentageOfNodesToScore} asks for: kube-scheduler's numFeasibleNodesToFind and its
 * rotating start.
 *
 * <p>Every node's verdicts are there anyway, so the search costs no filtering; it decides which
 * nodes are scored and reported. The next search begins at the node at which this one ended, so
 * that all nodes get their turn.
 */
final class NodeSearch {
  /** In smaller clusters every node is looked at; in larger ones at least so many feasible ones. */
  private static final int LEAST_NODES = 100;

  private static final int LEAST_PERCENT = 5;

  private final NodeTable nodes;
  private final NodeSet found = new NodeSet();
  private final NodeSet examined = new NodeSet();
  private int start;
  private int nextStart;

  NodeSearch(NodeTable nodes) {
    this.nodes = nodes;
  }

  /**
   * The number of feasible nodes that are enough.
   *
   * @param percentage 1 to 100; 0 for 50 less one for each 125 nodes, but at least 5
   * @param nodes among how many is searched
   */
  static int enough(int percentage, int nodes) {
    if (nodes < LEAST_NODES) {
      return nodes;
    }
    int percent = percentage == 0 ? Math.max(LEAST_PERCENT, 50 - nodes / 125) : percentage;
    return Math.max(LEAST_NODES, (int) ((long) nodes * percent / 100));
  }

  /** Returns whether a policy's searches may end before all nodes were looked at. */
  static boolean mayEndEarly(CompiledPolicy policy) {
    return policy.percentageOfNodesToScore() < 100;
  }

  /**
   * Looks through the nodes from where the last search ended.
   *
   * @param among the nodes to look at; the others were left out beforehand
   * @param feasible those of them that fit
   * @return the first so many feasible ones; valid until the next search
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
    // Without a score one node is as good as another.
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

  /** The last search was a question only: the next one begins where it did. */
  void stay() {
    nextStart = start;
  }

  /** The last search was in earnest: the next one begins where it ended. */
  void advance() {
    start = nextStart;
  }

  /** The nodes that the last search came to. */
  NodeSet examined() {
    return examined;
  }
}
