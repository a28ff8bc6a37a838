package io.berth.engine.cards;

import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import java.util.Arrays;
import java.util.List;

/**
 * A lower bound on the number of pods that have to leave a node before it has the cards that
 * another pod requests.
 *
 * <p>(1) To free a card, at least the number of its largest pods whose shares add up to the missing
 * amount have to leave. (2) A pod with shares of several cards counts on each of them as the
 * respective fraction, so that no pod counts more than once over all cards. (3) A request needs at
 * least the cards with the lowest bounds; of several requests, the one with the highest bound
 * decides.
 */
public final class CardShortage {
  /** The bound if no departure helps. */
  public static final int HOPELESS = Integer.MAX_VALUE;

  private static final double ROUNDING = 1e-9;

  private final CardTable table;
  private final int slot;
  private final PodCards demand;

  /** Creates the bound for a pod on the node in this slot. */
  public CardShortage(CardTable table, int slot, PodCards demand) {
    this.table = table;
    this.slot = slot;
    this.demand = demand;
  }

  /**
   * Returns the bound for the current state of the node; 0 if each request fits by itself.
   *
   * @param mayLeave the cards of the pods that may leave
   */
  public int fewest(List<HeldCards> mayLeave) {
    int most = 0;
    for (CardRequest request : demand.requests()) {
      double[] ofCards = new double[table.count(slot)];
      for (int card = 0; card < ofCards.length; card++) {
        ofCards[card] =
            table.mayServe(slot, card, demand.models())
                ? ofCard(request, card, mayLeave)
                : Double.POSITIVE_INFINITY;
      }
      Arrays.sort(ofCards);
      double sum = 0;
      for (int i = 0; i < request.cards(); i++) {
        sum += i < ofCards.length ? ofCards[i] : Double.POSITIVE_INFINITY;
      }
      if (Double.isInfinite(sum)) {
        return HOPELESS;
      }
      most = Math.max(most, (int) Math.ceil(sum - ROUNDING));
    }
    return most;
  }

  private double ofCard(CardRequest request, int card, List<HeldCards> mayLeave) {
    CardRoom room = table.room(slot, card);
    if (room.has(request)) {
      return 0;
    }
    double parts = 0;
    int widest = 1;
    long[] cores = new long[mayLeave.size()];
    long[] memory = new long[mayLeave.size()];
    long[] slots = new long[mayLeave.size()];
    for (int i = 0; i < mayLeave.size(); i++) {
      HeldCards held = mayLeave.get(i);
      for (int part = 0; part < held.size(); part++) {
        if (held.card(part) == card) {
          cores[i] += room.coresOf(held.request(part));
          memory[i] += room.memoryOf(held.request(part));
          slots[i]++;
        }
      }
      if (slots[i] > 0) {
        int span = held.span();
        parts += 1.0 / span;
        widest = Math.max(widest, span);
      }
    }
    if (request.isWhole()) {
      return Arrays.stream(slots).sum() < room.usedSlots() ? Double.POSITIVE_INFINITY : parts;
    }
    double pods =
        Math.max(
            covering(room.lackingCores(request), cores),
            Math.max(
                covering(room.lackingMemory(request), memory),
                covering(room.lackingSlots(), slots)));
    return pods / widest;
  }

  /**
   * Returns the number of these amounts, the largest first, that are needed to cover what is
   * missing.
   */
  private static double covering(long lacking, long[] amounts) {
    if (lacking <= 0) {
      return 0;
    }
    long[] sorted = amounts.clone();
    Arrays.sort(sorted);
    long left = lacking;
    for (int i = sorted.length - 1; i >= 0 && sorted[i] > 0; i--) {
      left -= sorted[i];
      if (left <= 0) {
        return sorted.length - i;
      }
    }
    return Double.POSITIVE_INFINITY;
  }
}
