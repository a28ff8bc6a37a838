package io.berth.engine.model;

/**
 * An object of dynamic resource allocation: ResourceSlice, DeviceTaintRule, DeviceClass, or
 * ResourceClaim.
 */
public interface DeviceObject {
  /** Returns its kind, as in the API. */
  String kind();

  /** Returns its namespace; empty for a cluster-scoped object. */
  String namespace();

  String name();
}
