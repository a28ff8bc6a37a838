package io.berth.benchmarks.quality;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The results of all streams.
 *
 * @param figures the figures by topic, as written to the JSON file
 * @param lines the figures as readable text
 * @param plots the SVG plots by file name
 */
public record Quality(Map<String, Object> figures, List<String> lines, Map<String, String> plots) {
  private static final String DEFAULTS = "kube-scheduler's defaults";
  private static final String BALANCED = "CPU, memory and GPUs balanced";
  private static final String DEMAND = "demand, % of the capacity";

  /** Runs all streams with a seed. */
  public static Quality measure(long seed) {
    Quality all = new Quality(new TreeMap<>(), new ArrayList<>(), new TreeMap<>());
    all.measureBalance(seed);
    all.measureFillUp(seed);
    all.measureBurst(seed);
    all.measureQueues(seed);
    return all;
  }

  private void measureBalance(long seed) {
    Balance.Result byDefault = Balance.run(Balance.DEFAULT_POLICY, seed);
    Balance.Result weighted = Balance.run(Balance.WEIGHTED_POLICY, seed);
    figures.put("balance", Balance.figures(byDefault, weighted));
    lines.add(line("default", byDefault));
    lines.add(line("weighted", weighted));
    plots.put(
        "balance.svg",
        new LinePlot(
                "Stranded capacity of %d nodes while pods come and go".formatted(MixedStream.NODES),
                "pods that have come",
                "stranded, %")
            .curve(DEFAULTS, byDefault.curve())
            .curve(BALANCED, weighted.curve())
            .svg());
    plots.put(
        "balance-by-resource.svg",
        new BarPlot(
                "Stranded capacity by resource, second half of the stream",
                "stranded, %",
                List.of("CPU", "memory", "GPU", "mean"))
            .series(DEFAULTS, bars(byDefault))
            .series(BALANCED, bars(weighted))
            .svg());
  }

  private static List<Double> bars(Balance.Result result) {
    List<Double> bars = new ArrayList<>(result.byResource());
    bars.add(result.strandedPercent());
    return bars;
  }

  private void measureFillUp(long seed) {
    List<DemandStream.Arrival> arrivals = DemandStream.arrivals(seed);
    String title = "%d nodes while demand rises: ".formatted(DemandStream.NODES);
    LinePlot deviation =
        new LinePlot(title + "deviation of the nodes' levels", DEMAND, "points")
            .key(LinePlot.Key.TOP_LEFT);
    LinePlot largest =
        new LinePlot(title + "pods of half a node that got one", DEMAND, "placed, %")
            .key(LinePlot.Key.BOTTOM_LEFT)
            .from(60, 0);
    LinePlot allocated =
        new LinePlot(title + "allocated capacity", DEMAND, "allocated, %")
            .key(LinePlot.Key.TOP_LEFT)
            .from(85, 85);
    Map<String, Object> byPolicy = new TreeMap<>();
    for (FillUp.Policy policy : FillUp.Policy.values()) {
      FillUp.Result result = FillUp.run(policy, arrivals);
      byPolicy.put(policy.key, result.figures());
      lines.add(line(policy, result));
      deviation.curve(policy.key, result.deviation().points(0, 1));
      largest.curve(policy.key, result.largest().points(60, 2.5));
      allocated.curve(policy.key, result.allocated().points(85, 0.5));
    }
    figures.put("fillUp", byPolicy);
    plots.put("fill-up-deviation.svg", deviation.svg());
    plots.put("fill-up-largest.svg", largest.svg());
    plots.put("fill-up-allocated.svg", allocated.svg());
  }

  private void measureBurst(long seed) {
    Burst.Result without = Burst.run(seed, false);
    Burst.Result with = Burst.run(seed, true);
    figures.put("burst", Burst.figures(without, with));
    lines.add(line("by report alone", without));
    lines.add(line("with correction", with));
    plots.put(
        "burst.svg",
        new BarPlot(
                "CPU load after %d pods between two reports, %d nodes"
                    .formatted(Burst.PODS, Burst.NODES),
                "load, %",
                List.of("hottest node", "mean"))
            .series("by the last report alone", List.of(without.hottest(), without.mean()))
            .series("with virtual requests", List.of(with.hottest(), with.mean()))
            .svg());
  }

  private void measureQueues(long seed) {
    TeamDay.Result without = TeamDay.run(seed, false);
    TeamDay.Result with = TeamDay.run(seed, true);
    figures.put("queues", Map.of("with", with.figures(), "without", without.figures()));
    lines.add(line("without", without));
    lines.add(line("with", with));
    LinePlot plot =
        new LinePlot(
            "Use of %d nodes by three teams with guarantees of 50, 30, and 20 %%"
                .formatted(TeamDay.NODES),
            "hour",
            "used, % of the CPUs");
    for (int team = 0; team < TeamJobs.TEAMS.size(); team++) {
      plot.curve(TeamJobs.TEAMS.get(team), with.use().get(team));
    }
    plots.put("queues.svg", plot.svg());
  }

  private static String line(String how, TeamDay.Result result) {
    return String.format(
        Locale.ROOT,
        "queues   %-14s %6.2f %% of what was asked below the guarantees, Jain's index %5.3f where"
            + " room could be shared (%5.3f of all with unmet demand), %5.2f %% used, %d pods"
            + " placed, %d evicted (%d for guarantees, %d for shares, %d once more, %d early; no"
            + " choice avoids %d), %.0f CPU hours lost",
        how,
        result.guaranteedPercent(),
        result.jain().value(),
        result.jainOfAll().value(),
        result.utilizationPercent(),
        result.placed(),
        result.evicted(),
        result.causes().forGuarantees(),
        result.causes().forShares(),
        result.causes().again(),
        result.evictedEarly(),
        result.causes().unavoidable(),
        result.lostHours());
  }

  private static String line(String how, Burst.Result result) {
    return String.format(
        Locale.ROOT,
        "burst    %-14s hottest node at %5.1f %% of its CPUs, mean %5.1f %%",
        how,
        result.hottest(),
        result.mean());
  }

  private static String line(FillUp.Policy policy, FillUp.Result result) {
    return String.format(
        Locale.ROOT,
        "fillUp   %-14s levels deviate by %5.2f points at half, %5.1f %% of the largest pods"
            + " placed, %5.2f %% allocated",
        policy.key,
        result.stddevAtHalf(),
        result.largestPlacedPercent(),
        result.allocatedPercent());
  }

  private static String line(String policy, Balance.Result result) {
    return String.format(
        Locale.ROOT,
        "balance  %-14s %5.2f %% stranded, %d of %d pods refused",
        policy,
        result.strandedPercent(),
        result.refused(),
        Balance.PODS);
  }
}
