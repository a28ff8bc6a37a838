package io.berth.engine.volume;

import io.berth.engine.model.StorageObject;

/**
 * A CSIDriver.
 *
 * @param publishesCapacity whether volumes are provisioned only if a {@link StorageCapacity} has
 *     room
 * @param requiredOnNodes whether pods with its volumes may only use nodes on which it is installed
 */
public record CsiDriver(String name, boolean publishesCapacity, boolean requiredOnNodes)
    implements StorageObject {

  /** The kind, as in the API. */
  public static final String KIND = "CSIDriver";

  /** A driver that pods may await on their nodes. */
  public CsiDriver(String name, boolean publishesCapacity) {
    this(name, publishesCapacity, false);
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public String namespace() {
    return "";
  }
}
