package io.berth.engine.state;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Answers that several users share: each is worked out once, is brought up to date by whoever reads
 * it, and lives as long as somebody uses it.
 */
public final class Answers {

  /** Something that is remembered because it is dear to work out. */
  public interface Answer {
    /** About how much memory it takes with this many node slots. */
    long bytes(int slots);

    /** Lets go of what it uses itself. */
    void close();
  }

  private static final class Held {
    final Answer answer;
    final long bytes;
    int uses;

    Held(Answer answer, long bytes) {
      this.answer = answer;
      this.bytes = bytes;
    }
  }

  private final long capacityBytes;
  private final IntSupplier slots;
  private final Map<Object, Held> held = new HashMap<>();
  private long bytes;

  Answers(long capacityBytes, IntSupplier slots) {
    this.capacityBytes = capacityBytes;
    this.slots = slots;
  }

  /** Whether all answers together take more memory than they may. */
  public boolean isFull() {
    return bytes > capacityBytes;
  }

  /** How many answers are held. */
  public int size() {
    return held.size();
  }

  /**
   * The answer to this question; every call needs one {@link #release} with the same key.
   *
   * @param key the question, with all that the answer depends on but the state; its class must be
   *     the answer's own, so that no two kinds of answers have equal keys
   */
  @SuppressWarnings("unchecked") // a key's class belongs to one class of answers
  public <T extends Answer> T acquire(Object key, Supplier<T> workOut) {
    Held entry = held.get(key);
    if (entry == null) {
      T answer = workOut.get();
      entry = new Held(answer, answer.bytes(slots.getAsInt()));
      held.put(key, entry);
      bytes += entry.bytes;
    }
    entry.uses++;
    return (T) entry.answer;
  }

  public void release(Object key) {
    Held entry = held.get(key);
    if (entry == null) {
      throw new IllegalStateException("not held: " + key);
    }
    if (--entry.uses == 0) {
      held.remove(key);
      bytes -= entry.bytes;
      entry.answer.close();
    }
  }
}
