package io.berth.engine.cards;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardHandout;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.ResourceAmounts;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * The GPU cards of all nodes, in columns: the cards of one node are adjacent.
 *
 * <p>The usage of a card may exceed its capacity, because of pods from other schedulers or a card
 * that became smaller; nothing of it is then free. If a node has a pod with unknown cards, pods
 * that request cards are not placed on it, because any of its cards may be in use.
 */
public final class CardTable {
  private static final int NOT_LINKED = -1;

  private final Journal journal;
  private final IntSupplier roomForSlots;
  private final CardModels models = new CardModels();
  private final Map<Integer, Deque<Integer>> freeRanges = new HashMap<>();
  private int nodes;
  private int end;
  private int cardsInAll;
  private long memoryInAll;

  // Indexed by slot.
  private int[] first = {};
  private int[] count = {};
  private int[] unknownPods = {};
  private int[] awaitingPods = {};

  /** The pods among them that were placed in the current attempt for a group, by slot. */
  private final Map<Integer, Integer> together = new HashMap<>();

  private int attemptsTogether;
  private int[] awaitingWhole = {};
  private CardInventory[] inventory = {};

  /** By slot, and by resource in the order of {@link CardInventory#sums}. */
  private long[][] requestedSums = {};

  /** By slot, the requests of pods that the agent has not handled yet. */
  private final Map<Integer, List<PodCards>> ahead = new HashMap<>();

  // Indexed by position of the card.
  private int[] usedMilliCores = {};
  private long[] usedMemory = {};
  private int[] usedSlots = {};
  private int[] milliCores = {};
  private long[] memory = {};
  private int[] slots = {};
  private int[] model = {};
  private int[] group = {};
  private int[] numaNode = {};
  private boolean[] healthy = {};

  /**
   * @param roomForSlots returns the length of columns by slot that grow now
   */
  public CardTable(Journal journal, IntSupplier roomForSlots) {
    this.journal = journal;
    this.roomForSlots = roomForSlots;
  }

  /** Returns the number of nodes with described cards. */
  public int nodes() {
    return nodes;
  }

  /** Returns the average memory of a card, in MiB; 0 if no card has a known memory. */
  public long usualMemory() {
    return cardsInAll == 0 ? 0 : memoryInAll / cardsInAll;
  }

  /** Returns the number of cards of the node; 0 if they are not described. */
  public int count(int slot) {
    return slot < count.length ? count[slot] : 0;
  }

  /** Returns whether the node has a pod with unknown cards. */
  public boolean isClosed(int slot) {
    return slot < unknownPods.length && unknownPods[slot] > 0;
  }

  /** Returns the agent's description of the node's cards. */
  public CardInventory inventory(int slot) {
    return slot < inventory.length && inventory[slot] != null
        ? inventory[slot]
        : CardInventory.none();
  }

  /** Returns whether the node's agent has too many pods in progress to accept this one. */
  public boolean isBusy(int slot, PodCards demand) {
    if (slot >= awaitingPods.length || awaitingPods[slot] == 0) {
      return false;
    }
    return switch (inventory(slot).atOnce()) {
      case ANY -> false;
      case BY_AMOUNT ->
          (demand.asksForShares() && awaitingWhole[slot] > 0)
              || ahead.getOrDefault(slot, List.of()).stream().anyMatch(demand::isMistakenFor);
      case ONE -> awaitingPods[slot] > together.getOrDefault(slot, 0);
    };
  }

  /**
   * Places the members of a group in one attempt, which may consist of several. An agent that
   * serves one pod at a time does not keep them apart: their Bindings take turns.
   *
   * @param changed receives the nodes whose agents are busy after the attempt
   */
  public <R> R together(Supplier<R> attempt, IntConsumer changed) {
    attemptsTogether++;
    try {
      return attempt.get();
    } finally {
      endTogether(changed);
    }
  }

  private void endTogether(IntConsumer changed) {
    attemptsTogether--;
    if (attemptsTogether > 0) {
      return;
    }
    List<Integer> slots = List.copyOf(together.keySet());
    together.clear();
    slots.forEach(changed::accept);
  }

  /** Records that a pod waits for the node's agent to assign its cards. */
  public void await(int slot, PodCards demand, CardHandout handout) {
    addAwaiting(slot, demand, handout, true);
    journal.record(() -> addAwaiting(slot, demand, handout, false));
  }

  /** Records that the pod does not wait any more: it has its cards, or has left the node. */
  public void awaitNoMore(int slot, PodCards demand, CardHandout handout) {
    addAwaiting(slot, demand, handout, false);
    journal.record(() -> addAwaiting(slot, demand, handout, true));
  }

