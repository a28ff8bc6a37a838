package io.berth.benchmarks.gpu;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Replays all GPU traces of a folder: {@code GpuBenchMain --traces DIR [--seeds N] [--only TEXT]
 * [--out FILE]}. Prints a comparison with the published figures, and writes the means as JSON:
 * {@code {"trace": allocatedPercent}}.
 */
public final class GpuBenchMain {
  private static final long FIRST_SEED = 42;

  private GpuBenchMain() {}

  public static void main(String[] args)
      throws IOException, InterruptedException, ExecutionException {
    String folder = option(args, "--traces", "");
    if (folder.isEmpty()) {
      System.err.println(
          "bench-gpu: specify the folder of the traces: make bench-gpu TRACES=DIR"
              + " (openb_node_list_gpu_node.csv and openb_pod_list_*.csv of Alibaba's"
              + " cluster-trace-gpu-v2023)");
      System.exit(2);
    }
    String only = option(args, "--only", "");
    int seeds = Integer.parseInt(option(args, "--seeds", "10"));
    List<GpuTrace> traces =
        GpuTrace.readAll(Path.of(folder)).stream()
            .filter(trace -> trace.name().contains(only))
            .toList();
    Map<String, Double> means = run(traces, seeds);
    String out = option(args, "--out", "");
    if (!out.isEmpty()) {
      write(Path.of(out), means);
    }
  }

  private static Map<String, Double> run(List<GpuTrace> traces, int seeds)
      throws InterruptedException, ExecutionException {
    System.out.printf(
        Locale.ROOT, "%-14s %10s %10s %12s%n", "trace", "Berth %", "FGD %", "difference");
    Map<String, Double> means = new TreeMap<>();
    List<Double> differences = new ArrayList<>();
    try (ExecutorService threads =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
      Map<String, List<Future<Double>>> runs = new TreeMap<>();
      for (GpuTrace trace : traces) {
        for (int i = 0; i < seeds; i++) {
          long seed = FIRST_SEED + i;
          runs.computeIfAbsent(trace.name(), name -> new ArrayList<>())
              .add(threads.submit(() -> TraceReplay.allocatedPercent(trace, seed)));
        }
      }
      for (Map.Entry<String, List<Future<Double>>> entry : runs.entrySet()) {
        double sum = 0;
        for (Future<Double> run : entry.getValue()) {
          sum += run.get();
        }
        double mean = sum / seeds;
        means.put(entry.getKey(), Math.round(mean * 1_000) / 1_000.0);
        OptionalDouble fgd = PublishedFigures.fgd(entry.getKey());
        fgd.ifPresent(figure -> differences.add(mean - figure));
        print(entry.getKey(), mean, fgd);
      }
    }
    if (!differences.isEmpty()) {
      System.out.printf(
          Locale.ROOT,
          "%-14s %10s %10s %+12.2f%n",
          "mean",
          "",
          "",
          differences.stream().mapToDouble(Double::doubleValue).average().orElseThrow());
    }
    return means;
  }

  private static void print(String trace, double mean, OptionalDouble fgd) {
    if (fgd.isPresent()) {
      System.out.printf(
          Locale.ROOT,
          "%-14s %10.2f %10.2f %+12.2f%n",
          trace,
          mean,
          fgd.getAsDouble(),
          mean - fgd.getAsDouble());
    } else {
      System.out.printf(Locale.ROOT, "%-14s %10.2f %10s %12s%n", trace, mean, "-", "-");
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

  private static void write(Path file, Map<String, Double> means) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Files.writeString(
        file, new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(means));
  }
}
