package io.berth.engine.devices;

import io.berth.engine.model.DeviceObject;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A DeviceClass.
 *
 * @param selectors the CEL expressions that select its devices
 * @param config parameters for drivers
 * @param extendedResource the extended resource that it serves; absent if it serves only the one
 *     with its name
 */
public record DeviceClass(
    String name,
    Instant createdAt,
    List<String> selectors,
    List<DeviceConfig> config,
    Optional<String> extendedResource)
    implements DeviceObject {
  /** Its kind in the API. */
  public static final String KIND = "DeviceClass";

  /** The prefix of the extended resource that each class serves. */
  public static final String RESOURCE_PREFIX = "deviceclass.resource.kubernetes.io/";

  public DeviceClass {
    selectors = List.copyOf(selectors);
    config = List.copyOf(config);
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public String namespace() {
    return "";
  }
}
