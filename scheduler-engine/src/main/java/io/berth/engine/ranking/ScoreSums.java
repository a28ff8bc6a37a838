package io.berth.engine.ranking;

import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.Scale;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.RecentChanges;
import io.berth.engine.state.SharedAnswers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The sums of the weighted scores that depend on no other node, by slot. Plans with the same such
 * scorers and weights share them: a change of a node is summed up once, not once per plan.
 *
 * <p>Publishes each change with the former sum, so that readers need no copy of the sums to update
 * their maxima.
 */
final class ScoreSums implements SharedAnswers.Answer {
  /** The minimum number of recent changes that readers can look up; a power of two. */
  private static final int PUBLISHED = 128;

  /**
   * @param scorers the scorers without a scale; they are shared, so they are compared by identity
   */
  private record Question(List<NodeScorer> scorers, List<Integer> weights) {}

  private final Question question;
  private final ClusterState state;
  private final NodeTable nodes;
  private final NodeScorer[] scorers;
  private final int[] weights;
  private final Scale[] scales;
  private final long[] seen;
  private final boolean[] skipped;
  private final RecentChanges changes = new RecentChanges(PUBLISHED);

  /** The sums before each of the changes. */
  private final RecentChanges former = new RecentChanges(PUBLISHED);

  private int[] sums = {};

  /** The greatest sum of each block of 64 slots, or more if the block is marked as loose. */
  private int[] bounds = {};

  /** The blocks whose greatest sum was lowered, one bit each. */
  private long[] loose = {};

  private int seenSlots = -1;

  private ScoreSums(Question question, ClusterState state) {
    this.question = question;
    this.state = state;
    this.nodes = state.nodes();
    this.scorers = question.scorers().toArray(NodeScorer[]::new);
    this.weights = question.weights().stream().mapToInt(Integer::intValue).toArray();
    this.scales = new Scale[scorers.length];
    for (int i = 0; i < scales.length; i++) {
      scales[i] = fixed(scorers[i].scale());
    }
    this.seen = new long[scorers.length];
    this.skipped = new boolean[scorers.length];
    // Both are kept from now on, so that they have the same versions.
    changes.version();
    former.version();
  }

  /**
   * Returns the sums of those of the scorers that have no scale; requires one {@link #release}.
   *
   * @param weights the weights of all the scorers
   */
  static ScoreSums acquire(List<NodeScorer> scorers, List<Integer> weights, ClusterState state) {
    List<NodeScorer> summed = new ArrayList<>();
    List<Integer> ofSummed = new ArrayList<>();
    for (int i = 0; i < scorers.size(); i++) {
      if (!scorers.get(i).scale().readsExtremes()) {
        summed.add(scorers.get(i));
        ofSummed.add(weights.get(i));
      }
    }
    Question question = new Question(List.copyOf(summed), List.copyOf(ofSummed));
    return state.answers().acquire(question, () -> new ScoreSums(question, state));
  }

  void release() {
    state.answers().release(question);
  }

  /**
   * Refreshes the scorers, and sums up the scores of the nodes that have changed. This is at most
   * one sum for each change that a scorer publishes.
   */
  void refresh(NodeSet feasible) {
    boolean all = seenSlots != nodes.slots();
    for (int i = 0; i < scorers.length; i++) {
      scorers[i].refresh(feasible);
      boolean skips = scorers[i].isSkipped();
      all |= !scorers[i].changes().knowsSince(seen[i]) || skips != skipped[i];
      skipped[i] = skips;
    }
    if (all) {
      rebuild();
    } else {
      follow();
    }
    for (int i = 0; i < scorers.length; i++) {
      seen[i] = scorers[i].changes().version();
    }
  }

  private void rebuild() {
    int slots = nodes.slots();
    seenSlots = slots;
    if (sums.length < slots) {
      // Words of slots are read as a whole.
      sums = new int[NodeSet.wordsFor(nodes.roomForSlots()) << 6];
      bounds = new int[sums.length >>> 6];
      loose = new long[NodeSet.wordsFor(bounds.length)];
      changes.keepFor(slots);
      former.keepFor(slots);
      state.answers().resized(this);
    } else {
      Arrays.fill(sums, 0, slots, 0);
    }
    for (int i = 0; i < scorers.length; i++) {
      if (!skipped[i]) {
        scales[i].addTo(sums, scorers[i].scoreClasses(), slots, weights[i]);
      }
    }
    Arrays.fill(loose, -1L);
    Arrays.fill(bounds, Integer.MAX_VALUE);
    changes.addAll();
    former.addAll();
  }

  /** Returns a number that is at least the {@link #bound} of the block. */
  int looseBound(int block) {
    return bounds[block] == Integer.MAX_VALUE ? bound(block) : bounds[block];
  }

  /** Returns the greatest sum of a block of 64 slots. */
  int bound(int block) {
    if ((loose[block >>> 6] & 1L << block) != 0) {
      loose[block >>> 6] &= ~(1L << block);
      int greatest = Integer.MIN_VALUE;
      int end = (block + 1) << 6;
      for (int slot = block << 6; slot < end; slot++) {
        greatest = Math.max(greatest, sums[slot]);
      }
      bounds[block] = greatest;
    }
    return bounds[block];
  }

  private void follow() {
    for (int i = 0; i < scorers.length; i++) {
      RecentChanges ofScorer = scorers[i].changes();
      for (long change = seen[i]; change < ofScorer.version(); change++) {
        sumUp(ofScorer.at(change));
      }
    }
  }

  private void sumUp(int slot) {
    int sum = 0;
    for (int i = 0; i < scorers.length; i++) {
      if (!skipped[i]) {
        sum += scales[i].weighted(scorers[i].scoreClasses().get(slot), weights[i]);
      }
    }
    if (sum != sums[slot]) {
      changes.add(slot);
      former.add(sums[slot]);
      int block = slot >>> 6;
      if (sum >= bounds[block]) {
        bounds[block] = sum;
      } else if (sums[slot] == bounds[block]) {
        loose[block >>> 6] |= 1L << block;
      }
      sums[slot] = sum;
    }
  }

  /** Returns the scale of a scorer whose scores do not depend on other nodes. */
  static Scale fixed(Scale.Kind kind) {
    return kind == Scale.Kind.NONE ? Scale.none() : Scale.fine();
  }

  /**
   * Returns the sums by slot, as of the last refresh; callers must not modify them. The length is a
   * multiple of the slots per word.
   */
  int[] bySlot() {
    return sums;
  }

  /** Returns the nodes whose sum changed last. */
  RecentChanges changes() {
    return changes;
  }

  /** Returns the sum of the changed node before one of the recent changes. */
  int before(long change) {
    return former.at(change);
  }

  @Override
  public long bytes() {
    return 400L
        + 40L * scorers.length
        + 4L * (sums.length + bounds.length)
        + 8L * loose.length
        + changes.bytes()
        + former.bytes();
  }

  @Override
  public void close() {}
}
