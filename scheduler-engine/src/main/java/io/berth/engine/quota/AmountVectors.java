package io.berth.engine.quota;

import io.berth.engine.quantity.Saturated;

/** Arithmetic with amounts of several resources. */
final class AmountVectors {
  private AmountVectors() {}

  static void add(long[] to, long[] amounts) {
    for (int i = 0; i < to.length; i++) {
      to[i] += amounts[i];
    }
  }

  /** Adds amounts that may be absurd, such as those of pods that no node can hold. */
  static void addUpToLargest(long[] to, long[] amounts) {
    for (int i = 0; i < to.length; i++) {
      to[i] = Saturated.sum(amounts[i], to[i]);
    }
  }

  static void subtract(long[] from, long[] amounts) {
    for (int i = 0; i < from.length; i++) {
      from[i] -= amounts[i];
    }
  }

  static boolean isNothing(long[] amounts) {
    for (long amount : amounts) {
      if (amount != 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the i-th resource of a request fits into a limit beside what is taken. */
  static boolean fits(int i, long[] request, long limit, long taken) {
    return request[i] == 0 || limit == CountedResources.UNLIMITED || request[i] <= limit - taken;
  }

  /**
   * Returns whether a request fits beside what is taken; resources without a request do not count.
   */
  static boolean fits(long[] request, long[] taken, long[] capacity) {
    for (int i = 0; i < request.length; i++) {
      if (request[i] > 0 && request[i] > capacity[i] - taken[i]) {
        return false;
      }
    }
    return true;
  }
}
