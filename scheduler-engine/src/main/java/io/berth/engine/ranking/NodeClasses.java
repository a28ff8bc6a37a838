package io.berth.engine.ranking;

import io.berth.engine.framework.Combinations;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.Scale;
import io.berth.engine.state.NodeSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Nodes by what scaled scorers say of them: nodes of one class are of the same kind for each scorer
 * whose scores depend on the extremes over all feasible nodes. A change of such an extreme costs as
 * much as there are classes, whatever the number of nodes.
 */
final class NodeClasses {
  /** Of so many bits is the place where the class of a kind is found at once. */
  private static final int KNOWN_BITS = 7;

  private static final int KNOWN_SHIFT = Integer.SIZE - KNOWN_BITS;

  private final List<NodeScorer> scorers;
  private final List<Integer> weights;
  private final Combinations classes;
  private final int[] kinds;

  /** The class by slot; empty as long as all nodes are of class 0. */
  private int[] classOf = {};

  private int[] values = {};
  private int[] raw = {};

  /** Class plus one, and the kind it is of, by place. */
  private final int[] known = new int[1 << KNOWN_BITS];

  private final int[] knownKinds = new int[1 << KNOWN_BITS];

  /**
   * @param scorers those with a scale
   */
  NodeClasses(List<NodeScorer> scorers, List<Integer> weights) {
    this.scorers = scorers;
    this.weights = weights;
    this.classes = new Combinations(scorers.size());
    this.kinds = new int[scorers.size()];
  }

  /** The class of a node. */
  int of(int slot) {
    return classOf.length == 0 ? 0 : classOf[slot];
  }

  /** The class of each node; empty where all nodes are of class 0. */
  int[] bySlot() {
    return classOf;
  }

  /** One more than the largest class, which may be empty by now. */
  int size() {
    return classes.size();
  }

  /** Sorts all nodes, forgetting classes that are empty. */
  void sort(int slots, int capacity) {
    classes.clear();
    Arrays.fill(kinds, 0);
    classes.numberOf(kinds);
    int differing = 0;
    int number = 0;
    for (int i = 0; i < kinds.length; i++) {
      if (!scorers.get(i).isUniform()) {
        differing++;
        number = i;
      }
    }
    if (differing == 0) {
      classOf = new int[0];
      return;
    }
    if (classOf.length < slots) {
      classOf = new int[capacity];
    }
    if (differing == 1) {
      sortBy(number, slots);
      return;
    }
    int last = 0;
    for (int slot = 0; slot < slots; slot++) {
      last = ofKinds(slot, last);
      classOf[slot] = last;
    }
  }

  /** Sorts all nodes by what one scorer says of them, where the others say the same of all. */
  private void sortBy(int number, int slots) {
    Arrays.fill(known, 0);
    int[] column = scorers.get(number).kinds();
    for (int slot = 0; slot < slots; slot++) {
      int kind = column[slot];
      int place = (kind * 0x9E3779B9) >>> KNOWN_SHIFT;
      if (known[place] == 0 || knownKinds[place] != kind) {
        kinds[number] = kind;
        known[place] = classes.numberOf(kinds) + 1;
        knownKinds[place] = kind;
      }
      classOf[slot] = known[place] - 1;
    }
  }

  /**
   * The class that the node is in by its kinds.
   *
   * @param probable the class to try first
   */
  int ofKinds(int slot, int probable) {
    for (int i = 0; i < kinds.length; i++) {
      kinds[i] = scorers.get(i).kinds()[slot];
    }
    return classes.is(probable, kinds) ? probable : classes.numberOf(kinds);
  }

  /** Puts a node into a class. */
  void put(int slot, int ofClass, int capacity) {
    if (classOf.length == 0 && ofClass != 0) {
      classOf = new int[capacity];
    }
    if (classOf.length > 0) {
      classOf[slot] = ofClass;
    }
  }

  /**
   * Works out what the classes are worth.
   *
   * @param present the classes with a feasible node
   * @return each scorer's scale over the feasible nodes; empty for one that has nothing to say
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

  /** Marks the classes of these nodes. */
  void mark(NodeSet nodes, boolean[] present) {
    if (classOf.length == 0) {
      present[0] = true;
      return;
    }
    long[] words = nodes.words();
    for (int word = 0; word < words.length; word++) {
      int base = word << 6;
      for (long bits = words[word]; bits != 0; bits &= bits - 1) {
        present[classOf[base + Long.numberOfTrailingZeros(bits)]] = true;
      }
    }
  }

  /** Adds to each sum of the first slots what the slot's class is worth. */
  void addValues(int[] sums, int[] target, int slots) {
    if (classOf.length == 0) {
      int value = values[0];
      for (int slot = 0; slot < slots; slot++) {
        target[slot] = sums[slot] + value;
      }
      return;
    }
    for (int slot = 0; slot < slots; slot++) {
      target[slot] = sums[slot] + values[classOf[slot]];
    }
  }

  /** The sum of the weighted scores that each node of a class has from the scaled scorers. */
  int value(int ofClass) {
    return values[ofClass];
  }

  /** Returns its memory in bytes. */
  long bytes() {
    return 1_200L + classes.bytes() + 4L * (classOf.length + values.length + raw.length);
  }
}
