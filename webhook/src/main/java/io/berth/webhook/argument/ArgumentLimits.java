package io.berth.webhook.argument;

/** Size limits of arguments. All of them are far above what an affinity can hold. */
final class ArgumentLimits {

  /** Characters of an annotation of arguments. */
  static final int TEXT = 64 * 1024;

  /** Levels of nesting in it; two are of use. */
  static final int DEPTH = 8;

  /** Digits of one number. */
  static final int DIGITS = 64;

  /** Characters of one string. */
  static final int STRING = 4 * 1024;

  /** Items of one list. */
  static final int ITEMS = 256;

  /** Problems that are reported of one set of arguments. */
  static final int PROBLEMS = 16;

  private ArgumentLimits() {}
}
