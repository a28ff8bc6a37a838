package io.berth.engine.cycle;

import io.berth.engine.EngineOptions;
import io.berth.engine.decision.ScoreTable;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.Scale;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The best of the feasible nodes. Totals are sums over columns; equal nodes take turns, from the
 * slot after the last one chosen.
 */
final class Scoring {
  private static final int NOT_FEASIBLE = Integer.MIN_VALUE;

  private final NodeTable nodes;
  private final EngineOptions options;

  /** The raw scores by slot of each that took part, beside {@link #names}. */
  private final List<int[]> columns = new ArrayList<>();

  private final List<String> names = new ArrayList<>();
  private final List<Scale> scales = new ArrayList<>();
  private int[] weights = new int[8];
  private int[] totals = {};
  private int[] greatestOfWord = {};
  private int turn;

  Scoring(NodeTable nodes, EngineOptions options) {
    this.nodes = nodes;
    this.options = options;
  }

  /**
   * Scores the feasible nodes and chooses one.
   *
   * @param feasible at least one node
   * @return the slot of the best node
   */
  int choose(NodeSet feasible, ShapePlan plan, Optional<Advised> advised) {
    columns.clear();
    names.clear();
    scales.clear();
    int slots = nodes.slots();
    if (totals.length < slots) {
      // Words of slots are read as a whole.
      totals = new int[NodeSet.wordsFor(slots * 3 / 2) << 6];
    }
    if (weights.length <= plan.scorers().size()) {
      weights = new int[plan.scorers().size() * 2];
    }
    Arrays.fill(totals, 0, slots, 0);
    for (int i = 0; i < plan.scorers().size(); i++) {
      NodeScorer scorer = plan.scorers().get(i);
      scorer.refresh(feasible);
      if (!scorer.isSkipped()) {
        Scale scale = scorer.scaleOver(feasible);
        int weight = plan.weights().get(i);
        scale.addTo(totals, scorer.raw(), slots, weight);
        weights[columns.size()] = weight;
        columns.add(scorer.raw());
        names.add(plan.scorerNames().get(i));
        scales.add(scale);
      }
    }
    if (advised.isPresent() && advised.get().hasScores()) {
      int[] extra = advised.get().scores(slots);
      Scale.none().addTo(totals, extra, slots, 1);
      weights[columns.size()] = 1;
      columns.add(extra);
      names.add(advised.get().name());
      scales.add(Scale.none());
    }
    int best = greatest(feasible);
    int chosen =
        switch (options.tieOrder()) {
          case ROUND_ROBIN -> next(feasible, best);
          case BY_NAME -> firstByName(feasible, best);
        };
    turn = chosen + 1;
    return chosen;
  }

  /** The greatest total, noting the greatest of each word of slots. */
  private int greatest(NodeSet feasible) {
    long[] words = feasible.words();
    if (greatestOfWord.length < words.length) {
      greatestOfWord = new int[words.length];
    }
    int greatest = NOT_FEASIBLE;
    for (int word = 0; word < words.length; word++) {
      long bits = words[word];
      int base = word << 6;
      int here = NOT_FEASIBLE;
      if (bits == -1L) {
        for (int slot = base; slot < base + 64; slot++) {
          here = Math.max(here, totals[slot]);
        }
      } else {
        for (; bits != 0; bits &= bits - 1) {
          here = Math.max(here, totals[base + Long.numberOfTrailingZeros(bits)]);
        }
      }
      greatestOfWord[word] = here;
      greatest = Math.max(greatest, here);
    }
    return greatest;
  }

  /** The first slot with this total from the turn on, or else from the beginning. */
  private int next(NodeSet feasible, int total) {
    long[] words = feasible.words();
    int first = turn >>> 6;
    for (int i = 0; i <= words.length; i++) {
      int word = (first + i) % words.length;
      if (greatestOfWord[word] != total) {
        continue;
      }
      long bits = words[word];
      if (i == 0 && first < words.length) {
        bits &= -1L << turn;
      }
      for (; bits != 0; bits &= bits - 1) {
        int slot = (word << 6) + Long.numberOfTrailingZeros(bits);
        if (totals[slot] == total) {
          return slot;
        }
      }
    }
    throw new IllegalStateException("no feasible node has the greatest total " + total);
  }

  private int firstByName(NodeSet feasible, int total) {
    int first = -1;
    for (int slot = feasible.next(0); slot >= 0; slot = feasible.next(slot + 1)) {
      if (totals[slot] == total
          && (first < 0 || nodes.name(slot).compareTo(nodes.name(first)) < 0)) {
        first = slot;
      }
    }
    return first;
  }

  /** The numbers of the best nodes, the chosen one first. */
  ScoreTable table(NodeSet feasible, int chosen, int feasibleNodes) {
    int size = Math.min(options.recordedNodes(), feasibleNodes);
    int[] best = new int[size];
    int found = 0;
    best[found++] = chosen;
    long[] words = feasible.words();
    for (int word = 0; word < words.length && size > 1; word++) {
      if (found == size && greatestOfWord[word] <= totals[best[size - 1]]) {
        continue;
      }
      for (long bits = words[word]; bits != 0; bits &= bits - 1) {
        int slot = (word << 6) + Long.numberOfTrailingZeros(bits);
        if (slot == chosen || (found == size && totals[slot] <= totals[best[size - 1]])) {
          continue;
        }
        int at = found == size ? size - 1 : found++;
        for (; at > 1 && totals[best[at - 1]] < totals[slot]; at--) {
          best[at] = best[at - 1];
        }
        best[at] = slot;
      }
    }
    String[] nodeNames = new String[size];
    int[] ofNodes = new int[size];
    int[][] raw = new int[columns.size()][size];
    for (int i = 0; i < size; i++) {
      nodeNames[i] = nodes.name(best[i]);
      ofNodes[i] = totals[best[i]];
      for (int scorer = 0; scorer < raw.length; scorer++) {
        raw[scorer][i] = columns.get(scorer)[best[i]];
      }
    }
    return new ScoreTable(
        List.of(nodeNames),
        ofNodes,
        List.copyOf(names),
        Arrays.copyOf(weights, columns.size()),
        List.copyOf(scales),
        raw);
  }
}
