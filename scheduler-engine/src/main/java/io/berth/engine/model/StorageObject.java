package io.berth.engine.model;

/**
 * An object that volume plugins read: PersistentVolumeClaim, PersistentVolume, StorageClass,
 * CSINode, CSIDriver or CSIStorageCapacity.
 */
public interface StorageObject {
  /** Returns its kind, as in the API. */
  String kind();

  /** Returns its namespace; empty for a cluster-scoped object. */
  String namespace();

  String name();
}
