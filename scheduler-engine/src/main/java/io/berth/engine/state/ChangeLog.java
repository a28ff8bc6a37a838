package io.berth.engine.state;

import io.berth.engine.journal.Journal;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * A log of changed node slots. A reader keeps {@link #head()} from its last visit, and later visits
 * each slot that changed since then once.
 *
 * <p>Recent changes are kept in a ring. A reader that falls behind the ring scans the stamps of all
 * slots instead, so that no change is missed and memory does not grow with the number of changes.
 */
public final class ChangeLog implements Journal.Rewindable {
  private static final int RING = 1 << 12;

  private final int[] ring = new int[RING];
  private final long[] stampBefore = new long[RING];
  private long[] stamps = new long[0];
  private long head;
  private long seen;

  /** Returns the number of changes so far, for readers that are up to date. */
  public long head() {
    seen = head;
    return head;
  }

  /** Returns the stamp of the slot's last change: the slot is unchanged as long as its stamp is. */
  public long stampOf(int slot) {
    seen = head;
    return slot < stamps.length ? stamps[slot] : 0;
  }

  @Override
  public long mark() {
    return head;
  }

  /** Records a change of the slot. */
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

  /** Rewinds the log. Changes that a reader has already visited stay, and are visited once more. */
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
