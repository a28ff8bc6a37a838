package io.berth.engine.selector;

import org.jspecify.annotations.Nullable;

/**
 * Matchers by id, in a hash table with linear probing: each placed pod looks up all its matchers.
 * Ids are assigned in ascending order, so they are scattered over the table: otherwise those in use
 * would form one long run of places.
 */
final class MatcherIds {
  private static final int FEWEST_PLACES = 16;

  private @Nullable PodMatcher[] places = new PodMatcher[FEWEST_PLACES];
  private int size;

  /** Returns the matcher with this id; null if there is none. */
  @Nullable PodMatcher get(int id) {
    int mask = places.length - 1;
    for (int at = home(id, mask); ; at = (at + 1) & mask) {
      PodMatcher there = places[at];
      if (there == null || there.id() == id) {
        return there;
      }
    }
  }

  /** Adds a matcher whose id is not in use. */
  void add(PodMatcher matcher) {
    if (2 * ++size > places.length) {
      @Nullable PodMatcher[] before = places;
      places = new PodMatcher[2 * before.length];
      for (PodMatcher each : before) {
        if (each != null) {
          put(each);
        }
      }
    }
    put(matcher);
  }

  private void put(PodMatcher matcher) {
    int mask = places.length - 1;
    int at = home(matcher.id(), mask);
    while (places[at] != null) {
      at = (at + 1) & mask;
    }
    places[at] = matcher;
  }

  /** Removes a matcher that was added. */
  void remove(PodMatcher matcher) {
    int mask = places.length - 1;
    int gap = home(matcher.id(), mask);
    while (places[gap] != matcher) {
      gap = (gap + 1) & mask;
    }
    size--;
    places[gap] = null;
    // Those behind the gap move up if a search for them would end at it.
    for (int at = (gap + 1) & mask; ; at = (at + 1) & mask) {
      PodMatcher there = places[at];
      if (there == null) {
        return;
      }
      if (((at - home(there.id(), mask)) & mask) >= ((at - gap) & mask)) {
        places[gap] = there;
        places[at] = null;
        gap = at;
      }
    }
  }

  /** Returns the place at which the search for an id begins. */
  private static int home(int id, int mask) {
    return (id * 0x9E3779B9) >>> 7 & mask;
  }
}
