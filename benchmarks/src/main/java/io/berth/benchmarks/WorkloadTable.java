package io.berth.benchmarks;

import io.berth.benchmarks.workload.Measurement;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The measurements of all workloads as a table in Markdown, between two comments of a page. */
final class WorkloadTable {
  private static final String BEGIN = "<!-- make bench writes this table. -->\n";
  private static final String END = "<!-- The end of the table of make bench. -->";

  private WorkloadTable() {}

  /**
   * Returns the page with a new table.
   *
   * @param page a page with the two comments
   * @param date the day of the measurements
   * @throws IllegalArgumentException if the page has no place for the table
   */
  static String replacedIn(String page, List<Measurement> measurements, LocalDate date) {
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END, Math.max(0, begin));
    if (begin < 0 || end < 0) {
      throw new IllegalArgumentException(
          "the page has no place for the table of workloads: add the two lines \"%s\" and \"%s\""
              .formatted(BEGIN.strip(), END));
    }
    return page.substring(0, begin + BEGIN.length())
        + "\nMeasured on "
        + date
        + ", in one run of `make bench`:\n\n"
        + written(measurements)
        + "\n"
        + page.substring(end);
  }

  private static String written(List<Measurement> measurements) {
    Map<String, Measurement> byName =
        measurements.stream().collect(Collectors.toMap(Measurement::workload, Function.identity()));
    StringBuilder table =
        new StringBuilder(
            """
            | Workload | pods/s | share | p50 µs | p99 µs | p99.9 µs | garbage/pod, bytes | steps/pod | heap, MiB |
            | --- | --- | --- | --- | --- | --- | --- | --- | --- |
            """);
    for (Measurement each : measurements) {
      table.append(
          "| %s | %s |%s| %s | %s | %s | %s | %s | %s |%n"
              .formatted(
                  each.workload(),
                  number(each.podsPerSecond()),
                  share(each, byName),
                  number(each.p50Micros()),
                  number(each.p99Micros()),
                  number(each.p999Micros()),
                  number((double) each.garbageBytesPerPod()),
                  number(each.stepsPerPod()),
                  number(each.heapBytes() / 0x1p20)));
    }
    return table.toString();
  }

  /** Returns the rate of a workload with ten times the nodes, as a share of the usual one. */
  private static String share(Measurement of, Map<String, Measurement> byName) {
    int suffix = of.workload().lastIndexOf('-');
    Measurement usual = suffix < 0 ? null : byName.get(of.workload().substring(0, suffix));
    return usual == null || !of.workload().substring(suffix + 1).matches("[0-9]+")
        ? " "
        : " %.0f %% ".formatted(100 * of.podsPerSecond() / usual.podsPerSecond());
  }

  private static String number(double figure) {
    return String.format(Locale.ROOT, figure < 100 ? "%,.1f" : "%,.0f", figure);
  }
}
