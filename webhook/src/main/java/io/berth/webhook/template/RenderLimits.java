package io.berth.webhook.template;

/**
 * Limits on the size and cost of templates. A template within the grammar costs about as much as it
 * is long, and the length of its arguments is bounded; these limits hold whatever else might be
 * found.
 */
final class RenderLimits {

  /** Characters of one leaf. */
  static final int LEAF = 8 * 1024;

  /** Opening brackets in one leaf: these make FreeMarker's parser descend. */
  static final int BRACKETS = 32;

  /** Operators in one leaf: these make its tree deep. */
  static final int OPERATORS = 160;

  /** Leaves with interpolations in one config. */
  static final int LEAVES = 1_000;

  /** Values of all kinds in one config. */
  static final int NODES = 20_000;

  /** Levels of objects and lists in one config. */
  static final int DEPTH = 32;

  /**
   * Steps of one rendering: one for each value and operator, and one for each {@link #STEP}
   * characters looked at.
   */
  static final int STEPS = 20_000;

  /** Characters that count as a step. */
  static final int STEP = 64;

  /** Characters that one rendering may make, in between and in the end. */
  static final int OUTPUT = 64 * 1024;

  /** Renderings that are tried when a config is applied. */
  static final int TRIALS = 512;

  private RenderLimits() {}
}
