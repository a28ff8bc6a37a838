package io.berth.engine.ranking;

import io.berth.engine.framework.CombinationNumbers;
import io.berth.engine.framework.DomainGate;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.Scale;
import io.berth.engine.state.NarrowColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Nodes in classes: the nodes of one class have the same score class for each scorer whose scores
 * depend on extremes over all feasible nodes. The cost of a change of such an extreme depends on
 * the number of classes, not on the number of nodes. If a filter has a gate, the nodes of a class
 * are also in the same of its domains, so that a domain is closed or opened without moving its
 * nodes.
 */
final class NodeClasses {
  /** The number of bits of an index into the lookup table of classes. */
  private static final int KNOWN_BITS = 7;

  private static final int KNOWN_SHIFT = Long.SIZE - KNOWN_BITS;

  private final List<NodeScorer> scorers;
  private final List<Integer> weights;
  private final @Nullable DomainGate gate;
  private final CombinationNumbers classes;
  private final int[] scoreClasses;

  /** The class by slot; empty as long as all nodes have class 0. */
  private final NarrowColumn classOf = new NarrowColumn();

  private int[] values = {};
  private int[] raw = {};

  /**
   * @param scorers the scorers with a scale
   */
  NodeClasses(List<NodeScorer> scorers, List<Integer> weights, Optional<DomainGate> gate) {
    this.scorers = scorers;
    this.weights = weights;
    this.gate = gate.orElse(null);
    this.scoreClasses = new int[scorers.size() + (gate.isPresent() ? 1 : 0)];
    this.classes = new CombinationNumbers(scoreClasses.length);
  }

  private boolean isGated() {
    return gate != null && gate.isUsed();
  }

  /** Returns whether the class is of a closed domain. */
  boolean isClosed(int ofClass) {
    return gate != null && gate.isUsed() && gate.closes(classes.part(ofClass, scorers.size()));
  }

  /** Returns whether any domain is closed. */
  boolean areAnyClosed() {
    return gate != null && gate.closed() != 0;
  }

  /** Returns the nodes of a word that are in closed domains. */
  long closedIn(int word) {
    return gate == null ? 0 : gate.closedIn(word);
  }

  /** Returns the class of a node. */
  int of(int slot) {
    return classOf.length() == 0 ? 0 : classOf.get(slot);
  }

  /** Returns whether all nodes have class 0. */
  boolean isSingle() {
    return classOf.length() == 0;
  }

  /** Returns the largest class plus one; some classes may be empty. */
  int size() {
    return classes.size();
  }

  /** Assigns all nodes to classes again, and drops empty classes. */
  void sort(int slots, int capacity) {
    classes.clear();
    Arrays.fill(scoreClasses, 0);
    classes.numberOf(scoreClasses);
    int differing = 0;
    int first = 0;
    int second = 0;
    for (int i = 0; i < scoreClasses.length; i++) {
      if (i < scorers.size() ? !scorers.get(i).isUniform() : isGated()) {
        first = differing == 0 ? i : first;
        second = i;
        differing++;
      }
    }
    if (differing == 0) {
      classOf.clear();
      return;
    }
    if (classOf.length() < slots) {
      classOf.grow(capacity);
    }
    if (differing <= 2) {
      sortBy(first, second, slots);
      return;
    }
    int last = 0;
    for (int slot = 0; slot < slots; slot++) {
      last = ofScoreClasses(slot, last);
      classOf.set(slot, last);
    }
  }

