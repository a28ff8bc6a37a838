package io.berth.engine.devices;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/**
 * The devices that a request, or one alternative of it, asks for.
 *
 * @param name the name of the request or of the alternative
 * @param mode {@code ExactCount} or {@code All}
 * @param count the number of devices, if the mode is ExactCount
 * @param adminAccess whether devices that others have are fine, too
 * @param selectors CEL expressions; an empty one stands for a selector of an unknown type
 * @param capacity the amounts of shared devices' capacities; empty if there is no such request
 */
public record DeviceAsk(
    String name,
    String className,
    String mode,
    long count,
    boolean adminAccess,
    List<String> selectors,
    List<DeviceToleration> tolerations,
    Map<String, BigDecimal> capacity) {
  /** The mode for a number of devices. */
  public static final String EXACT_COUNT = "ExactCount";

  /** The mode for all devices. */
  public static final String ALL = "All";

  public DeviceAsk {
    selectors = List.copyOf(selectors);
    tolerations = List.copyOf(tolerations);
    capacity = Map.copyOf(capacity);
  }

  boolean wantsAll() {
    return mode.equals(ALL);
  }
}
