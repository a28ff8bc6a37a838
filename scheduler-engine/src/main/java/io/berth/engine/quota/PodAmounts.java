package io.berth.engine.quota;

import io.berth.engine.devices.ClaimedDevices;
import io.berth.engine.devices.DeviceTable;
import io.berth.engine.model.PodSpec;
import io.berth.engine.state.PodEntry;

/**
 * The amounts that pods request: of resources, of devices by their resource claims, and of GPU
 * cards and shares of them.
 */
final class PodAmounts {
  /**
   * The maximum amount of a pod, such as 1 Pi bytes, so that sums do not overflow: nobody checks
   * that a node has what a pending pod requests.
   */
  static final long MOST = 1L << 50;

  private final CountedResources resources;
  private final ClaimedDevices claimed;

  PodAmounts(CountedResources resources, DeviceTable devices) {
    this.resources = resources;
    this.claimed = new ClaimedDevices(devices);
  }

  long[] of(PodEntry pod) {
    long[] amounts = resources.ofPod(pod.spec().requests().held());
    if (resources.countDevices() && !pod.spec().devices().claims().isEmpty()) {
      for (int i = 0; i < amounts.length; i++) {
        String className = resources.deviceClass(i);
        if (!className.isEmpty()) {
          amounts[i] = claimed.of(pod.ref().namespace(), pod.spec().devices(), className);
        }
      }
    }
    int cards = resources.cards();
    if (cards >= 0) {
      amounts[cards] = milliGpu(pod.spec());
    }
    for (int i = 0; i < amounts.length; i++) {
      amounts[i] = Math.min(amounts[i], MOST);
    }
    return amounts;
  }

  /** Returns the compute capacity of cards; those that are only counted are whole ones. */
  private static long milliGpu(PodSpec pod) {
    return pod.cards().requests().isEmpty()
        ? CountedResources.milliGpu(pod.requests().held())
        : pod.cards().milliGpu();
  }
}
