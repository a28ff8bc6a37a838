package io.berth.engine.attempt;

import io.berth.engine.Attempt;
import io.berth.engine.state.GroupEntry;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The attempts at groups that took more work than one step may, by the groups' keys. Between two
 * steps nothing is held: the next one begins with what the last one had found.
 */
public final class OpenGroups {
  /** An attempt that goes on. */
  record Open(GroupEntry group, Attempt attempt, GroupSearch search) {}

  private final Map<String, Open> open = new LinkedHashMap<>();

  void add(Open attempt) {
    open.put(attempt.group().key(), attempt);
  }

  /** The attempt that has waited longest for its next step. */
  Optional<Open> poll() {
    Iterator<Open> first = open.values().iterator();
    if (!first.hasNext()) {
      return Optional.empty();
    }
    Open attempt = first.next();
    first.remove();
    return Optional.of(attempt);
  }

  /**
   * Drops the attempt at a group that has changed.
   *
   * @return whether there was one
   */
  public boolean drop(String key) {
    return open.remove(key) != null;
  }

  /** Returns whether no attempt waits for its next step. */
  public boolean isEmpty() {
    return open.isEmpty();
  }
}
