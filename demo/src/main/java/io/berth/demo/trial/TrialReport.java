package io.berth.demo.trial;

import io.berth.demo.history.HistorySummary;
import io.berth.demo.history.Violation;
import java.nio.file.Path;
import java.util.List;

/**
 * The result of a trial.
 *
 * @param summary counts of the history
 * @param berths one line per Berth instance
 * @param violations the violations in the history
 * @param file the file with the history
 */
public record TrialReport(
    HistorySummary summary, List<String> berths, List<Violation> violations, Path file) {

  public TrialReport {
    berths = List.copyOf(berths);
    violations = List.copyOf(violations);
  }

  /** Returns the report as lines. The last line is the overall result. */
  public String text() {
    StringBuilder text = new StringBuilder();
    berths.forEach(line -> text.append(line).append('\n'));
    text.append(summary.text()).append('\n');
    text.append("The history is in ").append(file).append('\n');
    violations.forEach(violation -> text.append(violation.text()).append('\n'));
    text.append(
        violations.isEmpty()
            ? "history: OK\n"
            : "history: %d violations\n".formatted(violations.size()));
    return text.toString();
  }
}
