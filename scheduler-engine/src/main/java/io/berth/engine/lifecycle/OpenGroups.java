package io.berth.engine.lifecycle;

import io.berth.engine.api.Attempt;
import io.berth.engine.group.GroupSearch;
import io.berth.engine.state.GroupEntry;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The suspended attempts for groups that take more work than one step allows, by group key. Between
 * steps nothing is held; each step starts with the results of the last one.
 */
public final class OpenGroups {
  /** A suspended attempt. */
  public record Open(GroupEntry group, Attempt attempt, GroupSearch search) {}

  private final Map<String, Open> open = new LinkedHashMap<>();

  public void add(Open attempt) {
    open.put(attempt.group().key(), attempt);
  }

  /** Returns the attempt that has waited longest for its next step. */
  public Optional<Open> poll() {
    Iterator<Open> first = open.values().iterator();
    if (!first.hasNext()) {
      return Optional.empty();
    }
    Open attempt = first.next();
    first.remove();
    return Optional.of(attempt);
  }

  /**
   * Drops the attempt for a group that has changed.
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
