package io.berth.engine.volume;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.StorageObject;
import io.berth.engine.quantity.ExactQuantity;
import java.util.Optional;
import java.util.Set;

/**
 * A PersistentVolumeClaim.
 *
 * @param ownerUid the UID of its controller; empty if there is none
 * @param storageClass empty if it has none
 * @param volumeName the volume that it is bound to, or requests; empty if there is none
 * @param bindCompleted whether the binding to {@code volumeName} is complete on both sides
 * @param selectedNode the node for which its volume is being provisioned; empty if none is chosen
 * @param lost whether its volume was lost
 * @param requested the requested storage; absent if there is no request
 * @param selector selects suitable volumes; absent if any is
 * @param attributesClass its VolumeAttributesClass; empty if it has none
 */
public record VolumeClaim(
    String namespace,
    String name,
    String uid,
    String ownerUid,
    String storageClass,
    String volumeName,
    boolean bindCompleted,
    String selectedNode,
    boolean lost,
    boolean terminating,
    Set<String> accessModes,
    Optional<ExactQuantity> requested,
    String volumeMode,
    Optional<LabelSelector> selector,
    String attributesClass)
    implements StorageObject {

  /** The kind, as in the API. */
  public static final String KIND = "PersistentVolumeClaim";

  /** The access mode of a claim that only one pod may use. */
  public static final String READ_WRITE_ONCE_POD = "ReadWriteOncePod";

  public VolumeClaim {
    accessModes = Set.copyOf(accessModes);
  }

  @Override
  public String kind() {
    return KIND;
  }

  /** Returns whether it has a volume and the binding is complete. */
  public boolean isBound() {
    return bindCompleted && !volumeName.isEmpty();
  }

  /** Returns the same claim, with its volume to be provisioned for this node. */
  VolumeClaim withSelectedNode(String nodeName) {
    return new VolumeClaim(
        namespace,
        name,
        uid,
        ownerUid,
        storageClass,
        volumeName,
        bindCompleted,
        nodeName,
        lost,
        terminating,
        accessModes,
        requested,
        volumeMode,
        selector,
        attributesClass);
  }
}
