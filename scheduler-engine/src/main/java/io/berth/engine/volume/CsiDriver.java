package io.berth.engine.volume;

import io.berth.engine.model.StorageObject;

/**
 * A CSIDriver.
 *
 * @param publishesCapacity whether volumes are provisioned only if a {@link StorageCapacity} has
 *     room
 */
public record CsiDriver(String name, boolean publishesCapacity) implements StorageObject {

  /** The kind, as in the API. */
  public static final String KIND = "CSIDriver";

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public String namespace() {
    return "";
  }
}
