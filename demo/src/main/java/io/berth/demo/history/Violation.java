package io.berth.demo.history;

import java.time.Instant;

/**
 * A broken rule.
 *
 * @param rule the rule, in words
 * @param at when it was broken
 * @param what what was seen, with names
 */
public record Violation(String rule, Instant at, String what) {

  /** One line for a report. */
  public String text() {
    return "%s  %s: %s".formatted(at, rule, what);
  }
}
