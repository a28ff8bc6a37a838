package io.berth.benchmarks.workload;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodVolume;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.quantity.ExactQuantity;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeClaim;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Preemption on nodes that are filled with four pods of low priority each, by pods that each
 * require the evictions of three. A pod is measured from its first attempt to its placement;
 * victims terminate immediately.
 *
 * @param nodes the number of nodes
 * @param preemptors the kind of the preempting pods
 */
record PreemptionWorkload(int nodes, Preemptors preemptors) {
  private static final int COUNT = 1_000;
  private static final int USUAL_NODES = 5_000;
  private static final Map<String, String> OWN = Map.of("app", "high");
  private static final String DRIVER = "disk.example.com";

  /** The kinds of preempting pods. */
  enum Preemptors {
    /** Pods that request only CPU and memory. */
    PLAIN(""),
    /** Pods with a required spread constraint over zones. */
    SPREAD("Spreading"),
    /** Pods with required anti-affinity to each other's nodes. */
    ANTI_AFFINITY("AntiAffinity"),
    /** Pods with a volume each, of a driver that limits the number of volumes per node. */
    VOLUME("Volumes");

    private final String suffix;

    Preemptors(String suffix) {
      this.suffix = suffix;
    }
  }

  String name() {
    return "Preemption" + preemptors.suffix + (nodes == USUAL_NODES ? "" : "-" + nodes);
  }

  Measurement run() {
    Cluster cluster = new Cluster();
    PodKind low = PodKind.plain(1_000, 1L << 30).withPriority(1);
    for (int i = 0; i < nodes; i++) {
      cluster.addNode(Cluster.node(i, 3));
      if (preemptors == Preemptors.VOLUME) {
        cluster.apply(
            new ClusterEvent.StorageUpserted(
                new CsiNode("node-" + i, Map.of(DRIVER, 25), Set.of()), "1"));
      }
      for (int j = 0; j < 4; j++) {
        cluster.addPod(low.pod("low-" + i + "-" + j, "node-" + i));
      }
    }
    PodKind high = kind();
    long[] nanos = new long[COUNT];
    Meter meter = Meter.start(cluster);
    long busy = 0;
    for (int i = 0; i < COUNT; i++) {
      PodModel pod =
          preemptors == Preemptors.VOLUME
              ? withVolume(high, i, cluster).pod("high-" + i, "")
              : high.pod("high-" + i, "");
      cluster.addPod(pod);
      long began = ProcessorTime.ofThisThread();
      long start = System.nanoTime();
      place(cluster);
      nanos[i] = System.nanoTime() - start;
      busy += ProcessorTime.ofThisThread() - began;
    }
    return meter.stop(name(), busy, nanos, cluster);
  }

  private PodKind kind() {
    PodKind high = PodKind.plain(3_000, 3L << 30).withPriority(1_000).labelled(OWN);
    return switch (preemptors) {
      case PLAIN, VOLUME -> high;
      case SPREAD ->
          high.spread(
              new SpreadConstraint(
                  1, PodKind.ZONE, true, LabelSelector.ofPairs(OWN), 1, true, false));
      case ANTI_AFFINITY ->
          high.with(
              new PodAffinity(
                  List.of(),
                  List.of(PodKind.near("app", "high", PodKind.HOSTNAME)),
                  List.of(),
                  List.of()));
    };
  }

  private static PodKind withVolume(PodKind kind, int number, Cluster cluster) {
    String claim = "claim-" + number;
    String volume = "volume-" + number;
    cluster.apply(
        new ClusterEvent.StorageUpserted(
            new Volume(
                volume,
                Map.of(),
                Optional.of(new Volume.ClaimRef(PodKind.NAMESPACE, claim, "uid-" + claim)),
                "",
                ExactQuantity.ZERO,
                "Filesystem",
                Set.of("ReadWriteOnce"),
                false,
                false,
                Optional.empty(),
                Optional.empty(),
                DRIVER,
                "handle-" + number,
                ""),
            "1"));
    cluster.apply(
        new ClusterEvent.StorageUpserted(
            new VolumeClaim(
                PodKind.NAMESPACE,
                claim,
                "uid-" + claim,
                "",
                "",
                volume,
                true,
                "",
                false,
                false,
                Set.of("ReadWriteOnce"),
                Optional.empty(),
                "Filesystem",
                Optional.empty(),
                ""),
            "1"));
    return new PodKind(
        kind.labels(),
        Pods.from(kind.spec())
            .volumes(List.of(new PodVolume.Claim(claim, Optional.empty())))
            .spec());
  }

  private static void place(Cluster cluster) {
    while (true) {
      Decision decision = cluster.decide();
      switch (decision) {
        case Decision.Placed placed -> {
          cluster.apply(new ClusterEvent.BindingConfirmed(placed.pod()));
          return;
        }
        case Decision.Nominated nominated -> {
          if (nominated.victims().size() != 3) {
            throw new IllegalStateException("other than three victims: " + nominated.victims());
          }
          for (PodRef victim : nominated.victims()) {
            cluster.removePod(victim);
          }
        }
        case Decision.Unschedulable unschedulable ->
            throw new IllegalStateException("Preemption: " + unschedulable.message());
        case Decision.GivenBack givenBack ->
            throw new IllegalStateException("Preemption: " + givenBack.message());
        case Decision.Quarantined quarantined ->
            throw new IllegalStateException("Preemption", quarantined.cause());
      }
    }
  }
}
