package io.berth.engine.selector;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** The matchers that select a pod: all that selectors say about its labels and namespace. */
public final class MatcherSet {
  private static final MatcherSet EMPTY = new MatcherSet(new int[0]);

  private final int[] ids;
  private final int hash;

  private MatcherSet(int[] ids) {
    this.ids = ids;
    this.hash = Arrays.hashCode(ids);
  }

  /** Takes over the first {@code size} of these ids. */
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

  /** The i-th matcher's id; ids ascend. */
  public int id(int i) {
    return ids[i];
  }

  public boolean contains(PodMatcher matcher) {
    return Arrays.binarySearch(ids, matcher.id()) >= 0;
  }

  /** The same, and this one. */
  public MatcherSet with(PodMatcher matcher) {
    int[] more = Arrays.copyOf(ids, ids.length + 1);
    more[ids.length] = matcher.id();
    return of(more, more.length);
  }

  /** Those of the same whose id is still wanted. */
  public MatcherSet retain(IntPredicate wanted) {
    int[] kept = Arrays.stream(ids).filter(wanted).toArray();
    return kept.length == ids.length ? this : of(kept, kept.length);
  }

  /** The same but this one. */
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
