package io.berth.engine.selector;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * The matchers that select a pod: everything that selectors depend on in its labels and namespace.
 */
public final class MatcherSet {
  private static final MatcherSet EMPTY = new MatcherSet(new int[0]);

  private final int[] ids;
  private final int hash;

  private MatcherSet(int[] ids) {
    this.ids = ids;
    this.hash = Arrays.hashCode(ids);
  }

  /** Returns a set of the first {@code size} of these ids; takes ownership of the array. */
  static MatcherSet of(int[] ids, int size) {
    if (size == 0) {
      return EMPTY;
    }
    int[] sorted = Arrays.copyOf(ids, size);
    Arrays.sort(sorted);
    return new MatcherSet(sorted);
  }

  public static MatcherSet empty() {
    return EMPTY;
  }

  public int size() {
    return ids.length;
  }

  /** Returns the i-th matcher's id; ids are ascending. */
  public int id(int i) {
    return ids[i];
  }

  public boolean contains(PodMatcher matcher) {
    return Arrays.binarySearch(ids, matcher.id()) >= 0;
  }

  /** Returns this set with the matcher. */
  public MatcherSet with(PodMatcher matcher) {
    int[] more = Arrays.copyOf(ids, ids.length + 1);
    more[ids.length] = matcher.id();
    return of(more, more.length);
  }

  /** Returns the matchers whose ids satisfy the predicate. */
  public MatcherSet retain(IntPredicate wanted) {
    int[] kept = Arrays.stream(ids).filter(wanted).toArray();
    return kept.length == ids.length ? this : of(kept, kept.length);
  }

  /** Returns this set without the matcher. */
  public MatcherSet without(PodMatcher matcher) {
    int[] fewer = new int[ids.length];
    int size = 0;
    for (int id : ids) {
      if (id != matcher.id()) {
        fewer[size++] = id;
      }
    }
    return of(fewer, size);
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof MatcherSet that && hash == that.hash && Arrays.equals(ids, that.ids));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return Arrays.toString(ids);
  }
}
