package io.berth.engine.cards;

import io.berth.engine.model.CardRequest;

/**
 * One card and its usage by pods.
 *
 * @param slots the maximum number of holders; 0 for any number
 */
record CardRoom(
    int milliCores, long memory, int slots, int usedMilliCores, long usedMemory, int usedSlots) {

  /** Returns whether the card has enough left for the request. */
  boolean has(CardRequest request) {
    return request.isWhole()
        ? usedMilliCores == 0 && usedMemory == 0 && usedSlots == 0
        : lackingCores(request) <= 0 && lackingMemory(request) <= 0 && lackingSlots() <= 0;
  }

  /**
   * Returns the missing compute capacity; if all of it is taken, the memory cannot be used either.
   */
  long lackingCores(CardRequest request) {
    return (long) usedMilliCores + Math.max(1, request.milliCores()) - milliCores;
  }

  long lackingMemory(CardRequest request) {
    return usedMemory + request.memoryOf(memory) - memory;
  }

  long lackingSlots() {
    return slots == 0 ? 0 : usedSlots + 1L - slots;
  }

  /** Returns the part of the compute capacity that this request holds. */
  long coresOf(CardRequest held) {
    return held.isWhole() ? milliCores : held.milliCores();
  }

  long memoryOf(CardRequest held) {
    return held.isWhole() ? memory : held.memoryOf(memory);
  }
}
