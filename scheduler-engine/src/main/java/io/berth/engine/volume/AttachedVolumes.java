package io.berth.engine.volume;

import io.berth.engine.model.PodVolume;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Volumes that count towards a node's limits of attached CSI volumes: each once, by driver and
 * handle, for all users. Volumes of in-tree plugins that were migrated to CSI count for the CSI
 * driver, on every node that has reported its drivers.
 */
public final class AttachedVolumes {
  /** Plugins that are migrated to CSI everywhere, and whose volumes are not counted here. */
  private static final Set<String> UNCOUNTED =
      Set.of("kubernetes.io/azure-file", "kubernetes.io/vsphere-volume");

  private static final Map<String, String> PLUGIN_OF_DISK =
      Map.of(
          "awsElasticBlockStore", "kubernetes.io/aws-ebs",
          "gcePersistentDisk", "kubernetes.io/gce-pd",
          "azureDisk", "kubernetes.io/azure-disk",
          "cinder", "kubernetes.io/cinder",
          "portworxVolume", "kubernetes.io/portworx-volume");

  private final StorageTable storage;
  private final boolean tellsDrivers;
  private final Map<String, String> driverOfVolume = new HashMap<>();

  /**
   * @param node the node's CSI drivers; absent if it has not reported any
   */
  public AttachedVolumes(StorageTable storage, Optional<CsiNode> node) {
    this(storage, node.isPresent());
  }

  /**
   * @param tellsDrivers whether the node has reported its CSI drivers
   */
  public AttachedVolumes(StorageTable storage, boolean tellsDrivers) {
    this.storage = storage;
    this.tellsDrivers = tellsDrivers;
  }

  /** Returns whether volumes of this kind can count. */
  public static boolean counts(PodVolume volume) {
    return switch (volume) {
      case PodVolume.Claim claim -> true;
      case PodVolume.UnboundClaim claim -> true;
      case PodVolume.Disk disk -> PLUGIN_OF_DISK.containsKey(disk.kind());
      case PodVolume.Inline inline -> false;
    };
  }

  /** Adds a pod's volumes; claims that do not exist are skipped. */
  public void addAll(String namespace, List<PodVolume> volumes) {
    int unbound = 0;
    for (PodVolume volume : volumes) {
      switch (volume) {
        case PodVolume.Claim wanted ->
            storage.claim(namespace, wanted.claimName()).ifPresent(this::addClaim);
        case PodVolume.UnboundClaim wanted -> addUnbound(wanted.storageClass(), "#" + unbound++);
        case PodVolume.Disk disk -> {
          String plugin = PLUGIN_OF_DISK.getOrDefault(disk.kind(), "");
          add(plugin, CsiMigration.handle(plugin, disk.id(), Map.of()));
        }
        case PodVolume.Inline inline -> {
          // It is not attached, and therefore not counted.
        }
      }
    }
  }

  private void addClaim(VolumeClaim claim) {
    Optional<Volume> volume =
        claim.volumeName().isEmpty() ? Optional.empty() : storage.volume(claim.volumeName());
    if (volume.isPresent()) {
      add(volume.get().driver(), volume.get().handle());
    } else {
      addUnbound(claim.storageClass(), claim.namespace() + "/" + claim.name());
    }
  }

  private void addUnbound(String className, String claim) {
    storage
        .storageClass(className)
        .ifPresent(storageClass -> add(storageClass.provisioner(), claim));
  }

  /** Adds the volumes that are attached to the node even if no pod there uses them. */
  public void addAttachments(String nodeName) {
    for (VolumeAttachment attachment : storage.attachmentsTo(nodeName)) {
      Optional<Volume> volume = storage.volume(attachment.volumeName());
      if (!attachment.driver().isEmpty()
          && volume.isPresent()
          && CsiMigration.driverOf(volume.get().driver()).isEmpty()
          && !volume.get().handle().isEmpty()) {
        put(attachment.driver(), volume.get().handle());
      }
    }
  }

  private void add(String driver, String handle) {
    if (driver.isEmpty() || handle.isEmpty() || UNCOUNTED.contains(driver)) {
      return;
    }
    Optional<String> successor = CsiMigration.driverOf(driver);
    if (successor.isEmpty()) {
      put(driver, handle);
    } else if (tellsDrivers) {
      put(successor.get(), handle);
    }
  }

  private void put(String driver, String handle) {
    driverOfVolume.put(driver + "/" + handle, driver);
  }

  /** Returns whether no volume counts. */
  public boolean isEmpty() {
    return driverOfVolume.isEmpty();
  }

  /** Returns the drivers of these volumes. */
  public Set<String> drivers() {
    return Set.copyOf(driverOfVolume.values());
  }

  /** Returns the number of these volumes by driver that are not among the others. */
  public Map<String, Integer> countsBeyond(AttachedVolumes others) {
    Map<String, Integer> counts = new HashMap<>();
    driverOfVolume.forEach(
        (volume, driver) -> {
          if (!others.driverOfVolume.containsKey(volume)) {
            counts.merge(driver, 1, Integer::sum);
          }
        });
    return counts;
  }

  /** Returns the number of these volumes of a driver. */
  public int countOf(String driver) {
    return Collections.frequency(driverOfVolume.values(), driver);
  }
}
