package io.berth.operator.devices;

import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The devices that are allocated to a resource claim, as its status names them. */
public final class ClaimDevices {
  private ClaimDevices() {}

  /** A device. */
  public record Device(String driver, String pool, String name) {
    static final Comparator<Device> ORDER =
        Comparator.comparing(Device::driver)
            .thenComparing(Device::pool)
            .thenComparing(Device::name);

    /** Returns the pool that it belongs to. */
    public DeviceCounts.Pool inPool() {
      return new DeviceCounts.Pool(driver, pool);
    }

    @Override
    public String toString() {
      return driver + "/" + pool + "/" + name;
    }
  }

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

  /** Returns the device that a result names. */
  public static Device deviceOf(DeviceRequestAllocationResult result) {
    return new Device(result.getDriver(), result.getPool(), result.getDevice());
  }
}
