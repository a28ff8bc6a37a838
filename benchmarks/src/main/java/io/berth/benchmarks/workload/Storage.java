package io.berth.benchmarks.workload;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodVolume;
import io.berth.engine.model.Requirement;
import io.berth.engine.quantity.ExactQuantity;
import io.berth.engine.volume.StorageClass;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeClaim;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Adds local volumes to a cluster, and claims for them that wait for their first consumer. */
final class Storage {
  private static final String LOCAL = "local";
  private static final Set<String> ONCE = Set.of("ReadWriteOnce");

  private Storage() {}

  /** Adds the StorageClass of the volumes. */
  static void addClass(Cluster cluster) {
    cluster.apply(
        new ClusterEvent.StorageUpserted(
            new StorageClass(LOCAL, StorageClass.NO_PROVISIONER, Optional.of(true), List.of()),
            "1"));
  }

  /** Adds an unbound volume of 10 GiB that is available on one node only. */
  static void addVolume(Cluster cluster, String name, String nodeName) {
    NodeTerm onNode =
        new NodeTerm(List.of(Requirement.isOneOf(PodKind.HOSTNAME, nodeName)), List.of(), false);
    cluster.apply(
        new ClusterEvent.StorageUpserted(
            new Volume(
                name,
                Map.of(),
                Optional.empty(),
                LOCAL,
                ExactQuantity.ofUnits(10L << 30),
                "Filesystem",
                ONCE,
                true,
                false,
                Optional.of(List.of(onNode)),
                Optional.empty(),
                "",
                "",
                ""),
            "1"));
  }

  /** Adds a claim for a volume of this size, in GiB. */
  static void addClaim(Cluster cluster, String name, long gibibytes) {
    cluster.apply(
        new ClusterEvent.StorageUpserted(
            new VolumeClaim(
                PodKind.NAMESPACE,
                name,
                "uid-" + name,
                "",
                LOCAL,
                "",
                false,
                "",
                false,
                false,
                ONCE,
                Optional.of(ExactQuantity.ofUnits(gibibytes << 30)),
                "Filesystem",
                Optional.empty(),
                ""),
            "1"));
  }

  /** Returns a copy of a kind whose pods use a claim. */
  static PodKind using(PodKind kind, String claim) {
    return new PodKind(
        kind.labels(),
        Pods.from(kind.spec())
            .volumes(List.of(new PodVolume.Claim(claim, Optional.empty())))
            .spec());
  }
}
