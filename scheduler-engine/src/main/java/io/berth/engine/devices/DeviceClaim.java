package io.berth.engine.devices;

import io.berth.engine.model.DeviceObject;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A ResourceClaim.
 *
 * @param deleting whether it has a deletion timestamp
 * @param controllerUid the UID of the pod that it was made for; empty if it was made by hand
 * @param extended whether a scheduler made it for extended resources
 * @param allocation its devices; absent if it has none yet
 * @param allocatedAt when they were allocated, if known
 * @param readiness how far its devices are prepared
 * @param reservedFor the UIDs of the pods that may use it
 */
public record DeviceClaim(
    String namespace,
    String name,
    String uid,
    boolean deleting,
    String controllerUid,
    boolean extended,
    ClaimSpec spec,
    Optional<DeviceAllocation> allocation,
    Optional<Instant> allocatedAt,
    Readiness readiness,
    Set<String> reservedFor)
    implements DeviceObject {
  /** Its kind in the API. */
  public static final String KIND = "ResourceClaim";

  /** The progress of the preparation that devices with binding conditions need. */
  public enum Readiness {
    /** All conditions hold, or there are none. */
    READY,
    /** A condition does not hold yet. */
    WAITING,
    /** A condition says that preparation has failed. */
    FAILED
  }

  public DeviceClaim {
    reservedFor = Set.copyOf(reservedFor);
  }

  @Override
  public String kind() {
    return KIND;
  }

  /** Returns the namespace and name. */
  public String fullName() {
    return namespace + "/" + name;
  }
}
