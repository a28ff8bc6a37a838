package io.berth.engine.kube;

import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodVolume;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Compiles those volumes of a pod that affect its placement. */
final class VolumeCompiler {
  private VolumeCompiler() {}

  static List<PodVolume> volumes(List<Volume> volumes, PodRef pod) {
    List<PodVolume> result = new ArrayList<>();
    for (Volume volume : volumes) {
      add(volume, pod, result);
    }
    return result;
  }

  private static void add(Volume volume, PodRef pod, List<PodVolume> result) {
    if (volume.getPersistentVolumeClaim() != null) {
      String claim = PodCompiler.orEmpty(volume.getPersistentVolumeClaim().getClaimName());
      result.add(new PodVolume.Claim(claim, Optional.empty()));
    } else if (volume.getEphemeral() != null) {
      result.add(new PodVolume.Claim(pod.name() + "-" + volume.getName(), Optional.of(pod)));
    } else if (volume.getCsi() != null) {
      result.add(
          new PodVolume.Inline(
              PodCompiler.orEmpty(volume.getCsi().getDriver()),
              PodCompiler.orEmpty(volume.getName())));
    } else {
      addDisk(volume, result);
    }
  }

  private static void addDisk(Volume volume, List<PodVolume> result) {
    if (volume.getGcePersistentDisk() != null) {
      result.add(
          disk(
              "gcePersistentDisk",
              volume.getGcePersistentDisk().getPdName(),
              volume.getGcePersistentDisk().getReadOnly()));
    } else if (volume.getAwsElasticBlockStore() != null) {
      // Pods never share these, not even read-only.
      result.add(
          disk("awsElasticBlockStore", volume.getAwsElasticBlockStore().getVolumeID(), false));
    } else if (volume.getIscsi() != null) {
      result.add(disk("iscsi", volume.getIscsi().getIqn(), volume.getIscsi().getReadOnly()));
    } else if (volume.getRbd() != null) {
      // Two images are the same if they share any monitor: add one entry for each.
      for (String monitor : volume.getRbd().getMonitors()) {
        String id = monitor + "/" + volume.getRbd().getPool() + "/" + volume.getRbd().getImage();
        result.add(disk("rbd", id, volume.getRbd().getReadOnly()));
      }
    } else if (volume.getAzureDisk() != null) {
      result.add(disk("azureDisk", volume.getAzureDisk().getDiskURI(), false));
    } else if (volume.getCinder() != null) {
      result.add(disk("cinder", volume.getCinder().getVolumeID(), false));
    } else if (volume.getPortworxVolume() != null) {
      result.add(disk("portworxVolume", volume.getPortworxVolume().getVolumeID(), false));
    }
  }

  private static PodVolume disk(String kind, String id, Boolean readOnly) {
    return new PodVolume.Disk(kind, PodCompiler.orEmpty(id), Boolean.TRUE.equals(readOnly));
  }
}
