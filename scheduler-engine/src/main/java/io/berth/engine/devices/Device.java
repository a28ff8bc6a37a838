package io.berth.engine.devices;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A device as its driver publishes it.
 *
 * @param attributes by name, with or without a domain
 * @param capacity by name, with or without a domain
 * @param uses the amounts of the pool's counters that it uses while it is allocated
 * @param reach the nodes that reach it, if its slice says so for each device
 * @param bindsToNode whether an allocation of it holds only for the node it was made for
 * @param bindingConditions the conditions to wait for before a pod is bound
 * @param bindingFailureConditions the conditions that end this wait
 * @param shared whether several claims may have parts of it
 * @param takesNodeResources whether it comes with CPU, memory, or other resources of its node,
 *     which is not supported
 */
public record Device(
    String name,
    Map<String, DeviceAttribute> attributes,
    Map<String, DeviceCapacity> capacity,
    List<CounterSet> uses,
    DeviceReach reach,
    List<DeviceTaint> taints,
    boolean bindsToNode,
    List<String> bindingConditions,
    List<String> bindingFailureConditions,
    boolean shared,
    boolean takesNodeResources) {
  public Device {
    attributes = Map.copyOf(attributes);
    capacity = Map.copyOf(capacity);
    uses = List.copyOf(uses);
    taints = List.copyOf(taints);
    bindingConditions = List.copyOf(bindingConditions);
    bindingFailureConditions = List.copyOf(bindingFailureConditions);
  }

  /** Returns a device that the nodes of its slice reach, without taints and conditions. */
  public static Device of(
      String name,
      Map<String, DeviceAttribute> attributes,
      Map<String, DeviceCapacity> capacity,
      List<CounterSet> uses,
      boolean shared) {
    return new Device(
        name,
        attributes,
        capacity,
        uses,
        new DeviceReach.NoNodes(),
        List.of(),
        false,
        List.of(),
        List.of(),
        shared,
        false);
  }

  /** Returns this device with more taints. */
  Device withTaints(List<DeviceTaint> more) {
    return new Device(
        name,
        attributes,
        capacity,
        uses,
        reach,
        Stream.concat(taints.stream(), more.stream()).toList(),
        bindsToNode,
        bindingConditions,
        bindingFailureConditions,
        shared,
        takesNodeResources);
  }
}
