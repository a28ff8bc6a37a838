package io.berth.engine.kube;

import io.berth.engine.devices.CounterSet;
import io.berth.engine.devices.Device;
import io.berth.engine.devices.DeviceAttribute;
import io.berth.engine.devices.DeviceCapacity;
import io.berth.engine.devices.DeviceReach;
import io.berth.engine.devices.DeviceSlice;
import io.berth.engine.devices.DeviceTaint;
import io.berth.engine.model.DeviceObject;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.CapacityRequestPolicy;
import io.fabric8.kubernetes.api.model.resource.v1.Counter;
import io.fabric8.kubernetes.api.model.resource.v1.ResourcePool;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceSpec;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compiles ResourceSlices. */
final class SliceCompiler {
  /** A field of Kubernetes 1.37, with the feature {@code DRANodeAllocatableResources}. */
  private static final String NODE_RESOURCES = "nodeAllocatableResources";

  private SliceCompiler() {}

  static DeviceObject slice(ResourceSlice slice) {
    ResourceSliceSpec spec = slice.getSpec();
    if (spec == null || spec.getPool() == null) {
      throw new RefusedException("the slice has no spec.pool");
    }
    ResourcePool pool = spec.getPool();
    return new DeviceSlice(
        Labels.requireName(slice.getMetadata().getName(), "metadata.name"),
        Labels.requireName(spec.getDriver(), "spec.driver"),
        Labels.requireName(pool.getName(), "spec.pool.name"),
        orZero(pool.getGeneration()),
        orZero(pool.getResourceSliceCount()),
        Boolean.TRUE.equals(spec.getPerDeviceNodeSelection()),
        reach(spec.getNodeName(), spec.getAllNodes(), spec.getNodeSelector(), "spec.nodeSelector"),
        spec.getDevices().stream().map(SliceCompiler::device).toList(),
        spec.getSharedCounters().stream()
            .map(set -> counters(set.getName(), set.getCounters()))
            .toList());
  }

  private static long orZero(@Nullable Long number) {
    return number == null ? 0 : number;
  }

  private static DeviceReach reach(
      @Nullable String nodeName,
      @Nullable Boolean allNodes,
      @Nullable NodeSelector selector,
      String where) {
    if (nodeName != null && !nodeName.isEmpty()) {
      return new DeviceReach.OneNode(nodeName);
    }
    if (Boolean.TRUE.equals(allNodes)) {
      return new DeviceReach.AllNodes();
    }
    return selector == null
        ? new DeviceReach.NoNodes()
        : new DeviceReach.SelectedNodes(DeviceCompiler.terms(selector, where));
  }

  private static Device device(io.fabric8.kubernetes.api.model.resource.v1.Device device) {
    String name = Labels.requireName(device.getName(), "name of a device");
    Map<String, DeviceAttribute> attributes = new HashMap<>();
    if (device.getAttributes() != null) {
      device.getAttributes().forEach((key, value) -> attributes.put(key, attribute(value)));
    }
    Map<String, DeviceCapacity> capacity = new HashMap<>();
    if (device.getCapacity() != null) {
      device
          .getCapacity()
          .forEach((key, value) -> capacity.put(key, capacity(value, name + ".capacity." + key)));
    }
    return new Device(
        name,
        attributes,
        capacity,
        device.getConsumesCounters().stream()
            .map(use -> counters(use.getCounterSet(), use.getCounters()))
            .toList(),
        reach(
            device.getNodeName(),
            device.getAllNodes(),
            device.getNodeSelector(),
            name + ".nodeSelector"),
        device.getTaints().stream()
            .map(
                taint ->
                    new DeviceTaint(
                        PodCompiler.orEmpty(taint.getKey()),
                        PodCompiler.orEmpty(taint.getValue()),
                        PodCompiler.orEmpty(taint.getEffect())))
            .toList(),
        Boolean.TRUE.equals(device.getBindsToNode()),
        device.getBindingConditions(),
        device.getBindingFailureConditions(),
        Boolean.TRUE.equals(device.getAllowMultipleAllocations()),
        !JsonMaps.mapIn(device.getAdditionalProperties(), NODE_RESOURCES).isEmpty());
  }

  private static DeviceAttribute attribute(
      io.fabric8.kubernetes.api.model.resource.v1.DeviceAttribute attribute) {
    if (attribute.getInt() != null) {
      return new DeviceAttribute.Int(attribute.getInt());
    }
    if (attribute.getBool() != null) {
      return new DeviceAttribute.Bool(attribute.getBool());
    }
    if (attribute.getString() != null) {
      return new DeviceAttribute.Text(attribute.getString());
    }
    return attribute.getVersion() == null
        ? new DeviceAttribute.Unsupported()
        : new DeviceAttribute.Version(attribute.getVersion());
  }

  private static DeviceCapacity capacity(
      io.fabric8.kubernetes.api.model.resource.v1.DeviceCapacity capacity, String where) {
    return new DeviceCapacity(
        DeviceCompiler.amount(capacity.getValue(), where),
        Optional.ofNullable(capacity.getRequestPolicy()).map(policy -> policy(policy, where)));
  }

  private static DeviceCapacity.RequestPolicy policy(CapacityRequestPolicy policy, String where) {
    return new DeviceCapacity.RequestPolicy(
        optional(policy.getDefault(), where),
        Optional.ofNullable(policy.getValidRange())
            .map(
                range ->
                    new DeviceCapacity.Range(
                        optional(range.getMin(), where),
                        optional(range.getMax(), where),
                        optional(range.getStep(), where))),
        policy.getValidValues().stream()
            .map(value -> DeviceCompiler.amount(value, where))
            .toList());
  }

  private static Optional<BigDecimal> optional(@Nullable Quantity quantity, String where) {
    return Optional.ofNullable(quantity).map(of -> DeviceCompiler.amount(of, where));
  }

  private static CounterSet counters(@Nullable String name, @Nullable Map<String, Counter> of) {
    Map<String, BigDecimal> amounts = new HashMap<>();
    if (of != null) {
      of.forEach(
          (counter, value) ->
              amounts.put(counter, DeviceCompiler.amount(value.getValue(), name + "." + counter)));
    }
    return new CounterSet(PodCompiler.orEmpty(name), amounts);
  }
}
