package io.berth.engine.volume;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.StorageObject;
import io.berth.engine.quantity.ExactQuantity;
import java.util.Optional;

/**
 * A CSIStorageCapacity.
 *
 * @param nodes which nodes reach this storage; none where absent
 * @param largestVolume the largest volume that can be made there; absent where it does not say
 */
public record StorageCapacity(
    String namespace,
    String name,
    String storageClass,
    LabelSelector nodes,
    Optional<ExactQuantity> largestVolume)
    implements StorageObject {

  /** The kind, as in the API. */
  public static final String KIND = "CSIStorageCapacity";

  @Override
  public String kind() {
    return KIND;
  }
}
