package io.berth.engine.cards;

import io.berth.engine.model.Card;
import io.berth.engine.model.CardRequest;
import java.util.Arrays;

/** The free parts of the cards of one node: a modifiable copy for dry runs. */
public final class FreeCards {
  private int size;
  private boolean fullestFirst;
  private int[] milliCores = {};
  private int[] totalMilliCores = {};
  private long[] memory = {};
  private long[] totalMemory = {};
  private int[] slots = {};
  private int[] totalSlots = {};
  private boolean[] untouched = {};
  private boolean[] healthy = {};
  private int[] share = {};
  private int[] model = {};
  private int[] group = {};
  private int[] numaNode = {};
  private boolean uniform;

  void begin(int cards, boolean chosenByAgent) {
    size = cards;
    fullestFirst = chosenByAgent;
    uniform = true;
    if (cards > share.length) {
      int capacity = Math.max(16, cards);
      milliCores = new int[capacity];
      totalMilliCores = new int[capacity];
      memory = new long[capacity];
      totalMemory = new long[capacity];
      slots = new int[capacity];
      totalSlots = new int[capacity];
      untouched = new boolean[capacity];
      healthy = new boolean[capacity];
      share = new int[capacity];
      model = new int[capacity];
      group = new int[capacity];
      numaNode = new int[capacity];
    }
  }

  /** Removes all cards, to describe others with {@link #append}. */
  public void clear() {
    begin(0, false);
  }

  /**
   * Appends a card that can be taken in parts, or a part of one.
   *
   * @param milliFree the free part, in thousandths of a card
   * @param isUntouched whether it is a whole card of which no pod holds any part
   * @param modelId the number of the model in the table of cards
   * @param groupId the number of the link group; negative if it has no links
   * @param numa the NUMA node; negative if it is not known
   */
  public void append(int milliFree, boolean isUntouched, int modelId, int groupId, int numa) {
    if (size == share.length) {
      FreeCards before = new FreeCards();
      before.copy(this);
      begin(Math.max(16, size * 2), false);
      copy(before);
    }
    size++;
    set(size - 1, Card.MILLI_CORES, 0, 0, modelId, groupId, numa);
    use(size - 1, true, Card.MILLI_CORES - milliFree, 0, isUntouched ? 0 : 1);
  }

  /** Sets the properties of a card; 0 slots means no limit. */
  void set(
      int card,
      int milliCoresOfAll,
      long memoryMebibytes,
      int slotLimit,
      int modelId,
      int groupId,
      int numa) {
    totalMilliCores[card] = milliCoresOfAll;
    totalMemory[card] = memoryMebibytes;
    totalSlots[card] = slotLimit == 0 ? Integer.MAX_VALUE : slotLimit;
    model[card] = modelId;
    group[card] = groupId;
    numaNode[card] = numa;
    uniform &= modelId == model[0];
  }

  /** Sets the usage of a card. */
  void use(int card, boolean isHealthy, int usedMilliCores, long usedMemory, int usedSlots) {
    healthy[card] = isHealthy;
    milliCores[card] = isHealthy ? Math.max(0, totalMilliCores[card] - usedMilliCores) : 0;
    memory[card] = isHealthy ? Math.max(0, totalMemory[card] - usedMemory) : 0;
    slots[card] = isHealthy ? Math.max(0, totalSlots[card] - usedSlots) : 0;
    untouched[card] = isHealthy && usedMilliCores == 0 && usedMemory == 0 && usedSlots == 0;
    measure(card);
  }

  private void measure(int card) {
    if (slots[card] == 0) {
      share[card] = 0;
      return;
    }
    long ofMemory =
        totalMemory[card] == 0
            ? Card.MILLI_CORES
            : memory[card] * Card.MILLI_CORES / totalMemory[card];
    int total = totalMilliCores[card];
    int ofCores =
        total == Card.MILLI_CORES || total == 0
            ? milliCores[card]
            : (int) ((long) milliCores[card] * Card.MILLI_CORES / total);
    share[card] = (int) Math.min(ofCores, ofMemory);
  }

