package io.berth.engine.state;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A cache of answers with shared users. Each answer is computed once, is refreshed by its readers
 * when they read it, and is kept as long as it is in use.
 */
public final class SharedAnswers {

  /** A cached result that is expensive to compute. */
  public interface Answer {
    /**
     * Returns its approximate memory now, in bytes, without other answers that it shares. An answer
     * that grows calls {@link #resized}.
     */
    long bytes();

    /** Releases the resources that it uses itself. */
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

  /** The inverse of the share of the limit that dry runs may use beside plans. */
  private static final int SHARE_OF_DRY_RUNS = 8;

  private final CacheLimit limit;
  private final CacheLimit.Use use;
  private final Map<Object, Held> held = new HashMap<>();

  /** The same entries by answer, to find one without computing the hash of its question. */
  private final IdentityHashMap<Answer, Held> byAnswer = new IdentityHashMap<>();

  private long bytes;
  private long planBytes;
  private long dryRunBytes;

  /**
   * @param limit the limit for all answers, possibly shared with other engines
   */
  SharedAnswers(CacheLimit limit) {
    this.limit = limit;
    this.use = limit.open();
  }

  /** Returns the memory that all cached data uses now, in bytes. */
  public long bytes() {
    return bytes;
  }

  /** Returns the part of {@link #bytes} that belongs to plans. */
  public long planBytes() {
    return planBytes;
  }

  /** Returns the part of {@link #bytes} that belongs to dry runs of preemption. */
  public long dryRunBytes() {
    return dryRunBytes;
  }

  /** Returns the memory that all engines with the same limit use now, in bytes. */
  public long bytesOfAllEngines() {
    use.set(bytes);
    return limit.used();
  }

  /** Updates the charge for the answer to its current size. */
  public void resized(Answer answer) {
    Held entry = byAnswer.get(answer);
    // An answer that is still being created is charged when it is complete.
    if (entry != null) {
      long now = entry.answer.bytes();
      bytes += now - entry.bytes;
      entry.bytes = now;
    }
  }

  /** Returns whether this answer is the cached one for its question. */
  public boolean holds(Answer answer) {
    return byAnswer.containsKey(answer);
  }

  /** Charges this much more memory for plans and what belongs to them; less if negative. */
  public void charge(long delta) {
    bytes += delta;
    planBytes += delta;
  }

  /** Charges this much more memory for dry runs of preemption; less if negative. */
  public void chargeDryRuns(long delta) {
    bytes += delta;
    dryRunBytes += delta;
  }

  /** Returns whether all answers together exceed the limit. */
  public boolean isFull() {
    use.set(bytes);
    return limit.isExceededBy(use);
  }

  /**
   * Returns whether dry runs take more memory than they may: they are worth it only if another
   * preemptor of the kind comes soon, and plans are used by every pod.
   */
  public boolean hasTooManyDryRuns() {
    return dryRunBytes > limit.bytes() / SHARE_OF_DRY_RUNS;
  }

  /** Returns the number of cached answers. */
  public int size() {
    return held.size();
  }

  /**
   * Returns the answer to this question; every call requires one {@link #release} with the same
   * key.
   *
   * @param key the question, with everything that the answer depends on except the state; its class
   *     must belong to one kind of answer, so that keys of different kinds are never equal
   */
  @SuppressWarnings("unchecked") // each class of keys belongs to one class of answers
  public <T extends Answer> T acquire(Object key, Supplier<T> workOut) {
    Held entry = held.get(key);
    if (entry == null) {
      T answer = workOut.get();
      entry = new Held(answer);
      held.put(key, entry);
      byAnswer.put(answer, entry);
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
      byAnswer.remove(entry.answer);
      bytes -= entry.bytes;
      entry.answer.close();
    }
  }
}
