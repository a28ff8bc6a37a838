package io.berth.operator.devices;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.operator.devices.DeviceCounts.Allocated;
import io.berth.operator.devices.DeviceCounts.Pool;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceCapacityBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The numbers of devices by pool and class. */
class DeviceCountsTest {

  private static ResourceSlice slice(String pool, int generation, int devices) {
    StringBuilder names = new StringBuilder();
    IntStream.range(0, devices).forEach(i -> names.append("- name: gpu-").append(i).append('\n'));
    return Serialization.unmarshal(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceSlice
        metadata: {name: %s-%d}
        spec:
          driver: gpu.nvidia.com
          pool: {name: %s, generation: %d, resourceSliceCount: 1}
          devices:
        %s\
        """
            .formatted(pool, generation, pool, generation, names.toString().indent(2)),
        ResourceSlice.class);
  }

  private static ResourceClaim claim(String requests, String results) {
    return Serialization.unmarshal(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {namespace: team, name: claim}
        spec: {devices: {requests: [%s]}}
        status: {allocation: {devices: {results: [%s]}}}
        """
            .formatted(requests, results),
        ResourceClaim.class);
  }

  private static Pool pool(String name) {
    return new Pool("gpu.nvidia.com", name);
  }

  @Test
  void onlyTheHighestGenerationOfAPoolCounts() {
    DeviceCounts counts =
        DeviceCounts.of(
            List.of(slice("node-1", 1, 3), slice("node-1", 2, 2), slice("node-2", 1, 4)),
            List.of());

    assertThat(counts.published()).isEqualTo(Map.of(pool("node-1"), 2L, pool("node-2"), 4L));
  }

  @Test
  void allocatedDevicesCountByTheClassOfTheirRequest_withoutAdministrativeAccess() {
    ResourceClaim claim =
        claim(
            """
            {name: whole, exactly: {deviceClassName: gpu.nvidia.com}},
            {name: any, firstAvailable: [{name: large, deviceClassName: big},
                                         {name: small, deviceClassName: mig.nvidia.com}]},
            {name: watch, exactly: {deviceClassName: gpu.nvidia.com, adminAccess: true}}\
            """,
            """
            {request: whole, driver: gpu.nvidia.com, pool: node-1, device: gpu-0},
            {request: any/small, driver: gpu.nvidia.com, pool: node-1, device: mig-1},
            {request: watch, driver: gpu.nvidia.com, pool: node-1, device: gpu-1,
             adminAccess: true}\
            """);

    DeviceCounts counts = DeviceCounts.of(List.of(), List.of(claim, claim("", "")));

    assertThat(counts.allocated())
        .isEqualTo(
            Map.of(
                new Allocated(pool("node-1"), "gpu.nvidia.com"), 1L,
                new Allocated(pool("node-1"), "mig.nvidia.com"), 1L));
  }

  @Test
  void devicesThatSeveralClaimsHave_areGivenTwice_unlessTheyAreShared() {
    String request = "{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}";
    String device = "request: gpu, driver: gpu.nvidia.com, pool: node-1, device: ";
    ResourceClaim claim =
        claim(
            request,
            "{%1$sgpu-0}, {%1$sgpu-1, shareID: a}, {%1$sgpu-2, adminAccess: true}"
                .formatted(device));

    assertThat(DeviceCounts.of(List.of(), List.of(claim)).givenTwice()).isZero();
    assertThat(DeviceCounts.of(List.of(), List.of(claim, claim)).givenTwice()).isEqualTo(1);
  }

  @Test
  void capacitiesOfWhichClaimsHaveMoreThanThereIs_areGivenTwice() {
    ResourceSlice slice = slice("node-1", 1, 1);
    slice.getSpec().getDevices().getFirst().setAllowMultipleAllocations(true);
    slice
        .getSpec()
        .getDevices()
        .getFirst()
        .setCapacity(
            Map.of("memory", new DeviceCapacityBuilder().withValue(new Quantity("8Gi")).build()));
    ResourceClaim claim =
        claim(
            "",
            "{request: gpu, driver: gpu.nvidia.com, pool: node-1, device: gpu-0, shareID: a,"
                + " consumedCapacity: {memory: 4Gi}}");

    assertThat(DeviceCounts.of(List.of(slice), List.of(claim, claim)).givenTwice()).isZero();
    assertThat(DeviceCounts.of(List.of(slice), List.of(claim, claim, claim)).givenTwice())
        .isEqualTo(1);
  }

  @Test
  void manyPools_countByDriver() {
    List<ResourceSlice> slices =
        IntStream.rangeClosed(0, DeviceCounts.MOST_POOLS)
            .mapToObj(i -> slice("node-" + i, 1, 2))
            .toList();

    assertThat(DeviceCounts.of(slices, List.of()).published())
        .isEqualTo(Map.of(pool(""), 2L * (DeviceCounts.MOST_POOLS + 1)));
  }
}
