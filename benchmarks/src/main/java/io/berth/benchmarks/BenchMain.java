package io.berth.benchmarks;

import static java.time.ZoneOffset.UTC;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.benchmarks.webhook.WebhookFigures;
import io.berth.benchmarks.webhook.WebhookLoad;
import io.berth.benchmarks.webhook.WebhookWorkload;
import io.berth.benchmarks.workload.Benchmark;
import io.berth.benchmarks.workload.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures the in-memory engine and the webhook: {@code BenchMain [--out FILE] [--only TEXT,TEXT]
 * [--soak MILLIONS] [--seed NUMBER] [--table PAGE]}. Prints a table, and writes the same figures as
 * JSON: {@code {"workload": {"podsPerSecond": …}}}, and as the table of a page in Markdown.
 */
public final class BenchMain {
  private BenchMain() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    String out = option(args, "--out", "");
    String soak = option(args, "--soak", "");
    long seed = Long.parseLong(option(args, "--seed", "42"));
    if (!soak.isEmpty()) {
      soak(Double.parseDouble(soak), seed);
      return;
    }
    System.out.printf(
        Locale.ROOT,
        "%-38s %12s %10s %10s %10s %12s %10s %10s%n",
        "workload",
        "pods/s",
        "p50 µs",
        "p99 µs",
        "p99.9 µs",
        "garbage/pod",
        "steps/pod",
        "heap MiB");
    String only = option(args, "--only", "");
    String table = option(args, "--table", "");
    if (!table.isEmpty()) {
      var _ = withTable(Path.of(table), List.of()); // a page without a place for it fails now
    }
    Map<String, Object> figures = new LinkedHashMap<>();
    List<Measurement> measurements = new Benchmark(seed).run(only, BenchMain::print);
    for (Measurement measurement : measurements) {
      figures.put(measurement.workload(), measurement.fields());
    }
    if (Benchmark.isWanted("webhook", only)) {
      WebhookFigures webhook = WebhookWorkload.run(WebhookLoad.usual());
      System.out.println(webhook.line());
      figures.put("webhook", webhook.fields());
    }
    if (figures.isEmpty()) {
      System.err.println(
          "bench: no workload's name contains any of \"" + only + "\": run make bench to see all");
      System.exit(2);
    }
    if (!out.isEmpty()) {
      write(Path.of(out), figures);
    }
    if (!table.isEmpty()) {
      Path page = Path.of(table);
      Files.writeString(
          page, WorkloadTable.replacedIn(Files.readString(page), measurements, LocalDate.now(UTC)));
    }
  }

  private static String option(String[] args, String name, String otherwise) {
    for (int i = 0; i + 1 < args.length; i++) {
      if (args[i].equals(name)) {
        return args[i + 1];
      }
    }
    return otherwise;
  }

  private static void print(Measurement measurement) {
    System.out.printf(
        Locale.ROOT,
        "%-38s %12.0f %10.1f %10.1f %10.1f %12d %10.1f %10d%n",
        measurement.workload(),
        measurement.podsPerSecond(),
        measurement.p50Micros(),
        measurement.p99Micros(),
        measurement.p999Micros(),
        measurement.garbageBytesPerPod(),
        measurement.stepsPerPod(),
        measurement.heapBytes() >> 20);
  }

  private static String withTable(Path page, List<Measurement> measurements) throws IOException {
    return WorkloadTable.replacedIn(Files.readString(page), measurements, LocalDate.now(UTC));
  }

  private static void write(Path file, Map<String, Object> figures) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Files.writeString(
        file, new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(figures));
  }

  private static void soak(double millions, long seed) {
    int rounds = 10;
    long[] heap = new Benchmark(seed).soak(rounds, (int) (millions * 1e6 / rounds));
    for (int round = 0; round < rounds; round++) {
      System.out.printf(
          Locale.ROOT,
          "after %.2f million pods: %d MiB live%n",
          millions * (round + 1) / rounds,
          heap[round] >> 20);
    }
  }
}
