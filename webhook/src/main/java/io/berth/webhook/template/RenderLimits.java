package io.berth.webhook.template;

/**
 * Limits on the size and cost of templates. The cost of an accepted template is roughly
 * proportional to its length, and the length of arguments is limited; these limits also cover
 * unforeseen cases.
 */
final class RenderLimits {

  /** The maximum number of characters in one leaf. */
  static final int LEAF = 8 * 1024;

  /** The maximum number of opening brackets in one leaf, which make FreeMarker's parser recurse. */
  static final int BRACKETS = 32;

  /** The maximum number of operators in one leaf, which make its tree deep. */
  static final int OPERATORS = 160;

  /** The maximum number of templates in one config. */
  static final int LEAVES = 1_000;

  /** The maximum number of values of any type in one config, including objects and lists. */
  static final int NODES = 20_000;

  /** The maximum nesting depth of objects and lists in one config. */
  static final int DEPTH = 32;

  /**
   * The maximum number of steps of one rendering: one for each value and operator, and one for
   * every {@link #STEP} characters read or written.
   */
  static final int STEPS = 20_000;

  /** The number of characters that count as one step. */
  static final int STEP = 64;

  /**
   * The maximum number of characters that one rendering may write, including intermediate results.
   */
  static final int OUTPUT = 64 * 1024;

  /** The maximum number of trial renderings when a config is applied. */
  static final int TRIALS = 512;

  private RenderLimits() {}
}
