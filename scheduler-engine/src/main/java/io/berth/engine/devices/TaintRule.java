package io.berth.engine.devices;

import io.berth.engine.model.DeviceObject;
import java.util.Optional;

/**
 * A DeviceTaintRule: a taint that an administrator puts on published devices.
 *
 * @param selects false if the rule has no selector, and so concerns no device
 * @param driver the driver of the devices; empty for all
 * @param pool the name of the pool of the devices; empty for all
 * @param device the name of the devices; empty for all
 */
public record TaintRule(
    String name,
    boolean selects,
    Optional<String> driver,
    Optional<String> pool,
    Optional<String> device,
    DeviceTaint taint)
    implements DeviceObject {
  /** Its kind in the API. */
  public static final String KIND = "DeviceTaintRule";

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public String namespace() {
    return "";
  }

  /** Returns whether the rule may taint devices of a slice. */
  boolean concerns(DeviceSlice slice) {
    return selects
        && driver.map(slice.driver()::equals).orElse(true)
        && pool.map(slice.pool()::equals).orElse(true);
  }

  /** Returns whether the rule taints a device of a slice that it concerns. */
  boolean taints(Device of) {
    return device.map(of.name()::equals).orElse(true);
  }
}
