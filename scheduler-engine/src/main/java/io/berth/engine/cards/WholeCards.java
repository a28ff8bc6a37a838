package io.berth.engine.cards;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.IntUnaryOperator;

/** Chooses among the untouched cards of a node. */
public final class WholeCards {
  private static final int[] NONE = {};

  private final FreeCards cards;
  private final boolean[] allowed;

  /**
   * Creates a choice.
   *
   * @param allowed by card, whether it may be chosen
   */
  public WholeCards(FreeCards cards, boolean[] allowed) {
    this.cards = cards;
    this.allowed = allowed;
  }

  /**
   * Returns the cards to take; none if there are not enough.
   *
   * <p>Cards are taken together from the link group, or else the NUMA node, that has the fewest
   * free cards that suffice; otherwise from the groups with the most free cards. {@code SPREAD}
   * takes the first ones.
   */
  public int[] choose(int wanted, CardRules.Choice choice) {
    int[] free = untouched();
    if (free.length < wanted) {
      return NONE;
    }
    boolean placed = false;
    for (int card : free) {
      placed |= cards.group(card) >= 0 || cards.numaNode(card) >= 0;
    }
    if (!placed || choice == CardRules.Choice.SPREAD) {
      return Arrays.copyOf(free, wanted);
    }
    int[] together = together(free, wanted, this::groupOf);
    if (together.length == 0) {
      together = together(free, wanted, cards::numaNode);
    }
    return together.length > 0 ? together : fromLargestGroups(free, wanted);
  }

  /**
   * Returns the cards to take so that those with the most capacity are left; none if there are not
   * enough.
   */
  public int[] smallest(int wanted) {
    int[] free = untouched();
    return free.length < wanted
        ? NONE
        : Arrays.stream(free)
            .boxed()
            .sorted(
                Comparator.<Integer>comparingLong(cards::memory)
                    .thenComparingInt(cards::milliCores)
                    .thenComparing(Comparator.naturalOrder()))
            .limit(wanted)
            .mapToInt(Integer::intValue)
            .toArray();
  }

  private int[] untouched() {
    int[] free = new int[cards.size()];
    int size = 0;
    for (int card = 0; card < cards.size(); card++) {
      if (allowed[card] && cards.isUntouched(card)) {
        free[size++] = card;
      }
    }
    return Arrays.copyOf(free, size);
  }

  /** Returns the group of a card; a card without links is its own group. */
  private int groupOf(int card) {
    return cards.group(card) >= 0 ? cards.group(card) : cards.size() + card;
  }

  private static int count(int[] free, IntUnaryOperator domain, int of) {
    int count = 0;
    for (int card : free) {
      count += domain.applyAsInt(card) == of ? 1 : 0;
    }
    return count;
  }

  private static int[] together(int[] free, int wanted, IntUnaryOperator domain) {
    int best = -1;
    int fewest = Integer.MAX_VALUE;
    for (int card : free) {
      int of = domain.applyAsInt(card);
      int count = of < 0 ? 0 : count(free, domain, of);
      if (count >= wanted && count < fewest) {
        fewest = count;
        best = of;
      }
    }
    if (best < 0) {
      return NONE;
    }
    int of = best;
    return Arrays.stream(free)
        .filter(card -> domain.applyAsInt(card) == of)
        .limit(wanted)
        .toArray();
  }

  private int[] fromLargestGroups(int[] free, int wanted) {
    return Arrays.stream(free)
        .boxed()
        .sorted(
            (one, other) -> {
              int byCount =
                  Integer.compare(
                      count(free, this::groupOf, groupOf(other)),
                      count(free, this::groupOf, groupOf(one)));
              int byGroup = Integer.compare(groupOf(one), groupOf(other));
              return byCount != 0 ? byCount : byGroup != 0 ? byGroup : Integer.compare(one, other);
            })
        .limit(wanted)
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /** Returns the number of untouched cards in the link group of this card, including itself. */
  public static int untouchedLinkedWith(FreeCards cards, int card) {
    int count = cards.isUntouched(card) ? 1 : 0;
    for (int other = 0; cards.group(card) >= 0 && other < cards.size(); other++) {
      boolean linked = other != card && cards.group(other) == cards.group(card);
      count += linked && cards.isUntouched(other) ? 1 : 0;
    }
    return count;
  }
}
