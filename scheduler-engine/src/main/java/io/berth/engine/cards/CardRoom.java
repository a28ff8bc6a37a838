package io.berth.engine.cards;

import io.berth.engine.model.CardRequest;

/**
 * One card with what pods hold of it.
 *
 * @param slots how many parts it can be held in; 0 for any number
 */
record CardRoom(
    int milliCores, long memory, int slots, int usedMilliCores, long usedMemory, int usedSlots) {

  /** Returns whether the request finds its part of the card. */
  boolean has(CardRequest request) {
    return request.isWhole()
        ? usedMilliCores == 0 && usedMemory == 0 && usedSlots == 0
        : lackingCores(request) <= 0 && lackingMemory(request) <= 0 && lackingSlots() <= 0;
  }

  /** The computing power that is missing; where all of it is taken, nobody can use the memory. */
  long lackingCores(CardRequest request) {
    return (long) usedMilliCores + Math.max(1, request.milliCores()) - milliCores;
  }

  long lackingMemory(CardRequest request) {
    return usedMemory + request.memoryOf(memory) - memory;
  }

  long lackingSlots() {
    return slots == 0 ? 0 : usedSlots + 1L - slots;
  }

  /** The part of the computing power that the holder of this request has. */
  long coresOf(CardRequest held) {
    return held.isWhole() ? milliCores : held.milliCores();
  }

  long memoryOf(CardRequest held) {
    return held.isWhole() ? memory : held.memoryOf(memory);
  }
}
