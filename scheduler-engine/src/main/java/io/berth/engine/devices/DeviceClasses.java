package io.berth.engine.devices;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The device classes, and the extended resources that they serve. */
public final class DeviceClasses {
  /** The newest class first; classes of one age by name. */
  private static final Comparator<DeviceClass> PRECEDENCE =
      Comparator.comparing(DeviceClass::createdAt).reversed().thenComparing(DeviceClass::name);

  private final Map<String, DeviceClass> classes = new HashMap<>();
  private final Map<String, DeviceClass> byResource = new HashMap<>();
  private List<DeviceClass> withResource = List.of();
  private long version;

  /** Returns a version that changes with every change of a class. */
  public long version() {
    return version;
  }

  boolean isEmpty() {
    return classes.isEmpty();
  }

  boolean put(DeviceClass deviceClass) {
    DeviceClass before = classes.put(deviceClass.name(), deviceClass);
    if (deviceClass.equals(before)) {
      return false;
    }
    index();
    return true;
  }

  @Nullable DeviceClass remove(String name) {
    DeviceClass before = classes.remove(name);
    if (before != null) {
      index();
    }
    return before;
  }

  private void index() {
    version++;
    byResource.clear();
    for (DeviceClass deviceClass : classes.values()) {
      byResource.put(DeviceClass.RESOURCE_PREFIX + deviceClass.name(), deviceClass);
      deviceClass
          .extendedResource()
          .ifPresent(
              resource ->
                  byResource.merge(
                      resource, deviceClass, (a, b) -> PRECEDENCE.compare(a, b) <= 0 ? a : b));
    }
    withResource =
        classes.values().stream()
            .filter(deviceClass -> deviceClass.extendedResource().isPresent())
            .sorted(Comparator.comparing(DeviceClass::name))
            .toList();
  }

  /** Returns the classes that name an extended resource, by name. */
  List<DeviceClass> withResource() {
    return withResource;
  }

  /** Returns the class with this name. */
  public Optional<DeviceClass> named(String name) {
    return Optional.ofNullable(classes.get(name));
  }

  /** Returns the class that serves an extended resource; of several, the newest. */
  public Optional<DeviceClass> servingResource(String resource) {
    return Optional.ofNullable(byResource.get(resource));
  }
}
