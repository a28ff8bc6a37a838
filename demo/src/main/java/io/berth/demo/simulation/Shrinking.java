package io.berth.demo.simulation;

import java.util.BitSet;

/** Finds a part of the steps of a run that still causes a violation, by leaving out halves. */
public final class Shrinking {
  private static final int MOST_RUNS = 60;

  private final long seed;
  private int steps;
  private BitSet left = new BitSet();
  private String violation;
  private int runs;

  /**
   * A shorter run.
   *
   * @param steps the number of the last step
   * @param kept the numbers of the steps that are not left out
   * @param violation the first violation
   */
  public record Shortest(int steps, BitSet kept, String violation) {}

  private Shrinking(int steps, long seed, String violation) {
    this.steps = steps;
    this.seed = seed;
    this.violation = violation;
  }

  /** Shortens a run with violations, with a bounded number of runs. */
  public static Shortest of(int steps, long seed, Simulation.Report report) {
    Shrinking shrinking = new Shrinking(steps, seed, report.violations().getFirst());
    shrinking.shorten();
    BitSet kept = new BitSet();
    kept.set(1, shrinking.steps + 1);
    kept.andNot(shrinking.left);
    return new Shortest(shrinking.steps, kept, shrinking.violation);
  }

  private void shorten() {
    int end = stepOf(violation);
    if (end < steps && fails(end, left)) {
      steps = end;
    }
    for (int size = Math.max(1, steps / 2); runs < MOST_RUNS; size = Math.max(1, size / 2)) {
      boolean shorter = false;
      for (int from = 1; from <= steps && runs < MOST_RUNS; from += size) {
        BitSet fewer = (BitSet) left.clone();
        fewer.set(from, Math.min(steps + 1, from + size));
        if (!fewer.equals(left) && fails(steps, fewer)) {
          left = fewer;
          shorter = true;
        }
      }
      if (size == 1 && !shorter) {
        return;
      }
    }
  }

  private static int stepOf(String violation) {
    return Integer.parseInt(violation.substring("step ".length(), violation.indexOf(',')));
  }

  private boolean fails(int last, BitSet without) {
    runs++;
    Simulation.Report report = Simulation.run(last, seed, without);
    if (report.violations().isEmpty()) {
      return false;
    }
    violation = report.violations().getFirst();
    return true;
  }
}
