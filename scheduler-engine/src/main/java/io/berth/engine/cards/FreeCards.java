package io.berth.engine.cards;

import io.berth.engine.model.Card;
import io.berth.engine.model.CardRequest;
import java.util.Arrays;

/**
 * What is free on the cards of one node: a copy that may be changed, to try out what pods would
 * leave.
 */
public final class FreeCards {
  private int size;
  private int[] milliCores = {};
  private long[] memory = {};
  private long[] totalMemory = {};
  private boolean[] untouched = {};
  private boolean[] healthy = {};
  private int[] share = {};
  private int[] model = {};
  private int[] group = {};
  private int[] numaNode = {};
  private boolean uniform;

  void begin(int cards) {
    size = cards;
    uniform = true;
    if (cards > share.length) {
      int capacity = Math.max(16, cards);
      milliCores = new int[capacity];
      memory = new long[capacity];
      totalMemory = new long[capacity];
      untouched = new boolean[capacity];
      healthy = new boolean[capacity];
      share = new int[capacity];
      model = new int[capacity];
      group = new int[capacity];
      numaNode = new int[capacity];
    }
  }

  void set(
      int card,
      boolean isHealthy,
      int usedMilliCores,
      long memoryMebibytes,
      long usedMemory,
      int modelId,
      int groupId,
      int numa) {
    healthy[card] = isHealthy;
    milliCores[card] = isHealthy ? Math.max(0, Card.MILLI_CORES - usedMilliCores) : 0;
    memory[card] = isHealthy ? Math.max(0, memoryMebibytes - usedMemory) : 0;
    totalMemory[card] = memoryMebibytes;
    untouched[card] = isHealthy && usedMilliCores == 0 && usedMemory == 0;
    model[card] = modelId;
    group[card] = groupId;
    numaNode[card] = numa;
    uniform &= modelId == model[0];
    measure(card);
  }

  private void measure(int card) {
    long ofMemory =
        totalMemory[card] == 0
            ? Card.MILLI_CORES
            : memory[card] * Card.MILLI_CORES / totalMemory[card];
    share[card] = (int) Math.min(milliCores[card], ofMemory);
  }

  /** Becomes a copy of the other. */
  void copy(FreeCards other) {
    begin(other.size);
    uniform = other.uniform;
    System.arraycopy(other.milliCores, 0, milliCores, 0, size);
    System.arraycopy(other.memory, 0, memory, 0, size);
    System.arraycopy(other.totalMemory, 0, totalMemory, 0, size);
    System.arraycopy(other.untouched, 0, untouched, 0, size);
    System.arraycopy(other.healthy, 0, healthy, 0, size);
    System.arraycopy(other.share, 0, share, 0, size);
    System.arraycopy(other.model, 0, model, 0, size);
    System.arraycopy(other.group, 0, group, 0, size);
    System.arraycopy(other.numaNode, 0, numaNode, 0, size);
  }

  /** Makes everything free that pods hold. */
  public void empty() {
    for (int card = 0; card < size; card++) {
      if (healthy[card]) {
        milliCores[card] = Card.MILLI_CORES;
        memory[card] = totalMemory[card];
        untouched[card] = true;
        measure(card);
      }
    }
  }

  /** How many cards the node has. */
  public int size() {
    return size;
  }

  /**
   * How much of each card is free, in thousandths: of its computing power or of its memory,
   * whichever is less.
   */
  int[] shares() {
    return share;
  }

  /** How much of all cards is free, in thousandths of one card. */
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

  /** In MiB. */
  long memory(int card) {
    return memory[card];
  }

  /** Whether the card is usable and no pod holds anything of it. */
  boolean isUntouched(int card) {
    return untouched[card];
  }

  int model(int card) {
    return model[card];
  }

  /** The number that all cards have which are linked with this one; negative where none is. */
  int group(int card) {
    return group[card];
  }

  int numaNode(int card) {
    return numaNode[card];
  }

  /** Whether all cards are of one model. */
  boolean isUniform() {
    return uniform;
  }

  /** Whether two cards have the same left, of the same model, and are linked alike. */
  boolean areAlike(int one, int other) {
    return milliCores[one] == milliCores[other]
        && memory[one] == memory[other]
        && untouched[one] == untouched[other]
        && model[one] == model[other]
        && group[one] == group[other]
        && numaNode[one] == numaNode[other];
  }

  /** Whether the share that is asked for is free on the card. */
  boolean fits(CardRequest request, int card) {
    return healthy[card]
        && milliCores[card] >= request.milliCores()
        && memory[card] >= request.memoryMebibytes();
  }

  /** Takes a share of the card, or all of it. */
  void take(CardRequest request, int card) {
    if (request.isWhole()) {
      milliCores[card] = 0;
      memory[card] = 0;
    } else {
      milliCores[card] -= request.milliCores();
      memory[card] -= request.memoryMebibytes();
    }
    untouched[card] = false;
    measure(card);
  }

  /** Gives a share back. */
  void giveBack(CardRequest share, int card, boolean wasUntouched) {
    milliCores[card] += share.milliCores();
    memory[card] += share.memoryMebibytes();
    untouched[card] = wasUntouched;
    measure(card);
  }

  @Override
  public String toString() {
    return Arrays.toString(Arrays.copyOf(share, size));
  }
}
