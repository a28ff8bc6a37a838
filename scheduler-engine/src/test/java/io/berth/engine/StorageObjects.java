package io.berth.engine;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;

/** StorageClasses and PersistentVolumes of tests. */
final class StorageObjects {
  private StorageObjects() {}

  /** Returns a class whose claims wait for the node of their pod. */
  static StorageClass storageClass(String name, String provisioner) {
    return new StorageClassBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withProvisioner(provisioner)
        .withVolumeBindingMode("WaitForFirstConsumer")
        .build();
  }

  /**
   * Returns a free volume that only nodes with a label reach.
   *
   * @param size a quantity, such as {@code 10Gi}
   */
  static PersistentVolume volume(
      String name, String storageClass, String size, String label, String value) {
    return new PersistentVolumeBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withStorageClassName(storageClass)
        .withAccessModes("ReadWriteOnce")
        .addToCapacity("storage", new Quantity(size))
        .withNewNodeAffinity()
        .withNewRequired()
        .addNewNodeSelectorTerm()
        .addNewMatchExpression()
        .withKey(label)
        .withOperator("In")
        .withValues(value)
        .endMatchExpression()
        .endNodeSelectorTerm()
        .endRequired()
        .endNodeAffinity()
        .endSpec()
        .withNewStatus()
        .withPhase("Available")
        .endStatus()
        .build();
  }
}
