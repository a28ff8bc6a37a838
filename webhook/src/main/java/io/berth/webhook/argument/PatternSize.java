package io.berth.webhook.argument;

import com.google.re2j.Pattern;

/**
 * Bounds the cost of a pattern. RE2 matches in time proportional to program size times text length,
 * but the compiler unrolls counted repetitions: {@code ((a{1000}){1000}){1000}} would be a program
 * of a billion instructions.
 */
final class PatternSize {

  /** The maximum size of a compiled program, in instructions. */
  static final int PROGRAM = 10_000;

  /**
   * The maximum product of program size and characters for one argument; a label value of 63
   * characters can be matched with the largest program.
   */
  static final long MATCHING = 1_000_000;

  /** The maximum estimated program size for which a pattern is compiled. */
  private static final long ESTIMATE = 200_000;

  private static final Pattern COUNT = Pattern.compile("\\{([0-9]{1,9})(?:,([0-9]{0,9}))?\\}");

  private PatternSize() {}

  /**
   * Returns whether it is safe to compile a pattern in order to determine its exact program size.
   */
  static boolean mayCompile(String pattern) {
    return estimate(pattern) <= ESTIMATE;
  }

  /**
   * Returns an upper bound of the program size. The counts of repeated groups are multiplied,
   * because groups can be nested; for repeated single atoms, the greatest count is used.
   */
  private static long estimate(String pattern) {
    long groups = 1;
    long atom = 1;
    var counts = COUNT.matcher(pattern);
    int from = 0;
    while (counts.find(from)) {
      String upper = counts.group(2);
      String text = upper == null || upper.isEmpty() ? counts.group(1) : upper;
      long count = Math.max(1, Long.parseLong(text));
      boolean ofGroup =
          counts.start() > 0 && ")}?".indexOf(pattern.charAt(counts.start() - 1)) >= 0;
      if (ofGroup) {
        groups = Math.min(Integer.MAX_VALUE, groups * count);
      } else {
        atom = Math.max(atom, count);
      }
      from = counts.start() + 1;
    }
    return groups * Math.min(Integer.MAX_VALUE, atom * Math.max(1, pattern.length()));
  }
}
