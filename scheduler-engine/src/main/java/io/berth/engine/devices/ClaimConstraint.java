package io.berth.engine.devices;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A constraint of a claim during a search. It counts the devices that were chosen. */
final class ClaimConstraint {
  private final DeviceConstraint constraint;
  private @Nullable DeviceAttribute common;

  /** The value of the last device of each request. */
  private final Map<String, DeviceAttribute> distinct = new HashMap<>();

  private int chosen;

  ClaimConstraint(DeviceConstraint constraint) {
    this.constraint = constraint;
  }

  /**
   * Adds a device, unless the constraint forbids it.
   *
   * @param subrequest the name of the alternative; empty if the request has none
   */
  boolean add(String request, String subrequest, KnownDevice device) {
    if (!constraint.concerns(request, subrequest)) {
      return true;
    }
    DeviceAttribute value = valueOf(device);
    if (value == null) {
      return false;
    }
    if (chosen > 0 && !permits(value)) {
      return false;
    }
    if (constraint.kind() == DeviceConstraint.Kind.DISTINCT) {
      distinct.put(request, value);
    } else if (chosen == 0) {
      common = value;
    }
    chosen++;
    return true;
  }

  private boolean permits(DeviceAttribute value) {
    if (value instanceof DeviceAttribute.Unsupported) {
      return false;
    }
    return constraint.kind() == DeviceConstraint.Kind.MATCH
        ? value.equals(common)
        : !distinct.containsValue(value);
  }

  void remove(String request, String subrequest) {
    if (constraint.concerns(request, subrequest)) {
      distinct.remove(request);
      chosen--;
    }
  }

  private @Nullable DeviceAttribute valueOf(KnownDevice device) {
    Map<String, DeviceAttribute> attributes = device.device().attributes();
    String name = constraint.attribute();
    DeviceAttribute value = attributes.get(name);
    if (value != null) {
      return value;
    }
    int slash = name.indexOf('/');
    return slash >= 0 && name.substring(0, slash).equals(device.id().driver())
        ? attributes.get(name.substring(slash + 1))
        : null;
  }
}
