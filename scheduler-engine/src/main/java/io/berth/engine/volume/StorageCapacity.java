package io.berth.engine.volume;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.StorageObject;
import io.berth.engine.quantity.ExactQuantity;
import java.util.Optional;

/**
 * A CSIStorageCapacity.
 *
 * @param nodes selects the nodes that reach this storage; no node if absent
 * @param largestVolume the size of the largest volume that can be provisioned there; absent if it
 *     is not reported
 * @param free the sum of the sizes of all volumes that can be provisioned there; absent if it is
 *     not reported
 */
public record StorageCapacity(
    String namespace,
    String name,
    String storageClass,
    LabelSelector nodes,
    Optional<ExactQuantity> largestVolume,
    Optional<ExactQuantity> free)
    implements StorageObject {

  /** The kind, as in the API. */
  public static final String KIND = "CSIStorageCapacity";

  @Override
  public String kind() {
    return KIND;
  }
}
