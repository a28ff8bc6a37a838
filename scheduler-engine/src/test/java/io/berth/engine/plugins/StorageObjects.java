package io.berth.engine.plugins;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodVolume;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.StorageObject;
import io.berth.engine.quantity.ExactQuantity;
import io.berth.engine.volume.CsiDriver;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.StorageClass;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeClaim;
import io.berth.rules.label.LabelOperator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Claims, volumes and classes for the tables of volume plugins. */
final class StorageObjects {
  static final String DRIVER = "ebs.csi.aws.com";
  private static final String CLASS = "class";

  private StorageObjects() {}

  private static ClusterEvent put(StorageObject object) {
    return new ClusterEvent.StorageUpserted(object, "1");
  }

  /** Returns a pod with these claims of its namespace. */
  static Pods podWithClaims(String... claims) {
    Pods pod = Pods.pod("p");
    for (String claim : claims) {
      pod.volume(new PodVolume.Claim(claim, Optional.empty()));
    }
    return pod;
  }

  /** Returns a claim that is bound to a volume. */
  static ClusterEvent boundClaim(String name, String volume, String... accessModes) {
    return claim(name, CLASS, volume, accessModes);
  }

  /** Returns a claim of a class, which is {@code class} in these tables, or of none. */
  static ClusterEvent unboundClaim(String name, String storageClass) {
    return claim(name, storageClass, "");
  }

  private static ClusterEvent claim(
      String name, String storageClass, String volume, String... accessModes) {
    return put(
        new VolumeClaim(
            "default",
            name,
            "uid-" + name,
            "",
            storageClass,
            volume,
            !volume.isEmpty(),
            "",
            false,
            false,
            accessModes.length == 0 ? Set.of("ReadWriteOnce") : Set.of(accessModes),
            Optional.of(ExactQuantity.parse("1Gi")),
            "Filesystem",
            Optional.empty(),
            ""));
  }

  /** Returns a volume with labels that every node reaches. */
  static ClusterEvent volume(String name, Map<String, String> labels) {
    return put(volume(name, labels, Optional.empty()));
  }

  /** Returns a volume that nodes of one zone reach. */
  static ClusterEvent volumeOf(String name, String zone) {
    Requirement inZone = new Requirement("zone", LabelOperator.IN, List.of(zone));
    return put(
        volume(
            name, Map.of(), Optional.of(List.of(new NodeTerm(List.of(inZone), List.of(), false)))));
  }

  private static Volume volume(
      String name, Map<String, String> labels, Optional<List<NodeTerm>> nodeTerms) {
    return new Volume(
        name,
        labels,
        Optional.empty(),
        CLASS,
        ExactQuantity.parse("10Gi"),
        "Filesystem",
        Set.of("ReadWriteOnce"),
        true,
        false,
        nodeTerms,
        nodeTerms,
        DRIVER,
        "handle-" + name,
        "");
  }

  /** Returns the class of these tables, whose volumes are created manually or by a provisioner. */
  static ClusterEvent storageClass(String provisioner, boolean waitsForConsumer) {
    return put(new StorageClass(CLASS, provisioner, Optional.of(waitsForConsumer), List.of()));
  }

  /** Returns a limit of the number of the driver's volumes on a node. */
  static ClusterEvent limit(String node, int volumes) {
    return put(new CsiNode(node, Map.of(DRIVER, volumes), Set.of()));
  }

  /** Returns a node on which drivers are installed that report no limit. */
  static ClusterEvent drivers(String node, String... names) {
    return put(new CsiNode(node, Set.of(names), Map.of(), Set.of()));
  }

  /** Returns the driver of the volumes of these tables. */
  static ClusterEvent driver(boolean requiredOnNodes) {
    return put(new CsiDriver(DRIVER, false, requiredOnNodes));
  }
}
