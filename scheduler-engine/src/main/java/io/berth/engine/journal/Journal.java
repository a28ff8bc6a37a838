package io.berth.engine.journal;

import java.util.ArrayList;
import java.util.List;

/**
 * The journal of changes since a savepoint that may be undone: placed pods, nominations, planned
 * volumes, holdings. Each kind of change has its only undo here, so that dry runs, attempts beside
 * nominated pods, and groups use the same three operations.
 *
 * <p>Savepoints nest. Each is closed once, by {@link #rollback} or by {@link #keep}; closing one
 * closes those inside that are still open, in the same way. What is kept inside another savepoint
 * may still be taken back with that one. Outside of all savepoints nothing is recorded.
 */
public final class Journal {
  /** Takes one fact back. It is called with everything that came later already taken back. */
  @FunctionalInterface
  public interface Undo {
    void run();
  }

  /** A log of changes that can forget those that were taken back, where nobody has read them. */
  public interface Rewindable {
    /** The place that the log has come to. */
    long mark();

    /** Forgets what came after the mark, which has been taken back. */
    void rewind(long mark);
  }

  /** A point to go back to. */
  public static final class Savepoint {
    private final int depth;
    private final int entries;
    private final long[] marks;

    private Savepoint(int depth, int entries, long[] marks) {
      this.depth = depth;
      this.entries = entries;
      this.marks = marks;
    }
  }

  private final List<Undo> entries = new ArrayList<>();
  private final List<Savepoint> open = new ArrayList<>();
  private final List<Rewindable> logs = new ArrayList<>();
  private boolean undoing;

  /** From now on the log is rewound by every rollback. */
  public void rewinds(Rewindable log) {
    if (isOpen()) {
      throw new IllegalStateException("a savepoint is open");
    }
    logs.add(log);
  }

  /** From now on what is done can be taken back by {@link #rollback}. */
  public Savepoint savepoint() {
    if (undoing) {
      throw new IllegalStateException("no savepoint can be set while another is rolled back");
    }
    long[] marks = new long[logs.size()];
    for (int i = 0; i < marks.length; i++) {
      marks[i] = logs.get(i).mark();
    }
    Savepoint point = new Savepoint(open.size(), entries.size(), marks);
    open.add(point);
    return point;
  }

  /** Takes back what was done since the savepoint, the last first, and closes it. */
  public void rollback(Savepoint point) {
    close(point);
    undoing = true;
    try {
      while (entries.size() > point.entries) {
        entries.removeLast().run();
      }
    } finally {
      undoing = false;
    }
    for (int i = 0; i < point.marks.length; i++) {
      logs.get(i).rewind(point.marks[i]);
    }
  }

  /** Leaves what was done since the savepoint as it is, and closes it. */
  public void keep(Savepoint point) {
    close(point);
    if (open.isEmpty()) {
      entries.clear();
    }
  }

  private void close(Savepoint point) {
    if (point.depth >= open.size() || open.get(point.depth) != point) {
      throw new IllegalStateException("the savepoint is not open");
    }
    open.subList(point.depth, open.size()).clear();
  }

  /** Returns whether what is done now may be taken back. */
  public boolean isOpen() {
    return !open.isEmpty();
  }

  /** Returns whether facts are being undone at the moment: an undo must have no other effect. */
  public boolean isUndoing() {
    return undoing;
  }

  /** Records how to take back what was just done; outside of savepoints it is for good. */
  public void record(Undo undo) {
    if (!undoing && !open.isEmpty()) {
      entries.add(undo);
    }
  }

  /** Refuses what cannot be taken back while a savepoint is open. */
  public void requireClosed(String what) {
    if (isOpen()) {
      throw new IllegalStateException(what + " cannot be taken back: a savepoint is open");
    }
  }

  /** Returns the number of changes that can be undone now. */
  public int size() {
    return entries.size();
  }
}
