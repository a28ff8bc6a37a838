package io.berth.engine.state;

import io.berth.engine.journal.Journal;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * The log of changed node slots. A reader remembers {@link #head()} as of its last look and later
 * visits each slot that changed since then, once.
 *
 * <p>Recent changes are in a ring; a reader that comes too late for it scans the time stamps of all
 * slots instead, so that nothing is ever missed and memory does not grow with the changes.
 */
public final class ChangeLog implements Journal.Rewindable {
  private static final int RING = 1 << 12;

  private final int[] ring = new int[RING];
  private final long[] stampBefore = new long[RING];
  private long[] stamps = new long[0];
  private long head;
  private long seen;

  /** The number of changes so far, for a reader that has seen them all or needs none of them. */
  public long head() {
    seen = head;
    return head;
  }

  /** Names the slot's last change: as long as it stays the same, the slot has not changed. */
  public long stampOf(int slot) {
    seen = head;
    return slot < stamps.length ? stamps[slot] : 0;
  }

  @Override
  public long mark() {
    return head;
  }

  /** The slot has changed. */
  public void add(int slot) {
    if (slot >= stamps.length) {
      stamps = Arrays.copyOf(stamps, Math.max(slot + 1, stamps.length * 2));
    }
    int at = (int) head & (RING - 1);
    ring[at] = slot;
    stampBefore[at] = stamps[slot];
    stamps[slot] = ++head;
  }

  /**
   * Visits each slot that changed after {@code since} once, in no particular order.
   *
   * @return the head, to be passed the next time
   */
  public long visit(long since, IntConsumer visitor) {
    seen = head;
    long missed = head - since;
    if (missed == 0) {
      return head;
    }
    if (missed > RING || missed > stamps.length / 2) {
      for (int slot = 0; slot < stamps.length; slot++) {
        if (stamps[slot] > since) {
          visitor.accept(slot);
        }
      }
    } else {
      for (long i = since; i < head; i++) {
        int slot = ring[(int) i & (RING - 1)];
        if (stamps[slot] == i + 1) {
          visitor.accept(slot);
        }
      }
    }
    return head;
  }

  /** Rewinds the log; changes that a reader has already seen stay, and are visited once more. */
  @Override
  public void rewind(long mark) {
    if (seen > mark || head - mark > RING) {
      return;
    }
    while (head > mark) {
      head--;
      int at = (int) head & (RING - 1);
      stamps[ring[at]] = stampBefore[at];
    }
  }
}
