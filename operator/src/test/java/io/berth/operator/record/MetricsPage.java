package io.berth.operator.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The page {@code docs/metrics.md}, generated from the metrics: {@code MetricsPage FILE}. */
public final class MetricsPage {

  private static final String HEAD =
      """
      # Metrics

      Every replica serves its metrics at `/metrics`, over TLS at port 8443, to accounts with the ClusterRole
      `berth-reader`. The leader schedules, so only its scheduling metrics move; each replica counts the reviews of its own
      webhook. Metrics with an equivalent have the name, the labels, and the buckets of kube-scheduler's, so its dashboards
      and alerts work for Berth. The others begin with `berth_`.

      A histogram has the series `_bucket`, `_count`, and `_sum`; `_max` is the greatest value of the last minutes.
      Beside these metrics there are those of the Java virtual machine, which begin with `jvm_`, `process_`, and `system_`.

      The chart brings alerts and a dashboard made of these metrics: `alerts.enabled` and `dashboard.enabled`.
      [runbook.md](runbook.md#alerts) says what to do about each alert.

      <!-- Generated from the enum Metric by `make docs`; changes made here are lost. -->

      | Name | Type | Labels | Meaning | Equivalent of kube-scheduler |
      | --- | --- | --- | --- | --- |
      """;

  private MetricsPage() {}

  /** Writes the page. */
  public static void main(String[] args) throws IOException {
    if (args.length != 1) {
      System.err.println("usage: MetricsPage FILE");
      System.exit(2);
    }
    Files.writeString(Path.of(args[0]), text());
  }

  static String text() {
    return Arrays.stream(Metric.values())
        .map(MetricsPage::row)
        .collect(Collectors.joining("", HEAD, ""));
  }

  private static String row(Metric metric) {
    return "| `%s` | %s | %s | %s | %s |%n"
        .formatted(
            metric.prometheusName(),
            metric.type().prometheusName().toLowerCase(Locale.ROOT),
            metric.labels().stream()
                .map(label -> "`" + label + "`")
                .collect(Collectors.joining(", ")),
            sentence(metric.description()),
            metric.equivalent().map(name -> "the same").orElse("none"));
  }

  private static String sentence(String description) {
    return description.endsWith(".") ? description : description + ".";
  }
}
