package io.berth.operator.feed;

import io.berth.operator.devices.ClaimDevices;
import io.berth.operator.devices.ClaimDevices.Device;
import io.berth.operator.devices.DeviceCounts.Pool;
import io.berth.operator.devices.PublishedPool;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The resource claims by the devices that they have, without administrative access. Used under the
 * lock of the claims' cache.
 */
final class DeviceHolders implements KindCache.Follower<ResourceClaim> {
  private final Map<Device, Map<String, ResourceClaim>> holders = new HashMap<>();
  private final PublishedPools pools;

  /**
   * @param pools the devices that there are
   */
  DeviceHolders(PublishedPools pools) {
    this.pools = pools;
  }

  @Override
  public void put(ResourceClaim claim) {
    for (Device device : devices(claim)) {
      holders.computeIfAbsent(device, of -> new TreeMap<>()).put(name(claim), claim);
    }
  }

  @Override
  public void changed(ResourceClaim before, ResourceClaim claim) {
    removed(before);
    put(claim);
  }

  @Override
  public void removed(ResourceClaim claim) {
    for (Device device : devices(claim)) {
      holders.computeIfPresent(
          device,
          (of, claims) -> claims.remove(name(claim)) != null && claims.isEmpty() ? null : claims);
    }
  }

  /**
   * Returns what other claims have that they and the claim cannot all have, in words: one of its
   * devices, or so much of a shared device or of a counter that there is not enough of it.
   */
  Optional<String> conflictOf(ResourceClaim claim) {
    for (Device device : devices(claim)) {
      for (Map.Entry<String, ResourceClaim> other : claimsWith(device).entrySet()) {
        if (!other.getKey().equals(name(claim)) && hasForItself(other.getValue(), device)) {
          return Optional.of("ResourceClaim %s has device %s".formatted(other.getKey(), device));
        }
      }
    }
    Set<Pool> withParts = new LinkedHashSet<>();
    for (Device device : devices(claim)) {
      if (pools.of(device.inPool()).hasParts(device)) {
        withParts.add(device.inPool());
      }
    }
    return withParts.stream().flatMap(pool -> overdrawn(claim, pool).stream()).findFirst();
  }

  private Optional<String> overdrawn(ResourceClaim claim, Pool pool) {
    Set<Device> own = devices(claim);
    for (PublishedPool.Overdrawn overdrawn : pools.of(pool).overdrawn(this::results)) {
      if (overdrawn.devices().stream().anyMatch(own::contains)) {
        Set<String> others = new TreeSet<>();
        overdrawn.devices().forEach(device -> others.addAll(claimsWith(device).keySet()));
        others.remove(name(claim));
        if (!others.isEmpty()) {
          return Optional.of(
              "with %s, claims have %s"
                  .formatted(others.stream().findFirst().orElseThrow(), overdrawn.what()));
        }
      }
    }
    return Optional.empty();
  }

  private Map<String, ResourceClaim> claimsWith(Device device) {
    return holders.getOrDefault(device, Map.of());
  }

  private List<DeviceRequestAllocationResult> results(Device device) {
    return claimsWith(device).values().stream()
        .flatMap(ClaimDevices::allocated)
        .filter(result -> ClaimDevices.deviceOf(result).equals(device))
        .toList();
  }

  private static boolean hasForItself(ResourceClaim claim, Device device) {
    return ClaimDevices.allocated(claim)
        .anyMatch(
            result -> result.getShareID() == null && ClaimDevices.deviceOf(result).equals(device));
  }

  private static String name(ResourceClaim claim) {
    return claim.getMetadata().getNamespace() + "/" + claim.getMetadata().getName();
  }

  private static Set<Device> devices(ResourceClaim claim) {
    return ClaimDevices.allocated(claim)
        .map(ClaimDevices::deviceOf)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }
}
