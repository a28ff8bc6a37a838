package io.berth.engine.journal;

import java.util.ArrayList;
import java.util.List;

/**
 * A journal of changes that can be undone: placed pods, nominations, planned volumes, holdings. Dry
 * runs, attempts that take nominated pods into account, and groups all use its three operations.
 *
 * <p>Savepoints nest. Each is closed once, by {@link #rollback} or by {@link #keep}; closing one
 * also closes the open ones inside it, in the same way. Changes that are kept in an inner savepoint
 * can still be undone with the outer one. Outside savepoints, nothing is recorded.
 */
public final class Journal {
  /** Undoes one change. Called after all later changes have been undone. */
  @FunctionalInterface
  public interface Undo {
    void run();
  }

  /** A log of changes that can drop undone changes that no reader has seen yet. */
  public interface Rewindable {
    /** Returns the current position of the log. */
    long mark();

    /** Drops the entries after the mark, whose changes have been undone. */
    void rewind(long mark);
  }

  /** A position in the journal to return to. */
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

  /** The number of savepoints that were opened outside of others. */
  private long outermost;

  /** Registers a log that every rollback rewinds. */
  public void rewinds(Rewindable log) {
    if (isOpen()) {
      throw new IllegalStateException("a savepoint is open");
    }
    logs.add(log);
  }

  /** Opens a savepoint: later changes can be undone by {@link #rollback}. */
  public Savepoint savepoint() {
    if (undoing) {
      throw new IllegalStateException("no savepoint can be set while another is rolled back");
    }
    long[] marks = new long[logs.size()];
    for (int i = 0; i < marks.length; i++) {
      marks[i] = logs.get(i).mark();
    }
    if (open.isEmpty()) {
      outermost++;
    }
    Savepoint point = new Savepoint(open.size(), entries.size(), marks);
    open.add(point);
    return point;
  }

  /** Undoes the changes since the savepoint, the latest first, and closes it. */
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

  /** Keeps the changes since the savepoint, and closes it. */
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

  /** Returns whether changes can currently be undone. */
  public boolean isOpen() {
    return !open.isEmpty();
  }

  /** Returns the number of the open savepoint that is inside no other; 0 if none is open. */
  public long outermost() {
    return open.isEmpty() ? 0 : outermost;
  }

  /** Returns whether a rollback is in progress: an undo must not have other effects. */
  public boolean isUndoing() {
    return undoing;
  }

  /** Records how to undo a change that was just made; outside of savepoints, changes are final. */
  public void record(Undo undo) {
    if (!undoing && !open.isEmpty()) {
      entries.add(undo);
    }
  }

  /** Throws if a savepoint is open, for changes that cannot be undone. */
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
