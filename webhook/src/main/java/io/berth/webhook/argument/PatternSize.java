package io.berth.webhook.argument;

import com.google.re2j.Pattern;

/**
 * Bounds the cost of a pattern. RE2 matches in time proportional to program size times text length,
 * but it unrolls counted repetition when it compiles: {@code ((a{1000}){1000}){1000}} would be a
 * program of a thousand million instructions.
 */
final class PatternSize {

  /** The maximum size of a program. */
  static final int PROGRAM = 10_000;

  /**
   * Program size times characters that one argument may cost; a label value of 63 fits the largest
   * program.
   */
  static final long MATCHING = 1_000_000;

  /** The estimate above which a pattern is not compiled. */
  private static final long ESTIMATE = 200_000;

  private static final Pattern COUNT = Pattern.compile("\\{([0-9]{1,9})(?:,([0-9]{0,9}))?\\}");

  private PatternSize() {}

  /** Returns whether it is safe to find out the true size of the program by compiling it. */
  static boolean mayCompile(String pattern) {
    return estimate(pattern) <= ESTIMATE;
  }

  /**
   * An upper bound of the program's size: repetition of groups multiplies, since groups may nest;
   * of repetitions of single atoms the greatest counts.
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
