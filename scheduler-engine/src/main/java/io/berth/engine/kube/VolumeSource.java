package io.berth.engine.kube;

import io.fabric8.kubernetes.api.model.PersistentVolumeSpec;

/**
 * The driver of a persistent volume, and the volume's handle.
 *
 * @param driver a CSI driver, or an in-tree plugin that nodes may have migrated to CSI; otherwise
 *     empty
 */
record VolumeSource(String driver, String handle) {

  static VolumeSource of(PersistentVolumeSpec spec) {
    if (spec.getCsi() != null) {
      return named(spec.getCsi().getDriver(), spec.getCsi().getVolumeHandle());
    }
    if (spec.getAwsElasticBlockStore() != null) {
      return named("kubernetes.io/aws-ebs", spec.getAwsElasticBlockStore().getVolumeID());
    }
    if (spec.getGcePersistentDisk() != null) {
      return named("kubernetes.io/gce-pd", spec.getGcePersistentDisk().getPdName());
    }
    if (spec.getAzureDisk() != null) {
      return named("kubernetes.io/azure-disk", spec.getAzureDisk().getDiskURI());
    }
    if (spec.getCinder() != null) {
      return named("kubernetes.io/cinder", spec.getCinder().getVolumeID());
    }
    if (spec.getPortworxVolume() != null) {
      return named("kubernetes.io/portworx-volume", spec.getPortworxVolume().getVolumeID());
    }
    return named("", "");
  }

  private static VolumeSource named(String driver, String handle) {
    return new VolumeSource(PodCompiler.orEmpty(driver), PodCompiler.orEmpty(handle));
  }
}
