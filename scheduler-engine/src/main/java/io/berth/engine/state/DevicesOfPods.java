package io.berth.engine.state;

import io.berth.engine.devices.DeviceTable;
import java.util.Optional;

/**
 * The devices of the claims that were made for a pod. The claims count them; a dry run that removes
 * the pod from its node counts them as free, because they are released when it is deleted.
 */
final class DevicesOfPods implements Allocator {
  private record Held(DeviceTable devices, String podUid) implements Holding {
    @Override
    public void take() {
      devices.holdAgain(podUid);
    }

    @Override
    public void giveBack() {
      devices.release(podUid);
    }
  }

  private final DeviceTable devices;

  DevicesOfPods(DeviceTable devices) {
    this.devices = devices;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public Optional<Holding> choose(PodEntry pod, int slot) {
    return pod.spec().devices().isEmpty()
        ? Optional.empty()
        : Optional.of(new Held(devices, pod.ref().uid()));
  }
}
