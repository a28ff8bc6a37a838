package io.berth.engine.preemption;

import io.berth.engine.time.Due;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A result for each node, with the ranges of the outside counts in which it holds. */
final class DryRunResults {
  boolean[] known = {};
  @Nullable Candidate[] candidates = {};
  DryRun.@Nullable Refusal[] refusals = {};
  Due[] until = {};
  int[][] least;
  int[][] greatest;

  DryRunResults(int counts) {
    this.least = new int[counts][0];
    this.greatest = new int[counts][0];
  }

  void grow(int capacity) {
    known = Arrays.copyOf(known, capacity);
    candidates = Arrays.copyOf(candidates, capacity);
    refusals = Arrays.copyOf(refusals, capacity);
    until = Arrays.copyOf(until, capacity);
    for (int number = 0; number < least.length; number++) {
      least[number] = Arrays.copyOf(least[number], capacity);
      greatest[number] = Arrays.copyOf(greatest[number], capacity);
    }
  }
}