  private void addAwaiting(int slot, PodCards demand, CardHandout handout, boolean begins) {
    if (handout == CardHandout.DONE) {
      return;
    }
    int pods = begins ? 1 : -1;
    awaitingPods[slot] += pods;
    if (attemptsTogether > 0 && handout == CardHandout.AHEAD) {
      together.merge(slot, pods, (all, more) -> all + more == 0 ? null : all + more);
    }
    awaitingWhole[slot] += demand.wholeCards() > 0 ? pods : 0;
    if (handout == CardHandout.AHEAD && begins) {
      ahead.computeIfAbsent(slot, absent -> new ArrayList<>()).add(demand);
    } else if (handout == CardHandout.AHEAD) {
      ahead.computeIfPresent(
          slot,
          (absent, demands) -> {
            demands.remove(demand);
            return demands.isEmpty() ? null : demands;
          });
    }
  }

  /**
   * Returns the positions of the cards in an assignment, by container. A card that the node does
   * not have gets a position after all others.
   */
  public Map<String, List<Integer>> positions(int slot, CardAssignment assignment) {
    Map<String, List<Integer>> positions = new HashMap<>();
    assignment
        .cards()
        .forEach(
            (container, names) ->
                positions.put(
                    container, names.stream().map(name -> position(slot, name)).toList()));
    return positions;
  }

  private int position(int slot, String name) {
    for (int card = 0; card < count(slot); card++) {
      if (inventory[slot].id(card).equals(name)) {
        return card;
      }
    }
    return count(slot);
  }

  /** Returns the compute capacity of a card that pods hold, in thousandths. */
  public int usedMilliCores(int slot, int card) {
    return usedMilliCores[first[slot] + card];
  }

  /** Returns the memory of a card that pods hold, in MiB. */
  public long usedMemory(int slot, int card) {
    return usedMemory[first[slot] + card];
  }

  /** Returns the models of all cards. */
  public Set<String> models() {
    return models.inUse();
  }

  /** Returns the number in {@link FreeCards} of the model of a card that is not in this table. */
  public int acquireModel(String name) {
    return models.acquire(name);
  }

  /** Gives the number of a model back, once for each {@link #acquireModel}. */
  public void releaseModel(int id) {
    models.release(id);
  }

  /** Returns the name of a model by its number in {@link FreeCards}. */
  String modelName(int id) {
    return models.name(id);
  }

