package io.berth.operator.devices;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import io.berth.operator.devices.ClaimDevices.Device;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSubRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourcePool;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * The number of devices of dynamic resource allocation.
 *
 * @param published the devices of each pool, as its drivers publish them
 * @param allocated the devices that claims have, without administrative access. A device that
 *     several claims share counts once for each
 * @param givenTwice the devices that several claims have, and that are not shared; and the
 *     capacities of shared devices, and counters, of which claims have more than there is
 */
public record DeviceCounts(
    Map<Pool, Long> published, Map<Allocated, Long> allocated, long givenTwice) {
  /** The number of pools above which devices are counted by driver only. */
  static final int MOST_POOLS = 512;

  /** The counts without any device. */
  public static final DeviceCounts NONE = new DeviceCounts(Map.of(), Map.of(), 0);

  /**
   * A pool of devices.
   *
   * @param pool its name; empty for all pools of the driver together
   */
  public record Pool(String driver, String pool) {
    /** Returns the pool that a slice belongs to. */
    public static Pool of(ResourceSlice slice) {
      ResourcePool pool = slice.getSpec().getPool();
      return new Pool(slice.getSpec().getDriver(), pool == null ? "" : pool.getName());
    }

    static long generationOf(ResourceSlice slice) {
      ResourcePool pool = slice.getSpec().getPool();
      return pool == null ? 0 : Objects.requireNonNullElse(pool.getGeneration(), 0L);
    }
  }

  /**
   * The devices of a pool that were asked for by a class.
   *
   * @param deviceClass the DeviceClass of the request; empty if the claim does not tell
   */
  public record Allocated(Pool pool, String deviceClass) {}

  /**
   * Counts devices. Of each pool, only the slices of the highest generation count, as in the
   * allocation.
   */
  public static DeviceCounts of(
      Collection<ResourceSlice> slices, Collection<ResourceClaim> claims) {
    Map<Pool, Long> generations = new HashMap<>();
    for (ResourceSlice slice : slices) {
      generations.merge(Pool.of(slice), Pool.generationOf(slice), Math::max);
    }
    boolean byDriver = generations.size() > MOST_POOLS;
    Map<Pool, Long> published = new HashMap<>();
    for (ResourceSlice slice : slices) {
      List<?> devices = slice.getSpec().getDevices();
      if (devices != null && generations.get(Pool.of(slice)) == Pool.generationOf(slice)) {
        published.merge(shown(Pool.of(slice), byDriver), (long) devices.size(), Long::sum);
      }
    }
    Map<Allocated, Long> allocated = new HashMap<>();
    Map<Device, List<DeviceRequestAllocationResult>> results = new HashMap<>();
    for (ResourceClaim claim : claims) {
      List<DeviceRequestAllocationResult> ofClaim = ClaimDevices.allocated(claim).toList();
      Map<String, String> classes = ofClaim.isEmpty() ? Map.of() : classes(claim);
      for (DeviceRequestAllocationResult result : ofClaim) {
        Pool pool = shown(new Pool(result.getDriver(), result.getPool()), byDriver);
        String deviceClass = classes.getOrDefault(result.getRequest(), "");
        allocated.merge(new Allocated(pool, deviceClass), 1L, Long::sum);
        results
            .computeIfAbsent(ClaimDevices.deviceOf(result), absent -> new ArrayList<>(1))
            .add(result);
      }
    }
    return new DeviceCounts(published, allocated, givenTwice(slices, results));
  }

  private static long givenTwice(
      Collection<ResourceSlice> slices, Map<Device, List<DeviceRequestAllocationResult>> results) {
    long givenTwice =
        results.values().stream()
            .filter(of -> of.stream().filter(result -> result.getShareID() == null).count() > 1)
            .count();
    Set<Pool> allocated = results.keySet().stream().map(Device::inPool).collect(toSet());
    Map<Pool, List<ResourceSlice>> pools =
        slices.stream()
            .filter(slice -> allocated.contains(Pool.of(slice)))
            .collect(groupingBy(Pool::of));
    for (List<ResourceSlice> pool : pools.values()) {
      givenTwice +=
          PublishedPool.of(pool)
              .overdrawn(device -> results.getOrDefault(device, List.of()))
              .size();
    }
    return givenTwice;
  }

  private static Pool shown(Pool pool, boolean byDriver) {
    return byDriver ? new Pool(pool.driver(), "") : pool;
  }

  /** Returns the class of each request of a claim, by the name that results use. */
  private static Map<String, String> classes(ResourceClaim claim) {
    Map<String, String> classes = new TreeMap<>();
    if (claim.getSpec() == null
        || claim.getSpec().getDevices() == null
        || claim.getSpec().getDevices().getRequests() == null) {
      return classes;
    }
    for (DeviceRequest request : claim.getSpec().getDevices().getRequests()) {
      if (request.getExactly() != null) {
        classes.put(request.getName(), request.getExactly().getDeviceClassName());
      }
      for (DeviceSubRequest each :
          Objects.requireNonNullElse(request.getFirstAvailable(), List.<DeviceSubRequest>of())) {
        classes.put(request.getName() + "/" + each.getName(), each.getDeviceClassName());
      }
    }
    return classes;
  }
}
