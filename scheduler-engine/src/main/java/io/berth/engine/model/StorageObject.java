package io.berth.engine.model;

/**
 * An object that volume plugins read: PersistentVolumeClaim, PersistentVolume, StorageClass,
 * CSINode, CSIDriver or CSIStorageCapacity.
 */
public interface StorageObject {
  /** Its kind, as in the API. */
  String kind();

  /** Its namespace; empty for an object of the cluster. */
  String namespace();

  String name();
}
