package io.berth.engine.state;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Answers that several users share: each is worked out once, is brought up to date by its readers
 * as they read it, and lives as long as somebody uses it.
 */
public final class Answers {

  /** Something that is remembered because it is expensive to compute. */
  public interface Answer {
    /**
     * About how much memory it takes now, what it shares with other answers not included. An answer
     * that grows says so by {@link #resized}.
     */
    long bytes();

    /** Lets go of what it uses itself. */
    void close();
  }

  private static final class Held {
    final Answer answer;
    long bytes;
    int uses;

    Held(Answer answer) {
      this.answer = answer;
      this.bytes = answer.bytes();
    }
  }

  /** On more nodes than these the capacity is in proportion: columns have a place for each node. */
  private static final int NODES_OF_LEAST_CAPACITY = 1 << 14;

  private final long leastCapacityBytes;
  private final NodeTable nodes;
  private final Map<Object, Held> held = new HashMap<>();
  private long bytes;

  /**
   * @param leastCapacityBytes about how much memory they may take; more where there are many nodes
   */
  Answers(long leastCapacityBytes, NodeTable nodes) {
    this.leastCapacityBytes = leastCapacityBytes;
    this.nodes = nodes;
  }

  /** Returns the memory that all remembered data uses now. */
  public long bytes() {
    return bytes;
  }

  /** The answer to this question has grown or shrunk: it is charged for what it holds now. */
  public void resized(Object key) {
    Held entry = held.get(key);
    // While it is being made it is not held yet, and is charged when it is.
    if (entry != null) {
      long now = entry.answer.bytes();
      bytes += now - entry.bytes;
      entry.bytes = now;
    }
  }

  /** Returns whether this is the answer that is held for the question. */
  public boolean holds(Object key, Answer answer) {
    Held entry = held.get(key);
    return entry != null && entry.answer == answer;
  }

  /** Something else that is remembered takes so much more memory; less where negative. */
  public void charge(long delta) {
    bytes += delta;
  }

  /** Returns whether all answers together take more memory than they may. */
  public boolean isFull() {
    return (double) bytes * NODES_OF_LEAST_CAPACITY
        > (double) leastCapacityBytes * Math.max(NODES_OF_LEAST_CAPACITY, nodes.slots());
  }

  /** Returns the number of remembered answers. */
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
      entry = new Held(answer);
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
