package io.berth.demo.soak;

import java.util.List;

/**
 * The result of a soak.
 *
 * @param summary lines about what happened
 * @param violations what was wrong
 */
public record SoakReport(List<String> summary, List<String> violations) {
  public SoakReport {
    summary = List.copyOf(summary);
    violations = List.copyOf(violations);
  }
}
