package io.berth.benchmarks.quality;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The figures of all streams.
 *
 * @param figures by topic, as they are written as JSON
 * @param lines the same for people
 * @param plots SVG by file name
 */
public record Quality(Map<String, Object> figures, List<String> lines, Map<String, String> plots) {

  /** Runs all streams of a seed. */
  public static Quality measure(long seed) {
    Balance.Result byDefault = Balance.run(Balance.DEFAULT_POLICY, seed);
    Balance.Result weighted = Balance.run(Balance.WEIGHTED_POLICY, seed);
    String plot =
        new LinePlot(
                "Stranded capacity of %d nodes while pods come and go".formatted(MixedStream.NODES),
                "pods that have come",
                "stranded, %")
            .curve("kube-scheduler's defaults", byDefault.curve())
            .curve("CPU, memory and GPUs balanced", weighted.curve())
            .svg();
    return new Quality(
        Map.of("balance", Balance.figures(byDefault, weighted)),
        List.of(line("default", byDefault), line("weighted", weighted)),
        Map.of("balance.svg", plot));
  }

  private static String line(String policy, Balance.Result result) {
    return String.format(
        Locale.ROOT,
        "balance  %-9s %5.2f %% stranded, %d of %d pods refused",
        policy,
        result.strandedPercent(),
        result.refused(),
        Balance.PODS);
  }
}