  /**
   * Assigns all nodes to classes by the score classes of two scorers, or by those of one and their
   * domains, if all nodes have the same score class for the others. With one scorer, both numbers
   * are the same.
   */
  private void sortBy(int first, int second, int slots) {
    // The class plus one, and the score classes that it belongs to, by index.
    int[] known = new int[1 << KNOWN_BITS];
    long[] knownKinds = new long[1 << KNOWN_BITS];
    for (int slot = 0; slot < slots; slot++) {
      int one = scoreClassOf(first, slot);
      int other = scoreClassOf(second, slot);
      long both = (long) one << Integer.SIZE | Integer.toUnsignedLong(other);
      int place = (int) ((both * 0x9E3779B97F4A7C15L) >>> KNOWN_SHIFT);
      if (known[place] == 0 || knownKinds[place] != both) {
        scoreClasses[first] = one;
        scoreClasses[second] = other;
        known[place] = classes.numberOf(scoreClasses) + 1;
        knownKinds[place] = both;
      }
      classOf.set(slot, known[place] - 1);
    }
  }

  private int scoreClassOf(int number, int slot) {
    return number < scorers.size() || gate == null
        ? scorers.get(number).scoreClasses().get(slot)
        : gate.domains()[slot];
  }

  /**
   * Returns the class of the node according to its score classes.
   *
   * @param probable the class to try first
   */
  int ofScoreClasses(int slot, int probable) {
    for (int i = 0; i < scoreClasses.length; i++) {
      scoreClasses[i] = i < scorers.size() || isGated() ? scoreClassOf(i, slot) : 0;
    }
    return classes.is(probable, scoreClasses) ? probable : classes.numberOf(scoreClasses);
  }

  /** Assigns a node to a class. */
  void put(int slot, int ofClass, int capacity) {
    if (classOf.length() == 0 && ofClass != 0) {
      classOf.grow(capacity);
    }
    if (classOf.length() > 0) {
      classOf.set(slot, ofClass);
    }
  }

  /**
   * Computes the values of the classes.
   *
   * @param present the classes with a feasible node
   * @return the scale of each scorer over the feasible nodes; empty for scorers that do not score
   */
  List<Optional<Scale>> scale(boolean[] present) {
    int size = classes.size();
    if (values.length < size) {
      values = new int[size * 2];
      raw = new int[values.length];
    }
    Arrays.fill(values, 0, size, 0);
    List<Optional<Scale>> scales = new ArrayList<>(scorers.size());
    for (int i = 0; i < scorers.size(); i++) {
      scales.add(addScores(i, present));
    }
    return scales;
  }

  private Optional<Scale> addScores(int number, boolean[] present) {
    NodeScorer scorer = scorers.get(number);
    if (scorer.isSkipped()) {
      return Optional.empty();
    }
    int size = classes.size();
    Scale.Extremes extremes = new Scale.Extremes(scorer.scale());
    for (int each = 0; each < size; each++) {
      if (present[each]) {
        raw[each] = scorer.rawOf(classes.part(each, number));
        extremes.include(raw[each]);
      }
    }
    Scale scale = extremes.scale();
    int weight = weights.get(number);
    for (int each = 0; each < size; each++) {
      if (present[each]) {
        values[each] += scale.weighted(raw[each], weight);
      }
    }
    return Optional.of(scale);
  }

  /** Writes to the target, for each of the first slots, its sum plus the value of its class. */
  void addValues(int[] sums, int[] target, int slots) {
    if (isSingle()) {
      int value = values[0];
      for (int slot = 0; slot < slots; slot++) {
        target[slot] = sums[slot] + value;
      }
      return;
    }
    for (int slot = 0; slot < slots; slot++) {
      target[slot] = sums[slot] + values[classOf.get(slot)];
    }
  }

  /** Returns the sum of the weighted scores of each node of a class from the scaled scorers. */
  int value(int ofClass) {
    return values[ofClass];
  }

  /** Returns the greatest value of a class with feasible nodes. */
  int greatestValue(boolean[] present) {
    int greatest = Integer.MIN_VALUE;
    for (int each = 0; each < classes.size(); each++) {
      if (present[each]) {
        greatest = Math.max(greatest, values[each]);
      }
    }
    return greatest;
  }

  /** Returns its memory in bytes. */
  long bytes() {
    return 200L + classes.bytes() + classOf.bytes() + 4L * (values.length + raw.length);
  }
}
