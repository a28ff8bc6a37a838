package io.berth.engine.devices;

import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;

/**
 * The number of devices of one class that claims ask for, as a ResourceQuota counts it: of
 * alternatives the largest number. A request for all devices counts those that it was given. Access
 * for administrators takes no device from anybody, so it does not count.
 */
public final class ClaimedDevices {
  /** The end of the resource names under which a ResourceQuota counts the devices of a class. */
  private static final String SUFFIX = ".deviceclass.resource.k8s.io/devices";

  /** More than any cluster has, so that sums of claims do not overflow. */
  private static final long MOST = Long.MAX_VALUE / 1_000_000;

  private final DeviceTable table;

  public ClaimedDevices(DeviceTable table) {
    this.table = table;
  }

  /** Returns the class whose devices are counted under a resource name; empty if it is no such. */
  public static String classOf(String resource) {
    return resource.endsWith(SUFFIX)
        ? resource.substring(0, resource.length() - SUFFIX.length())
        : "";
  }

  /**
   * Returns the devices of a class that the claims of a pod ask for. A claim that is shared counts
   * for each of its pods; one that does not exist counts for none.
   */
  public long of(String namespace, PodDevices pod, String className) {
    long sum = 0;
    for (PodClaim claim : pod.claims()) {
      sum +=
          table.claim(namespace, claim.claimName()).map(found -> of(found, className)).orElse(0L);
    }
    return Math.min(sum, MOST);
  }

  private static long of(DeviceClaim claim, String className) {
    long sum = 0;
    for (DeviceRequest request : claim.spec().requests()) {
      long largest = 0;
      for (DeviceAsk ask : request.asks()) {
        if (ask.className().equals(className) && !ask.adminAccess()) {
          long number = ask.wantsAll() ? given(claim, request.nameOf(ask)) : ask.count();
          largest = Math.max(largest, Math.min(number, MOST));
        }
      }
      sum += largest;
    }
    return Math.min(sum, MOST);
  }

  private static long given(DeviceClaim claim, String request) {
    return claim.allocation().stream()
        .flatMap(allocation -> allocation.results().stream())
        .filter(result -> result.request().equals(request))
        .count();
  }
}
