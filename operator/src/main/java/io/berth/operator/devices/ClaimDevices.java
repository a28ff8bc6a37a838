package io.berth.operator.devices;

import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** The devices that are allocated to a resource claim, as its status names them. */
public final class ClaimDevices {
  private ClaimDevices() {}

  /** A device. */
  public record Device(String driver, String pool, String name) {}

  /** Returns the results of the allocation, without administrative access. */
  public static Stream<DeviceRequestAllocationResult> allocated(ResourceClaim claim) {
    if (claim.getStatus() == null
        || claim.getStatus().getAllocation() == null
        || claim.getStatus().getAllocation().getDevices() == null) {
      return Stream.empty();
    }
    return Objects.requireNonNullElse(
            claim.getStatus().getAllocation().getDevices().getResults(),
            List.<DeviceRequestAllocationResult>of())
        .stream()
        .filter(result -> !Boolean.TRUE.equals(result.getAdminAccess()));
  }

  /** Returns the device of a result if it is for one claim alone; empty if it is shared. */
  public static Optional<Device> unshared(DeviceRequestAllocationResult result) {
    return result.getShareID() == null
        ? Optional.of(new Device(result.getDriver(), result.getPool(), result.getDevice()))
        : Optional.empty();
  }
}
