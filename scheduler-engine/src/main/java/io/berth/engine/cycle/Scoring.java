package io.berth.engine.cycle;

import io.berth.engine.api.EngineOptions;
import io.berth.engine.decision.ScoreTable;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.Scale;
import io.berth.engine.ranking.Ranking;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Selects the best of the feasible nodes, by the plan's {@link Ranking} or by a pass over all
 * totals. Nodes with equal totals take turns, from the slot after the last selected one.
 */
final class Scoring {
  private static final int NOT_FEASIBLE = Integer.MIN_VALUE;

  private final NodeTable nodes;
  private final EngineOptions options;

  /** The number of nodes above which a pass over all is faster. */
  private static final int MOST_RANKED = 16;

  private int[] totals = {};
  private int[] greatestOfWord = {};
  private int turn;

  /**
   * A selected node.
   *
   * @param slot the slot of the best node
   * @param table the scores of the best nodes, the selected one first
   */
  record Choice(int slot, ScoreTable table) {}

  /** The scores from one advisor, by slot. */
  private static final class Given {
    private final String by;
    private final int weight;
    private final int[] bySlot;

    Given(String by, int weight, int[] bySlot) {
      this.by = by;
      this.weight = weight;
      this.bySlot = bySlot;
    }
  }

  Scoring(NodeTable nodes, EngineOptions options) {
    this.nodes = nodes;
    this.options = options;
  }

  /**
   * Scores the feasible nodes and selects one.
   *
   * @param feasible at least one node
   */
  Choice choose(NodeSet feasible, ShapePlan plan, Optional<Advised> advised) {
    int only = feasible.next(0);
    if (feasible.next(only + 1) < 0) {
      return theOnlyOne(only, feasible, plan, advised);
    }
    Ranking ranking = plan.ranking();
    ranking.refresh(feasible);
    List<Given> given = given(advised, nodes.slots());
    int[] recorded =
        given.isEmpty()
                && options.tieOrder() == EngineOptions.TieOrder.ROUND_ROBIN
                && options.recordedNodes() <= MOST_RANKED
            ? ranked(ranking, feasible)
            : byTotals(ranking, feasible, given);
    int chosen = recorded[0];
    turn = chosen + 1;
    if (options.recordedNodes() == 0) {
      recorded = new int[0];
    }
    return new Choice(chosen, table(plan, ranking.scales(), given, recorded));
  }

  /** Returns the slot that is the first of the next nodes with equal totals. */
  int turn() {
    return turn;
  }

  /** Lets this slot be the first of the next nodes with equal totals. */
  void startTurnsAt(int slot) {
    turn = slot;
  }

  /**
   * Scores the feasible nodes for comparison, without effect on the next selection.
   *
   * @param feasible at least one node
   * @param slot the node to compare with the one that would be selected
   * @return the scores of the node that would be selected, and of the other one if it is feasible
   */
  ScoreTable compare(NodeSet feasible, ShapePlan plan, int slot) {
    int before = turn;
    int chosen = choose(feasible, plan, Optional.empty()).slot();
    turn = before;
    int[] compared =
        feasible.contains(slot) && slot != chosen ? new int[] {chosen, slot} : new int[] {chosen};
    List<Optional<Scale>> scales =
        feasible.size() == 1 ? plan.ranking().scalesOver(feasible) : plan.ranking().scales();
    return table(plan, scales, List.of(), compared);
  }

  /** Returns the best nodes by the ranking, the selected one first. */
  private int[] ranked(Ranking ranking, NodeSet feasible) {
    int count = options.recordedNodes();
    if (count > 1) {
      count = Math.min(count, feasible.size());
    }
    return ranking.isRanked()
        ? ranking.best(Math.max(1, count), ranking.next(turn))
        : ranking.search(feasible, Math.max(1, count), turn);
  }

