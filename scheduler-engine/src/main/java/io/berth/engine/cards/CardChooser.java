package io.berth.engine.cards;

import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Chooses cards of one node for one pod. The choice depends only on the cards, the request and the
 * rules; the object holds only scratch space. If the node's agent chooses by itself, its choice is
 * predicted.
 *
 * <p>Containers that request whole cards choose first, then those that request shares, the largest
 * first. If a share leaves no room for a later one, it is tried on another card, up to a limit. If
 * the cards that the rules prefer leave no room for the shares, the smallest ones are taken whole.
 */
public final class CardChooser {
  private static final int MOST_TRIALS = 2_000;

  /** The weight of each remaining thousandth of a card, for cards with equal worth. */
  private static final double BEST_FIT = 0.0003;

  private static final double FIRST_BY_CORES = 1e9;

  /** One of the card shares that a container requests. */
  private record Part(CardRequest request, int index, int number) {}

  private static final Comparator<Part> LARGEST_FIRST =
      Comparator.<Part>comparingInt(part -> part.request().milliCores())
          .thenComparingLong(part -> part.request().memoryMebibytes())
          .thenComparingInt(part -> part.request().memoryPercent())
          .reversed();

  private final CardTable names;
  private final FreeCards left = new FreeCards();
  private final List<Part> shares = new ArrayList<>();
  private List<CardRequest> requests = List.of();
  private int[][] chosen = {};
  private boolean[] allowed = {};
  private int trials;

  public CardChooser(CardTable names) {
    this.names = names;
  }

  /**
   * Chooses cards.
   *
   * @param free the free cards of the node; not modified
   * @param milliCpuLeft the CPU that remains on the node with the pod
   * @return whether the request can be satisfied
   */
  public boolean choose(
      FreeCards free,
      PodCards demand,
      CardRules.Choice choice,
      CardWorth worth,
      long milliCpuLeft) {
    if (demand.problem().isPresent()) {
      return false;
    }
    left.copy(free);
    requests = demand.requests();
    if (chosen.length < requests.size()) {
      chosen = new int[requests.size() * 2][];
    }
    markAllowed(demand);
    if (left.isFullestFirst()) {
      return chooseAsTheAgent();
    }
    if (choose(choice, false, worth, milliCpuLeft)) {
      return true;
    }
    if (shares.isEmpty()) {
      return false;
    }
    // What the rule prefers must not decide whether the pod fits.
    if (choice != CardRules.Choice.BEST_FIT) {
      left.copy(free);
      if (choose(CardRules.Choice.BEST_FIT, false, worth, milliCpuLeft)) {
        return true;
      }
    }
    if (!asksForWholeCards()) {
      return false;
    }
    left.copy(free);
    return choose(CardRules.Choice.BEST_FIT, true, worth, milliCpuLeft);
  }

  private boolean asksForWholeCards() {
    for (CardRequest request : requests) {
      if (request.isWhole()) {
        return true;
      }
    }
    return false;
  }

  private boolean choose(
      CardRules.Choice choice, boolean smallestWhole, CardWorth worth, long milliCpuLeft) {
    shares.clear();
    for (int i = 0; i < requests.size(); i++) {
      CardRequest request = requests.get(i);
      if (!request.isWhole()) {
        chosen[i] = new int[request.cards()];
        for (int number = 0; number < request.cards(); number++) {
          shares.add(new Part(request, i, number));
        }
      } else if (!chooseWhole(i, request, choice, smallestWhole)) {
        return false;
      }
    }
    if (shares.size() > 1) {
      shares.sort(LARGEST_FIRST);
    }
    trials = 0;
    return chooseShares(0, choice, worth, milliCpuLeft);
  }

  /**
   * Returns an upper bound of the number of pods with this request that can get cards one after the
   * other.
   *
   * @param free the free cards of the node; not modified
   */
  public int room(FreeCards free, PodCards demand) {
    left.copy(free);
    markAllowed(demand);
    long room = Integer.MAX_VALUE;
    for (CardRequest request : demand.requests()) {
      long cards = 0;
      for (int card = 0; card < left.size(); card++) {
        cards += allowed[card] ? left.times(request, card) : 0;
      }
      room = Math.min(room, cards / request.cards());
    }
    return (int) room;
  }

  /** Returns the free cards of the node after the last choice. */
  public FreeCards left() {
    return left;
  }

  /** Returns the positions of the last chosen cards, by container. */
  public Map<String, List<Integer>> positions() {
    Map<String, List<Integer>> cards = new HashMap<>();
    for (int i = 0; i < requests.size(); i++) {
      cards.put(requests.get(i).container(), Arrays.stream(chosen[i]).sorted().boxed().toList());
    }
    return cards;
  }

  /** Returns the last choice, with the names of the node's agent. */
  public CardAssignment assignment(CardInventory inventory) {
    Map<String, List<String>> cards = new HashMap<>();
    positions()
        .forEach(
            (container, positions) ->
                cards.put(container, positions.stream().map(inventory::id).toList()));
    return new CardAssignment(inventory.agent(), cards);
  }

