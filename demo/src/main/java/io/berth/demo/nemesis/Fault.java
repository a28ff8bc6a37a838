package io.berth.demo.nemesis;

import java.time.Duration;
import java.util.Locale;

/**
 * A planned fault.
 *
 * @param at when it begins, since the start of the run
 * @param length how long it lasts
 * @param target whom it hits: the index of a process
 */
public record Fault(Duration at, Duration length, int target, FaultKind kind) {

  /** Returns its end, relative to the start of the run. */
  public Duration end() {
    return at.plus(length);
  }

  /** One line for a report, about the process of this name. */
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
