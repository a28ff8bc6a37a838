package io.berth.engine.kube;

import io.berth.engine.devices.DeviceAllocation;
import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.devices.DeviceId;
import io.berth.engine.model.DeviceObject;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.resource.v1.AllocatedDeviceStatus;
import io.fabric8.kubernetes.api.model.resource.v1.AllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAllocationConfiguration;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimConsumerReference;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Compiles ResourceClaims. */
final class ClaimCompiler {
  private static final String EXTENDED = "resource.kubernetes.io/extended-resource-claim";

  private ClaimCompiler() {}

  static DeviceObject claim(ResourceClaim claim) {
    ObjectMeta metadata = claim.getMetadata();
    ResourceClaimStatus status =
        claim.getStatus() == null ? new ResourceClaimStatus() : claim.getStatus();
    Map<String, String> annotations = metadata.getAnnotations();
    AllocationResult allocation = status.getAllocation();
    Set<String> reservedFor = new HashSet<>();
    for (ResourceClaimConsumerReference consumer : status.getReservedFor()) {
      reservedFor.add(PodCompiler.orEmpty(consumer.getUid()));
    }
    return new DeviceClaim(
        Labels.requireName(metadata.getNamespace(), "metadata.namespace"),
        Labels.requireName(metadata.getName(), "metadata.name"),
        PodCompiler.orEmpty(metadata.getUid()),
        metadata.getDeletionTimestamp() != null,
        controllerUid(metadata),
        annotations != null && "true".equals(annotations.get(EXTENDED)),
        DeviceCompiler.spec(claim.getSpec() == null ? null : claim.getSpec().getDevices()),
        Optional.ofNullable(allocation).map(ClaimCompiler::allocation),
        Optional.ofNullable(allocation).flatMap(ClaimCompiler::allocatedAt),
        allocation == null ? DeviceClaim.Readiness.READY : readiness(allocation, status),
        reservedFor);
  }

  private static Optional<Instant> allocatedAt(AllocationResult allocation) {
    String text = allocation.getAllocationTimestamp();
    return text == null || text.isEmpty() ? Optional.empty() : Optional.of(Timestamps.parse(text));
  }

  private static String controllerUid(ObjectMeta metadata) {
    for (OwnerReference owner : metadata.getOwnerReferences()) {
      if (Boolean.TRUE.equals(owner.getController())) {
        return PodCompiler.orEmpty(owner.getUid());
      }
    }
    return "";
  }

  private static DeviceAllocation allocation(AllocationResult allocation) {
    List<DeviceAllocation.Result> results = new ArrayList<>();
    List<DeviceAllocation.Config> config = new ArrayList<>();
    if (allocation.getDevices() != null) {
      allocation.getDevices().getResults().forEach(result -> results.add(result(result)));
      for (DeviceAllocationConfiguration of : allocation.getDevices().getConfig()) {
        config.add(
            new DeviceAllocation.Config(
                "FromClass".equals(of.getSource()),
                of.getRequests(),
                DeviceCompiler.opaque(of.getOpaque())));
      }
    }
    return new DeviceAllocation(
        results,
        config,
        Optional.ofNullable(allocation.getNodeSelector())
            .map(selector -> DeviceCompiler.terms(selector, "status.allocation.nodeSelector")));
  }

  private static DeviceAllocation.Result result(DeviceRequestAllocationResult result) {
    return new DeviceAllocation.Result(
        PodCompiler.orEmpty(result.getRequest()),
        new DeviceId(
            PodCompiler.orEmpty(result.getDriver()),
            PodCompiler.orEmpty(result.getPool()),
            PodCompiler.orEmpty(result.getDevice())),
        Boolean.TRUE.equals(result.getAdminAccess()),
        DeviceCompiler.tolerations(result.getTolerations()),
        Optional.ofNullable(result.getShareID()),
        DeviceCompiler.amounts(result.getConsumedCapacity(), "consumedCapacity"),
        result.getBindingConditions(),
        result.getBindingFailureConditions());
  }

  /** Returns the progress of the first device that is not ready. */
  private static DeviceClaim.Readiness readiness(
      AllocationResult allocation, ResourceClaimStatus status) {
    if (allocation.getDevices() == null) {
      return DeviceClaim.Readiness.READY;
    }
    for (DeviceRequestAllocationResult result : allocation.getDevices().getResults()) {
      if (result.getBindingConditions().isEmpty()) {
        continue;
      }
      Optional<AllocatedDeviceStatus> device =
          status.getDevices().stream().filter(of -> isOf(of, result)).findFirst();
      if (device.isEmpty()) {
        return DeviceClaim.Readiness.WAITING;
      }
      List<Condition> conditions = device.get().getConditions();
      if (result.getBindingFailureConditions().stream().anyMatch(of -> holds(of, conditions))) {
        return DeviceClaim.Readiness.FAILED;
      }
      if (!result.getBindingConditions().stream().allMatch(of -> holds(of, conditions))) {
        return DeviceClaim.Readiness.WAITING;
      }
    }
    return DeviceClaim.Readiness.READY;
  }

  private static boolean isOf(AllocatedDeviceStatus status, DeviceRequestAllocationResult result) {
    return PodCompiler.orEmpty(status.getDevice()).equals(result.getDevice())
        && PodCompiler.orEmpty(status.getDriver()).equals(result.getDriver())
        && PodCompiler.orEmpty(status.getPool()).equals(result.getPool());
  }

  private static boolean holds(String type, List<Condition> conditions) {
    return conditions.stream()
        .filter(condition -> type.equals(condition.getType()))
        .findFirst()
        .map(condition -> "True".equals(condition.getStatus()))
        .orElse(false);
  }
}