  /**
   * Returns whether the node has a card of one of these models, or of any if there are no names.
   */
  public boolean hasModelOf(int slot, Set<String> names) {
    for (int card = 0; card < count(slot); card++) {
      if (names.isEmpty() || names.contains(models.name(model[first[slot] + card]))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether the card is usable and of one of these models, or of any if there are no names.
   */
  boolean mayServe(int slot, int card, Set<String> names) {
    int at = first[slot] + card;
    return healthy[at] && (names.isEmpty() || names.contains(models.name(model[at])));
  }

  /** Returns the remaining capacity of a card. */
  CardRoom room(int slot, int card) {
    int at = first[slot] + card;
    return new CardRoom(
        milliCores[at], memory[at], slots[at], usedMilliCores[at], usedMemory[at], usedSlots[at]);
  }

  /** Replaces the cards of a node; no pod may hold any of them at this time. */
  public void put(int slot, CardInventory described) {
    journal.requireClosed("a change of a node's cards");
    growSlots(slot + 1);
    release(slot);
    inventory[slot] = described;
    requestedSums[slot] = new long[described.sums().size()];
    List<Card> cards = described.cards();
    if (cards.isEmpty()) {
      return;
    }
    nodes++;
    int start = acquire(cards.size());
    first[slot] = start;
    count[slot] = cards.size();
    Map<String, Integer> groups = new HashMap<>();
    for (int i = 0; i < cards.size(); i++) {
      Card card = cards.get(i);
      int at = start + i;
      int number = i;
      milliCores[at] = card.milliCores();
      memory[at] = card.memoryMebibytes();
      slots[at] = card.slots();
      model[at] = models.acquire(card.model());
      group[at] =
          card.group().isEmpty()
              ? NOT_LINKED
              : groups.computeIfAbsent(card.group(), absent -> number);
      numaNode[at] = card.numaNode();
      healthy[at] = card.healthy();
      memoryInAll += card.memoryMebibytes();
    }
    cardsInAll += cards.size();
  }

  private void release(int slot) {
    if (count[slot] == 0) {
      return;
    }
    nodes--;
    for (int at = first[slot]; at < first[slot] + count[slot]; at++) {
      models.release(model[at]);
      memoryInAll -= memory[at];
      usedMilliCores[at] = 0;
      usedMemory[at] = 0;
      usedSlots[at] = 0;
    }
    cardsInAll -= count[slot];
    freeRanges.computeIfAbsent(count[slot], size -> new ArrayDeque<>()).push(first[slot]);
    count[slot] = 0;
  }

  private int acquire(int cards) {
    Deque<Integer> free = freeRanges.get(cards);
    if (free != null && !free.isEmpty()) {
      return free.pop();
    }
    int start = end;
    end += cards;
    if (end > model.length) {
      int capacity = Math.max(64, end + end / 8);
      usedMilliCores = Arrays.copyOf(usedMilliCores, capacity);
      usedMemory = Arrays.copyOf(usedMemory, capacity);
      usedSlots = Arrays.copyOf(usedSlots, capacity);
      milliCores = Arrays.copyOf(milliCores, capacity);
      slots = Arrays.copyOf(slots, capacity);
      memory = Arrays.copyOf(memory, capacity);
      model = Arrays.copyOf(model, capacity);
      group = Arrays.copyOf(group, capacity);
      numaNode = Arrays.copyOf(numaNode, capacity);
      healthy = Arrays.copyOf(healthy, capacity);
    }
    return start;
  }

  private void growSlots(int slots) {
    if (slots > count.length) {
      int capacity = Math.max(slots, roomForSlots.getAsInt());
      first = Arrays.copyOf(first, capacity);
      count = Arrays.copyOf(count, capacity);
      unknownPods = Arrays.copyOf(unknownPods, capacity);
      awaitingPods = Arrays.copyOf(awaitingPods, capacity);
      awaitingWhole = Arrays.copyOf(awaitingWhole, capacity);
      inventory = Arrays.copyOf(inventory, capacity);
      requestedSums = Arrays.copyOf(requestedSums, capacity);
    }
  }

  /** Counts the cards as in use; cards that the node does not have are ignored. */
  public void take(int slot, HeldCards held) {
    add(slot, held, 1);
  }

  /** Counts the cards as free again. */
  public void giveBack(int slot, HeldCards held) {
    add(slot, held, -1);
  }

  private void add(int slot, HeldCards held, int sign) {
    write(slot, held, sign);
    journal.record(() -> write(slot, held, -sign));
  }

  private void write(int slot, HeldCards held, int sign) {
    for (int i = 0; i < held.size(); i++) {
      if (held.card(i) < count(slot)) {
        int at = first[slot] + held.card(i);
        CardRequest request = held.request(i);
        boolean whole = request.isWhole();
        usedMilliCores[at] += sign * (whole ? milliCores[at] : request.milliCores());
        usedMemory[at] += sign * (whole ? memory[at] : request.memoryOf(memory[at]));
        usedSlots[at] += sign;
      }
    }
  }

  /** Counts the sums that a pod requests, as far as the node reports them. */
  public void takeSums(int slot, PodCards demand) {
    addSums(slot, demand, 1);
  }

  /** Counts the sums that a pod requested no longer. */
  public void giveSumsBack(int slot, PodCards demand) {
    addSums(slot, demand, -1);
  }

  private void addSums(int slot, PodCards demand, int sign) {
    if (inventory(slot).sums().size() > 0 && demand.sums().size() > 0) {
      writeSums(slot, demand, sign);
      journal.record(() -> writeSums(slot, demand, -sign));
    }
  }

  private void writeSums(int slot, PodCards demand, int sign) {
    ResourceAmounts reported = inventory[slot].sums();
    for (int i = 0; i < reported.size(); i++) {
      requestedSums[slot][i] += sign * demand.sums().amountOf(reported.name(i));
    }
  }

  /**
   * Returns how many more pods with these requests the sums that the node reports allow; {@link
   * Integer#MAX_VALUE} if it reports none of them.
   */
  public int roomOfSums(int slot, PodCards demand) {
    return roomOfSums(slot, demand, true);
  }

  /** Returns whether the sums that the node reports allow such a pod on it if it has no other. */
  public boolean mayHoldSums(int slot, PodCards demand) {
    return roomOfSums(slot, demand, false) > 0;
  }

  private int roomOfSums(int slot, PodCards demand, boolean withOthers) {
    ResourceAmounts reported = inventory(slot).sums();
    long room = Integer.MAX_VALUE;
    for (int i = 0; i < reported.size(); i++) {
      long amount = demand.sums().amountOf(reported.name(i));
      if (amount > 0) {
        long free = reported.amount(i) - (withOthers ? requestedSums[slot][i] : 0);
        room = Math.min(room, Math.max(0, free) / amount);
      }
    }
    return (int) room;
  }

  /** Records that a pod with unknown cards is on the node. */
  public void close(int slot) {
    addUnknown(slot, 1);
  }

  /** Records that a pod with unknown cards has left the node. */
  public void reopen(int slot) {
    addUnknown(slot, -1);
  }

  private void addUnknown(int slot, int pods) {
    growSlots(slot + 1);
    unknownPods[slot] += pods;
    journal.record(() -> unknownPods[slot] -= pods);
  }

  /** Copies the free cards of the node. */
  public void read(int slot, FreeCards to) {
    int size = count(slot);
    to.begin(size, size > 0 && inventory[slot].order() == CardInventory.Order.FULLEST_FIRST);
    for (int i = 0; i < size; i++) {
      int at = first[slot] + i;
      to.set(i, milliCores[at], memory[at], slots[at], model[at], group[at], numaNode[at]);
      to.use(i, healthy[at], usedMilliCores[at], usedMemory[at], usedSlots[at]);
    }
  }
}
