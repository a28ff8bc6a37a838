package io.berth.demo.nemesis;

import java.time.Duration;
import java.util.Locale;

/**
 * A planned fault.
 *
 * @param at start, relative to the start of the run
 * @param length duration
 * @param target index of the affected process
 */
public record Fault(Duration at, Duration length, int target, FaultKind kind) {

  /** Returns the end, relative to the start of the run. */
  public Duration end() {
    return at.plus(length);
  }

  /**
   * Returns one line for a report.
   *
   * @param name the name of the affected process
   */
  public String text(String name) {
    return String.format(
        Locale.ROOT,
        "%6.1f s  %s %s for %.1f s",
        at.toMillis() / 1000.0,
        name,
        kind.words(),
        length.toMillis() / 1000.0);
  }
}
