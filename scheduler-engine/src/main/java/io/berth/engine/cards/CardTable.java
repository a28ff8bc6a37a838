package io.berth.engine.cards;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.Card;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The GPU cards of all nodes, in columns: the cards of one node are next to each other.
 *
 * <p>What pods hold of a card is a sum that may exceed the card: pods of others, or a card that
 * shrank. Then nothing of it is free. A node with a pod whose cards are not known is closed to pods
 * that ask for cards, as any of them may be taken.
 */
public final class CardTable {
  private static final int NOT_LINKED = -1;

  private final Journal journal;
  private final CardModels models = new CardModels();
  private final Map<Integer, Deque<Integer>> freeRanges = new HashMap<>();
  private int nodes;
  private int end;

  // By slot.
  private int[] first = {};
  private int[] count = {};
  private int[] unknownPods = {};

  // By position of the card.
  private int[] usedMilliCores = {};
  private long[] usedMemory = {};
  private long[] memory = {};
  private int[] model = {};
  private int[] group = {};
  private int[] numaNode = {};
  private boolean[] healthy = {};

  public CardTable(Journal journal) {
    this.journal = journal;
  }

  /** How many nodes have cards that are described. */
  public int nodes() {
    return nodes;
  }

  /** How many cards the node has; 0 where nobody has described them. */
  public int count(int slot) {
    return slot < count.length ? count[slot] : 0;
  }

  /** Whether a pod is on the node whose cards are not known. */
  public boolean isClosed(int slot) {
    return slot < unknownPods.length && unknownPods[slot] > 0;
  }

  /** How much of a card's computing power pods hold, in thousandths. */
  public int usedMilliCores(int slot, int card) {
    return usedMilliCores[first[slot] + card];
  }

  /** How much of a card's memory pods hold, in MiB. */
  public long usedMemory(int slot, int card) {
    return usedMemory[first[slot] + card];
  }

  /** The models of all cards. */
  public Set<String> models() {
    return models.inUse();
  }

  /** The name of a model by its number in {@link FreeCards}. */
  String modelName(int id) {
    return models.name(id);
  }

  /** Whether the node has a card of one of these models; of any where none is named. */
  public boolean hasModelOf(int slot, Set<String> names) {
    for (int card = 0; card < count(slot); card++) {
      if (names.isEmpty() || names.contains(models.name(model[first[slot] + card]))) {
        return true;
      }
    }
    return false;
  }

  /** Replaces the cards of a node, of which no pod may hold anything at this time. */
  public void put(int slot, List<Card> cards) {
    journal.requireClosed("a change of a node's cards");
    growSlots(slot + 1);
    release(slot);
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
      memory[at] = card.memoryMebibytes();
      model[at] = models.acquire(card.model());
      group[at] =
          card.group().isEmpty()
              ? NOT_LINKED
              : groups.computeIfAbsent(card.group(), absent -> number);
      numaNode[at] = card.numaNode();
      healthy[at] = card.healthy();
    }
  }

  private void release(int slot) {
    if (count[slot] == 0) {
      return;
    }
    nodes--;
    for (int at = first[slot]; at < first[slot] + count[slot]; at++) {
      models.release(model[at]);
      usedMilliCores[at] = 0;
      usedMemory[at] = 0;
    }
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
      int capacity = Math.max(64, end * 3 / 2);
      usedMilliCores = Arrays.copyOf(usedMilliCores, capacity);
      usedMemory = Arrays.copyOf(usedMemory, capacity);
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
      int capacity = Math.max(64, slots * 3 / 2);
      first = Arrays.copyOf(first, capacity);
      count = Arrays.copyOf(count, capacity);
      unknownPods = Arrays.copyOf(unknownPods, capacity);
    }
  }

  /** Counts the cards as held; those that the node does not have are left out. */
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
        usedMilliCores[at] += sign * held.milliCores(i);
        usedMemory[at] += sign * (held.isWhole(i) ? memory[at] : held.memory(i));
      }
    }
  }

  /** A pod is on the node whose cards are not known. */
  public void close(int slot) {
    addUnknown(slot, 1);
  }

  /** A pod whose cards are not known has left the node. */
  public void reopen(int slot) {
    addUnknown(slot, -1);
  }

  private void addUnknown(int slot, int pods) {
    growSlots(slot + 1);
    unknownPods[slot] += pods;
    journal.record(() -> unknownPods[slot] -= pods);
  }

  /** Copies what is free on the node. */
  public void read(int slot, FreeCards to) {
    int size = count(slot);
    to.begin(size);
    for (int i = 0; i < size; i++) {
      int at = first[slot] + i;
      to.set(
          i,
          healthy[at],
          usedMilliCores[at],
          memory[at],
          usedMemory[at],
          model[at],
          group[at],
          numaNode[at]);
    }
  }
}
