package io.berth.engine.devices;

import io.berth.engine.model.DeviceObject;
import java.util.List;

/**
 * A ResourceSlice: a part of a pool's devices, or of its counters.
 *
 * @param generation the generation of the pool that it belongs to
 * @param slicesInPool the number of slices in this generation
 * @param perDevice whether each device names the nodes that reach it
 * @param reach the nodes that reach its devices, unless each names its own
 * @param counters the counters that the devices of the pool share
 */
public record DeviceSlice(
    String name,
    String driver,
    String pool,
    long generation,
    long slicesInPool,
    boolean perDevice,
    DeviceReach reach,
    List<Device> devices,
    List<CounterSet> counters)
    implements DeviceObject {
  /** Its kind in the API. */
  public static final String KIND = "ResourceSlice";

  public DeviceSlice {
    devices = List.copyOf(devices);
    counters = List.copyOf(counters);
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public String namespace() {
    return "";
  }

  /** Returns this slice with other devices. */
  DeviceSlice withDevices(List<Device> others) {
    return new DeviceSlice(
        name, driver, pool, generation, slicesInPool, perDevice, reach, others, counters);
  }

  PoolId poolId() {
    return new PoolId(driver, pool);
  }

  /** Returns the nodes that reach a device of this slice. */
  DeviceReach reachOf(Device device) {
    return perDevice ? device.reach() : reach;
  }
}
