package io.berth.webhook.template;

import io.berth.webhook.error.ErrorCode;

/**
 * The limit on the cost of one rendering. It counts steps rather than time, so the result is the
 * same on every machine. Exceeding the limit throws {@link Refused}.
 */
final class Budget {

  private int steps = RenderLimits.STEPS;
  private int output = RenderLimits.OUTPUT;

  /** Consumes one step. */
  void step() {
    steps(1);
  }

  /** Consumes the steps for reading this number of characters. */
  void look(long characters) {
    steps(characters / RenderLimits.STEP);
  }

  /** Consumes the steps and the output limit for writing this number of characters. */
  void write(int characters) {
    look(characters);
    output -= Math.min(characters, RenderLimits.OUTPUT + 1);
    if (output < 0) {
      throw new Refused(
          ErrorCode.RENDER_OUTPUT,
          "the output exceeds "
              + RenderLimits.OUTPUT
              + " characters; use shorter arguments or a smaller template");
    }
  }

  private void steps(long count) {
    steps -= (int) Math.min(count, RenderLimits.STEPS + 1L);
    if (steps < 0) {
      throw new Refused(
          ErrorCode.RENDER_STEPS,
          "rendering exceeds "
              + RenderLimits.STEPS
              + " steps; use shorter arguments or a smaller template");
    }
  }

  /** Returns the number of consumed steps. */
  int stepsTaken() {
    return RenderLimits.STEPS - steps;
  }
}
