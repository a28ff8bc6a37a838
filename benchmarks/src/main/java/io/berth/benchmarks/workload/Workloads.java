package io.berth.benchmarks.workload;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.WeightedAffinityTerm;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * The list of workloads. A pod requests 100m CPU and 500 MiB of memory unless specified otherwise.
 */
final class Workloads {
  private static final int NODES = 5_000;
  private static final PodKind POD = PodKind.plain(100, 500 * PodKind.MIB);
  private static final Map<String, String> OWN = Map.of("app", "measured");

  private Workloads() {}

  /**
   * Returns the workloads of ordinary pods on 5,000 nodes, and the launch of an app on 300 nodes.
   */
  static List<Workload> ordinary() {
    return List.of(
        workload("SchedulingBasic", 1, 1_000, POD, 2_000, POD),
        workload("SchedulingNodeAffinity", 1, 1_000, POD, 2_000, inZones()),
        workload("TopologySpreading", 3, 5_000, POD, 1_000, spread(true)),
        workload("PreferredTopologySpreading", 3, 5_000, POD, 1_000, spread(false)),
        same("SchedulingPodAffinity", 5_000, 1_000, own(List.of(PodKind.ZONE), List.of())),
        same("SchedulingPodAntiAffinity", 1_000, 1_000, own(List.of(), List.of(PodKind.HOSTNAME))),
        same("SchedulingPreferredPodAffinity", 5_000, 1_000, preferred(true)),
        same("SchedulingPreferredPodAntiAffinity", 5_000, 500, preferred(false)),
        appLaunch());
  }

  private static Workload workload(
      String name, int zones, int running, PodKind runningKind, int measured, PodKind kind) {
    IntFunction<NodeModel> node = number -> Cluster.node(number, zones);
    return new Workload(name, NODES, node, running, number -> runningKind, measured, kind);
  }

  private static Workload same(String name, int running, int measured, PodKind kind) {
    return workload(name, 1, running, kind, measured, kind);
  }

  private static PodKind inZones() {
    return POD.on(
        new NodeSelection(
            Map.of(),
            Optional.of(
                List.of(
                    new NodeTerm(
                        List.of(Requirement.isOneOf(PodKind.ZONE, "zone1", "zone2")),
                        List.of(),
                        false))),
            List.of()));
  }

  private static PodKind spread(boolean hard) {
    return POD.labelled(OWN)
        .spread(
            new SpreadConstraint(
                5, PodKind.ZONE, hard, LabelSelector.ofPairs(OWN), 1, true, false));
  }

  private static PodKind own(List<String> near, List<String> far) {
    return POD.labelled(OWN)
        .with(
            new PodAffinity(
                near.stream().map(key -> PodKind.near("app", "measured", key)).toList(),
                far.stream().map(key -> PodKind.near("app", "measured", key)).toList(),
                List.of(),
                List.of()));
  }

  private static PodKind preferred(boolean near) {
    List<WeightedAffinityTerm> terms =
        List.of(new WeightedAffinityTerm(1, PodKind.near("app", "measured", PodKind.HOSTNAME)));
    return POD.labelled(OWN)
        .with(
            new PodAffinity(
                List.of(), List.of(), near ? terms : List.of(), near ? List.of() : terms));
  }

  private static Workload appLaunch() {
    IntFunction<PodKind> app =
        number ->
            PodKind.plain(50, 200 * PodKind.MIB)
                .labelled(Map.of("app", "app-" + number))
                .with(
                    new PodAffinity(
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(
                            new WeightedAffinityTerm(
                                100, PodKind.near("app", "app-" + number, PodKind.ZONE)),
                            new WeightedAffinityTerm(
                                50, PodKind.near("app", "app-" + number, PodKind.HOSTNAME)))));
    return new Workload(
        "AppLaunch",
        300,
        number -> Cluster.node(number, 3, 64_000, 256L << 30, 200),
        15_000,
        number -> app.apply(number % 15),
        1_000,
        app.apply(15));
  }
}