  /** Chooses container by container, and always the fullest card that fits. */
  private boolean chooseAsTheAgent() {
    for (int i = 0; i < requests.size(); i++) {
      CardRequest request = requests.get(i);
      chosen[i] = new int[request.cards()];
      for (int number = 0; number < request.cards(); number++) {
        int fullest = fullest(new Part(request, i, number));
        if (fullest < 0) {
          return false;
        }
        chosen[i][number] = fullest;
        left.take(request, fullest);
      }
    }
    return true;
  }

  private int fullest(Part part) {
    int fullest = -1;
    for (int card = 0; card < left.size(); card++) {
      boolean fits =
          part.request().isWhole() ? left.isUntouched(card) : left.fits(part.request(), card);
      if (fits
          && allowed[card]
          && !isTaken(part, card)
          && (fullest < 0 || isFuller(card, fullest))) {
        fullest = card;
      }
    }
    return fullest;
  }

  private boolean isFuller(int card, int other) {
    int byCores = Integer.compare(left.milliCores(card), left.milliCores(other));
    return byCores != 0 ? byCores < 0 : left.memory(card) < left.memory(other);
  }

  /** Returns whether the container already has another share of the card. */
  private boolean isTaken(Part part, int card) {
    for (int number = 0; number < part.number(); number++) {
      if (chosen[part.index()][number] == card) {
        return true;
      }
    }
    return false;
  }

  private void markAllowed(PodCards demand) {
    if (allowed.length < left.size()) {
      allowed = new boolean[left.size() * 2];
    }
    if (demand.models().isEmpty()) {
      Arrays.fill(allowed, 0, left.size(), true);
      return;
    }
    for (int card = 0; card < left.size(); card++) {
      allowed[card] =
          (card > 0 && left.model(card) == left.model(card - 1))
              ? allowed[card - 1]
              : demand.models().contains(names.modelName(left.model(card)));
    }
  }

  private boolean chooseWhole(
      int request, CardRequest asked, CardRules.Choice choice, boolean smallest) {
    WholeCards whole = new WholeCards(left, allowed);
    int[] cards = smallest ? whole.smallest(asked.cards()) : whole.choose(asked.cards(), choice);
    if (cards.length < asked.cards()) {
      return false;
    }
    for (int card : cards) {
      left.take(asked, card);
    }
    chosen[request] = cards;
    return true;
  }

  private boolean chooseShares(
      int number, CardRules.Choice choice, CardWorth worth, long milliCpuLeft) {
    if (number == shares.size()) {
      return true;
    }
    Part part = shares.get(number);
    CardRequest asked = part.request();
    double[] preference = new double[left.size()];
    for (int card = 0; card < left.size(); card++) {
      preference[card] =
          isCandidate(part, card) && left.fits(asked, card) && !hasTwinBefore(part, card)
              ? preference(asked, card, choice, worth, milliCpuLeft)
              : Double.NEGATIVE_INFINITY;
    }
    while (trials++ < MOST_TRIALS) {
      int best = greatest(preference);
      if (best < 0) {
        return false;
      }
      preference[best] = Double.NEGATIVE_INFINITY;
      boolean untouched = left.isUntouched(best);
      left.take(asked, best);
      chosen[part.index()][part.number()] = best;
      if (chooseShares(number + 1, choice, worth, milliCpuLeft)) {
        return true;
      }
      left.giveBack(asked, best, untouched);
    }
    return false;
  }

  private boolean isCandidate(Part part, int card) {
    return allowed[card] && !isTaken(part, card);
  }

  private boolean hasTwinBefore(Part part, int card) {
    for (int other = 0; other < card; other++) {
      if (isCandidate(part, other) && left.areAlike(card, other)) {
        return true;
      }
    }
    return false;
  }

  private static int greatest(double[] preference) {
    int best = -1;
    double most = Double.NEGATIVE_INFINITY;
    for (int card = 0; card < preference.length; card++) {
      if (preference[card] > most) {
        most = preference[card];
        best = card;
      }
    }
    return best;
  }

  private double preference(
      CardRequest asked, int card, CardRules.Choice choice, CardWorth worth, long milliCpuLeft) {
    double free = left.milliCores(card) * FIRST_BY_CORES + left.memory(card);
    return switch (choice) {
      case BEST_FIT -> -free;
      case SPREAD -> free;
      case TOPOLOGY -> -WholeCards.untouchedLinkedWith(left, card) * FIRST_BY_CORES * 1e4 - free;
      case LEAST_FRAGMENTATION -> {
        boolean untouched = left.isUntouched(card);
        left.take(asked, card);
        double after =
            worth.of(left, milliCpuLeft)
                - BEST_FIT * (left.shares()[card] + (untouched ? 1_000 : 0));
        left.giveBack(asked, card, untouched);
        yield after;
      }
    };
  }
}