  /** Replaces the content with that of the other. */
  void copy(FreeCards other) {
    begin(other.size, other.fullestFirst);
    uniform = other.uniform;
    System.arraycopy(other.milliCores, 0, milliCores, 0, size);
    System.arraycopy(other.totalMilliCores, 0, totalMilliCores, 0, size);
    System.arraycopy(other.slots, 0, slots, 0, size);
    System.arraycopy(other.totalSlots, 0, totalSlots, 0, size);
    System.arraycopy(other.memory, 0, memory, 0, size);
    System.arraycopy(other.totalMemory, 0, totalMemory, 0, size);
    System.arraycopy(other.untouched, 0, untouched, 0, size);
    System.arraycopy(other.healthy, 0, healthy, 0, size);
    System.arraycopy(other.share, 0, share, 0, size);
    System.arraycopy(other.model, 0, model, 0, size);
    System.arraycopy(other.group, 0, group, 0, size);
    System.arraycopy(other.numaNode, 0, numaNode, 0, size);
  }

  /** Frees everything that pods hold. */
  public void empty() {
    for (int card = 0; card < size; card++) {
      if (healthy[card]) {
        use(card, true, 0, 0, 0);
      }
    }
  }

  /** Returns the number of cards of the node. */
  public int size() {
    return size;
  }

  /**
   * Returns the free part of each card, in thousandths: of its compute capacity or of its memory,
   * whichever is less.
   */
  int[] shares() {
    return share;
  }

  /** Returns the free part of one card, in the same way. */
  public int share(int card) {
    return share[card];
  }

  /** Returns the free part of all cards, in thousandths of one card. */
  public int total() {
    int total = 0;
    for (int card = 0; card < size; card++) {
      total += share[card];
    }
    return total;
  }

  int milliCores(int card) {
    return milliCores[card];
  }

  /** Returns the free memory of a card, in MiB. */
  long memory(int card) {
    return memory[card];
  }

  /** Returns whether the card is usable and no pod holds any part of it. */
  public boolean isUntouched(int card) {
    return untouched[card];
  }

  int model(int card) {
    return model[card];
  }

  /** Returns the number of the card's link group; negative if it has no links. */
  int group(int card) {
    return group[card];
  }

  int numaNode(int card) {
    return numaNode[card];
  }

  /** Returns whether all cards have the same model. */
  boolean isUniform() {
    return uniform;
  }

  /** Returns whether two cards have the same free capacity, model and links. */
  boolean areAlike(int one, int other) {
    return milliCores[one] == milliCores[other]
        && memory[one] == memory[other]
        && totalMilliCores[one] == totalMilliCores[other]
        && totalMemory[one] == totalMemory[other]
        && slots[one] == slots[other]
        && untouched[one] == untouched[other]
        && model[one] == model[other]
        && group[one] == group[other]
        && numaNode[one] == numaNode[other];
  }

  /** Returns whether the agent chooses the cards by itself, the fullest first. */
  boolean isFullestFirst() {
    return fullestFirst;
  }

  /**
   * Returns whether the requested share is free on the card. If all compute capacity is taken, the
   * memory cannot be used either.
   */
  boolean fits(CardRequest request, int card) {
    return healthy[card]
        && slots[card] > 0
        && milliCores[card] >= Math.max(1, request.milliCores())
        && memory[card] >= request.memoryOf(totalMemory[card]);
  }

  /** Returns the number of times that the share fits on the card. */
  int times(CardRequest request, int card) {
    if (request.isWhole()) {
      return untouched[card] ? 1 : 0;
    }
    if (!fits(request, card)) {
      return 0;
    }
    long times = Math.min(slots[card], milliCores[card] / Math.max(1, request.milliCores()));
    long ofMemory = request.memoryOf(totalMemory[card]);
    return (int) (ofMemory == 0 ? times : Math.min(times, memory[card] / ofMemory));
  }

  /** Takes a share of the card, or the whole card. */
  void take(CardRequest request, int card) {
    if (request.isWhole()) {
      milliCores[card] = 0;
      memory[card] = 0;
    } else {
      milliCores[card] -= request.milliCores();
      memory[card] -= request.memoryOf(totalMemory[card]);
    }
    slots[card]--;
    untouched[card] = false;
    measure(card);
  }

  /** Releases a share. */
  void giveBack(CardRequest share, int card, boolean wasUntouched) {
    milliCores[card] += share.milliCores();
    memory[card] += share.memoryOf(totalMemory[card]);
    slots[card]++;
    untouched[card] = wasUntouched;
    measure(card);
  }

  @Override
  public String toString() {
    return Arrays.toString(Arrays.copyOf(share, size));
  }
}
