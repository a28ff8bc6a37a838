package io.berth.engine.plugins;

import io.berth.engine.model.PodVolume;
import io.berth.engine.volume.AttachedVolumes;
import io.berth.engine.volume.CsiDriver;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.StorageTable;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The CSI drivers that have to be installed on a pod's node: those of its volumes whose CSIDriver
 * has {@code preventPodSchedulingIfMissing}. The API server keeps this field if its feature
 * VolumeLimitScaling is enabled, which is the default from Kubernetes 1.37 on.
 *
 * @param onSilentNodes those on nodes without a CSINode, where volumes of migrated plugins do not
 *     count for a driver
 * @param onOtherNodes those on nodes with a CSINode
 */
record RequiredDrivers(Set<String> onSilentNodes, Set<String> onOtherNodes) {
  static final RequiredDrivers NONE = new RequiredDrivers(Set.of(), Set.of());

  /**
   * Returns the drivers that volumes require.
   *
   * @param namespace the namespace of the volumes' claims
   */
  static RequiredDrivers of(String namespace, List<PodVolume> volumes, StorageTable storage) {
    Set<String> silent = required(namespace, volumes, storage, false);
    Set<String> others = required(namespace, volumes, storage, true);
    return silent.isEmpty() && others.isEmpty() ? NONE : new RequiredDrivers(silent, others);
  }

  private static Set<String> required(
      String namespace, List<PodVolume> volumes, StorageTable storage, boolean tellsDrivers) {
    AttachedVolumes wanted = new AttachedVolumes(storage, tellsDrivers);
    wanted.addAll(namespace, volumes);
    Set<String> required = new TreeSet<>(); // the first one that is missing is reported
    for (String driver : wanted.drivers()) {
      if (storage.csiDriver(driver).map(CsiDriver::requiredOnNodes).orElse(false)) {
        required.add(driver);
      }
    }
    return required;
  }

  boolean isEmpty() {
    return onSilentNodes.isEmpty() && onOtherNodes.isEmpty();
  }

  /** Returns a driver that is not installed on the node; empty if all are. */
  Optional<String> missingOn(Optional<CsiNode> node) {
    return node.isEmpty()
        ? onSilentNodes.stream().findFirst()
        : onOtherNodes.stream()
            .filter(driver -> !node.get().drivers().contains(driver))
            .findFirst();
  }
}