  /** Returns the best nodes by a pass over all totals, the selected one first. */
  private int[] byTotals(Ranking ranking, NodeSet feasible, List<Given> given) {
    int length = feasible.words().length << 6;
    if (totals.length < length) {
      totals = new int[length];
    }
    ranking.totals(totals);
    for (Given scores : given) {
      Scale.none().addTo(totals, scores.bySlot, nodes.slots(), scores.weight);
    }
    int best = greatest(feasible, totals);
    int chosen =
        switch (options.tieOrder()) {
          case ROUND_ROBIN -> next(feasible, totals, best);
          case BY_NAME -> firstByName(feasible, totals, best);
        };
    return recorded(feasible, totals, chosen);
  }

  private static List<Given> given(Optional<Advised> advised, int slots) {
    if (advised.isEmpty()) {
      return List.of();
    }
    Advised advice = advised.get();
    return advice.scores().stream()
        .map(scores -> new Given(scores.by(), scores.weight(), advice.scores(scores, slots)))
        .toList();
  }

  /** Selects the only node; its scores are computed only for the record. */
  private Choice theOnlyOne(int slot, NodeSet feasible, ShapePlan plan, Optional<Advised> advised) {
    turn = slot + 1;
    int[] recorded = options.recordedNodes() == 0 ? new int[0] : new int[] {slot};
    return new Choice(
        slot,
        table(plan, plan.ranking().scalesOver(feasible), given(advised, nodes.slots()), recorded));
  }

  /**
   * Returns the scores of some nodes, by scorer and advisor.
   *
   * @param scales the scales by scorer; empty for those that did not score
   * @param slots the best node first
   */
  private ScoreTable table(
      ShapePlan plan, List<Optional<Scale>> scales, List<Given> given, int[] slots) {
    int most = plan.scorers().size() + given.size();
    String[] names = new String[most];
    int[] weights = new int[most];
    Scale[] scaled = new Scale[most];
    int[][] raw = new int[most][];
    int columns = 0;
    for (int i = 0; i < plan.scorers().size(); i++) {
      Scale scale = scales.get(i).orElse(null);
      if (scale != null) {
        NodeScorer scorer = plan.scorers().get(i);
        names[columns] = plan.scorerNames().get(i);
        weights[columns] = plan.weights().get(i);
        scaled[columns] = scale;
        int[] own = new int[slots.length];
        for (int at = 0; at < own.length; at++) {
          own[at] = scorer.raw(slots[at]);
        }
        raw[columns++] = own;
      }
    }
    for (Given scores : given) {
      names[columns] = scores.by;
      weights[columns] = scores.weight;
      scaled[columns] = Scale.none();
      raw[columns++] = Arrays.stream(slots).map(slot -> scores.bySlot[slot]).toArray();
    }
    String[] nodeNames = new String[slots.length];
    int[] totals = new int[slots.length];
    for (int at = 0; at < slots.length; at++) {
      nodeNames[at] = nodes.name(slots[at]);
      for (int column = 0; column < columns; column++) {
        totals[at] += scaled[column].weighted(raw[column][at], weights[column]);
      }
    }
    return new ScoreTable(nodeNames, totals, columns, names, weights, scaled, raw);
  }

  /** Returns the greatest total, and records the greatest of each word of slots. */
  private int greatest(NodeSet feasible, int[] totals) {
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

  /** Returns the first slot with this total from the turn on, or else from the beginning. */
  private int next(NodeSet feasible, int[] totals, int total) {
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

  private int firstByName(NodeSet feasible, int[] totals, int total) {
    int first = -1;
    for (int slot = feasible.next(0); slot >= 0; slot = feasible.next(slot + 1)) {
      if (totals[slot] == total
          && (first < 0 || nodes.name(slot).compareTo(nodes.name(first)) < 0)) {
        first = slot;
      }
    }
    return first;
  }

  /** Returns the slots of the best nodes, the selected one first. */
  private int[] recorded(NodeSet feasible, int[] totals, int chosen) {
    int size = Math.max(1, Math.min(options.recordedNodes(), feasible.size()));
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
    return best;
  }
}
