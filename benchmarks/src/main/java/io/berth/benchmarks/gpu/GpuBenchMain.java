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
 * Replays all GPU traces of a folder: {@code GpuBenchMain --traces DIR [--seeds N] [--claim-seeds
 * N] [--only TEXT] [--out FILE]}. Prints a comparison with the published figures, and one of cards
 * with claims for devices, and writes the means as JSON: {@code {"trace": allocatedPercent,
 * "trace/claims": allocatedPercent, "trace/claimsFirstFit": allocatedPercent}}.
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
    int claimSeeds = Math.min(seeds, Integer.parseInt(option(args, "--claim-seeds", "2")));
    Map<String, Double> means = run(traces, seeds, claimSeeds);
    String out = option(args, "--out", "");
    if (!out.isEmpty()) {
      write(Path.of(out), means);
    }
  }

  private static Map<String, Double> run(List<GpuTrace> traces, int seeds, int claimSeeds)
      throws InterruptedException, ExecutionException {
    Map<String, Double> means = new TreeMap<>();
    try (ExecutorService threads =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
      Runs cards = new Runs(threads, traces, seeds, TraceReplay.Way.CARDS);
      Runs claims = new Runs(threads, traces, claimSeeds, TraceReplay.Way.CLAIMS);
      Runs firstFit = new Runs(threads, traces, claimSeeds, TraceReplay.Way.CLAIMS_FIRST_FIT);
      printAgainstPublished(traces, cards, means);
      if (claimSeeds > 0) {
        System.out.println();
        printClaims(traces, cards, claims, firstFit, means);
      }
    }
    return means;
  }

  /** The replays of all traces in one way. */
  private static final class Runs {
    private final Map<String, List<Future<Double>>> byTrace = new TreeMap<>();

    Runs(ExecutorService threads, List<GpuTrace> traces, int seeds, TraceReplay.Way way) {
      for (GpuTrace trace : traces) {
        List<Future<Double>> runs = new ArrayList<>();
        for (int i = 0; i < seeds; i++) {
          long seed = FIRST_SEED + i;
          runs.add(threads.submit(() -> TraceReplay.allocatedPercent(trace, seed, way)));
        }
        byTrace.put(trace.name(), runs);
      }
    }

    /** Returns the mean over all seeds. */
    double mean(String trace) throws InterruptedException, ExecutionException {
      return mean(trace, Integer.MAX_VALUE);
    }

    /** Returns the mean over the first seeds. */
    double mean(String trace, int seeds) throws InterruptedException, ExecutionException {
      double sum = 0;
      int count = 0;
      for (Future<Double> run : byTrace.get(trace)) {
        if (count < seeds) {
          sum += run.get();
          count++;
        }
      }
      return sum / count;
    }
  }

  private static void printAgainstPublished(
      List<GpuTrace> traces, Runs cards, Map<String, Double> means)
      throws InterruptedException, ExecutionException {
    System.out.printf(
        Locale.ROOT, "%-14s %10s %10s %12s%n", "trace", "Berth %", "FGD %", "difference");
    List<Double> differences = new ArrayList<>();
    for (GpuTrace trace : traces) {
      double mean = cards.mean(trace.name());
      means.put(trace.name(), rounded(mean));
      OptionalDouble fgd = PublishedFigures.fgd(trace.name());
      fgd.ifPresent(figure -> differences.add(mean - figure));
      print(trace.name(), mean, fgd);
    }
    if (!differences.isEmpty()) {
      System.out.printf(
          Locale.ROOT, "%-14s %10s %10s %+12.2f%n", "mean", "", "", meanOf(differences));
    }
  }

  /** Compares claims with cards on the seeds that both were replayed with. */
  private static void printClaims(
      List<GpuTrace> traces, Runs cards, Runs claims, Runs firstFit, Map<String, Double> means)
      throws InterruptedException, ExecutionException {
    System.out.printf(
        Locale.ROOT,
        "%-14s %10s %12s %12s %12s%n",
        "trace",
        "claims %",
        "first fit %",
        "- first fit",
        "- cards");
    List<Double> overFirstFit = new ArrayList<>();
    List<Double> overCards = new ArrayList<>();
    for (GpuTrace trace : traces) {
      String name = trace.name();
      double ofClaims = claims.mean(name);
      double ofFirstFit = firstFit.mean(name);
      double ofCards = cards.mean(name, claims.byTrace.get(name).size());
      means.put(name + "/claims", rounded(ofClaims));
      means.put(name + "/claimsFirstFit", rounded(ofFirstFit));
      overFirstFit.add(ofClaims - ofFirstFit);
      overCards.add(ofClaims - ofCards);
      System.out.printf(
          Locale.ROOT,
          "%-14s %10.2f %12.2f %+12.2f %+12.2f%n",
          name,
          ofClaims,
          ofFirstFit,
          ofClaims - ofFirstFit,
          ofClaims - ofCards);
    }
    System.out.printf(
        Locale.ROOT,
        "%-14s %10s %12s %+12.2f %+12.2f%n",
        "mean",
        "",
        "",
        meanOf(overFirstFit),
        meanOf(overCards));
  }

  private static double rounded(double percent) {
    return Math.round(percent * 1_000) / 1_000.0;
  }

  private static double meanOf(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
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
