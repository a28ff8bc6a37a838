package io.berth.webhook.template;

import io.berth.webhook.error.ErrorCode;

/**
 * Counts what one rendering costs, and stops it when that is too much. Counts steps, not time: the
 * same on every machine.
 */
final class Budget {

  private int steps = RenderLimits.STEPS;
  private int output = RenderLimits.OUTPUT;

  /** Takes one step. */
  void step() {
    steps(1);
  }

  /** Takes the steps for looking at so many characters. */
  void look(long characters) {
    steps(characters / RenderLimits.STEP);
  }

  /** Makes so many characters of output. */
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

  /** The steps that were taken. */
  int stepsTaken() {
    return RenderLimits.STEPS - steps;
  }
}
