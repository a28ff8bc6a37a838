package io.berth.operator.record;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The latest changes of a set of objects, numbered by versions, up to a number of changes. The
 * owner guards it by a lock.
 *
 * <p>Versions begin with the time, in milliseconds with 20 more bits. So those of different logs
 * differ: a log that began earlier has reached none of them, as long as fewer than a million
 * changes happen within a millisecond, and one that began later does not know them any more.
 *
 * @param <T> an object as it was after a change
 */
public final class ChangeLog<T> {
  private static final int BITS_BELOW_MILLIS = 20;

  private final int capacity;
  private final InstantSource clock;
  private final List<Change<T>> ring = new ArrayList<>();
  private long began;
  private long version;

  /**
   * A change.
   *
   * @param before the object before it; null if there was none
   * @param after the object after it; null if it is gone
   */
  public record Change<T>(long version, @Nullable T before, @Nullable T after) {

    /** Returns the type of the event about it. */
    public String type() {
      if (before == null) {
        return "ADDED";
      }
      return after == null ? "DELETED" : "MODIFIED";
    }

    /** Returns the object: the last state of one that is gone. */
    public T object() {
      T last = after == null ? before : after;
      if (last == null) {
        throw new IllegalStateException("a change has an object before or after it");
      }
      return last;
    }
  }

  /**
   * Some changes in a row.
   *
   * @param version the version that they lead to
   * @param more whether there are later changes
   */
  public record Part<T>(long version, boolean more, List<Change<T>> changes) {
    public Part {
      changes = List.copyOf(changes);
    }
  }

  /**
   * @param capacity the number of changes that are kept
   */
  public ChangeLog(int capacity, InstantSource clock) {
    this.capacity = capacity;
    this.clock = clock;
    begin();
  }

  /** Forgets all changes, and makes all versions invalid that were given so far. */
  public void begin() {
    ring.clear();
    began = Math.max(clock.millis() << BITS_BELOW_MILLIS, version + 1);
    version = began;
  }

  /** Returns the version of the latest change. */
  public long version() {
    return version;
  }

  /** Returns the version that the next change gets. */
  public long next() {
    return version + 1;
  }

  /** Adds a change; null stands for an object that does not exist. */
  public void add(@Nullable T before, @Nullable T after) {
    version++;
    Change<T> change = new Change<>(version, before, after);
    if (ring.size() < capacity) {
      ring.add(change);
    } else {
      ring.set(slot(version), change);
    }
  }

  private int slot(long ofVersion) {
    return (int) ((ofVersion - began - 1) % capacity);
  }

  /** Returns whether all changes after a version are known. */
  public boolean knows(long after) {
    return after <= version && after >= version - ring.size();
  }

  /**
   * Returns changes of the wanted objects; empty if some after the version are not known. An object
   * that is not wanted any more is gone.
   */
  public Optional<Part<T>> since(long after, int limit, Predicate<T> wanted) {
    if (!knows(after)) {
      return Optional.empty();
    }
    List<Change<T>> found = new ArrayList<>();
    long reached = after;
    while (reached < version && found.size() < limit) {
      reached++;
      Change<T> change = ring.get(slot(reached));
      T before = change.before() != null && wanted.test(change.before()) ? change.before() : null;
      T later = change.after() != null && wanted.test(change.after()) ? change.after() : null;
      if (before != null || later != null) {
        found.add(new Change<>(reached, before, later));
      }
    }
    return Optional.of(new Part<>(reached, reached < version, found));
  }
}
