package io.berth.demo.history;

import java.time.Instant;

/**
 * A violation of a rule.
 *
 * @param rule the name of the rule
 * @param at time of the violation
 * @param what description with the names of the objects involved
 */
public record Violation(String rule, Instant at, String what) {

  /** Returns the violation as one line. */
  public String text() {
    return "%s  %s: %s".formatted(at, rule, what);
  }
}
