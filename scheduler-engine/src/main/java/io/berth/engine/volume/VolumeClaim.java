package io.berth.engine.volume;

import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.StorageObject;
import io.berth.engine.quantity.ExactQuantity;
import java.util.Optional;
import java.util.Set;

/**
 * A PersistentVolumeClaim.
 *
 * @param ownerUid UID of the object that controls it; empty where none does
 * @param storageClass empty where it names none
 * @param volumeName the volume it is bound to, or asks for; empty where it is neither
 * @param bindCompleted whether the binding to {@code volumeName} is complete on both sides
 * @param selectedNode the node for which its volume is being provisioned; empty where none is
 *     chosen
 * @param lost its volume is gone
 * @param requested how much storage it asks for; absent where it does not say
 * @param selector which volumes may serve it; absent where any may
 * @param attributesClass its VolumeAttributesClass; empty where it names none
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

  /** Access mode of a claim that one pod alone may use. */
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

  /** The same, with its volume to be made for this node. */
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
