package io.berth.webhook.argument;

/** Size limits of arguments, which are far above the sizes that affinities need. */
final class ArgumentLimits {

  /** The maximum number of characters in an arguments annotation. */
  static final int TEXT = 64 * 1024;

  /** The maximum nesting depth of its JSON; valid arguments have at most three levels. */
  static final int DEPTH = 8;

  /** The maximum number of digits in a number. */
  static final int DIGITS = 64;

  /** The maximum number of characters in a string. */
  static final int STRING = 4 * 1024;

  /** The maximum number of items in a list. */
  static final int ITEMS = 256;

  /** The maximum number of problems that are reported for the arguments of one config. */
  static final int PROBLEMS = 16;

  private ArgumentLimits() {}
}
