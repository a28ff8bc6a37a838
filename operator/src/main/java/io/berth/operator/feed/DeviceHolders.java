package io.berth.operator.feed;

import io.berth.operator.devices.ClaimDevices;
import io.berth.operator.devices.ClaimDevices.Device;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The resource claims by the devices that they have for themselves: those that are not shared, and
 * to which they have no administrative access. Used under the lock of the claims' cache.
 */
final class DeviceHolders implements KindCache.Follower<ResourceClaim> {
  private final Map<Device, Set<String>> holders = new HashMap<>();

  @Override
  public void put(ResourceClaim claim) {
    devices(claim)
        .forEach(
            device -> holders.computeIfAbsent(device, of -> new HashSet<>(2)).add(name(claim)));
  }

  @Override
  public void changed(ResourceClaim before, ResourceClaim claim) {
    removed(before);
    put(claim);
  }

  @Override
  public void removed(ResourceClaim claim) {
    devices(claim)
        .forEach(
            device ->
                holders.computeIfPresent(
                    device,
                    (of, names) -> names.remove(name(claim)) && names.isEmpty() ? null : names));
  }

  /** Returns the name of another claim that has one of the claim's devices. */
  Optional<String> beside(ResourceClaim claim) {
    return devices(claim)
        .flatMap(device -> holders.getOrDefault(device, Set.of()).stream())
        .filter(name -> !name.equals(name(claim)))
        .sorted()
        .findFirst();
  }

  private static String name(ResourceClaim claim) {
    return claim.getMetadata().getNamespace() + "/" + claim.getMetadata().getName();
  }

  private static Stream<Device> devices(ResourceClaim claim) {
    return ClaimDevices.allocated(claim).map(ClaimDevices::unshared).flatMap(Optional::stream);
  }
}
