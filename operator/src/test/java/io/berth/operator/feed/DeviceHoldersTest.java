package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

/** The claims that have a device for themselves. */
class DeviceHoldersTest {
  private final PublishedPools pools = new PublishedPools();
  private final DeviceHolders holders = new DeviceHolders(pools);

  private static ResourceClaim claim(String name, String results) {
    return Serialization.unmarshal(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {namespace: team, name: %s}
        status: {allocation: {devices: {results: [%s]}}}
        """
            .formatted(name, results),
        ResourceClaim.class);
  }

  private static String device(String name, String more) {
    return "{request: gpu, driver: gpu.example.com, pool: node-1, device: %s%s}"
        .formatted(name, more);
  }

  @Test
  void claimsWithTheSameDevice_areInConflict() {
    ResourceClaim one = claim("one", device("gpu-0", "") + ", " + device("gpu-1", ""));
    ResourceClaim other = claim("other", device("gpu-1", ""));
    holders.put(one);
    assertThat(holders.conflictOf(one)).isEmpty();

    holders.put(other);

    assertThat(holders.conflictOf(one))
        .contains("ResourceClaim team/other has device gpu.example.com/node-1/gpu-1");
    assertThat(holders.conflictOf(other))
        .contains("ResourceClaim team/one has device gpu.example.com/node-1/gpu-1");
  }

  @Test
  void claimThatLosesItsDevice_isInConflictWithNone() {
    ResourceClaim one = claim("one", device("gpu-0", ""));
    ResourceClaim other = claim("other", device("gpu-0", ""));
    holders.put(one);
    holders.put(other);

    holders.changed(other, claim("other", ""));
    assertThat(holders.conflictOf(one)).isEmpty();

    holders.put(other);
    holders.removed(other);
    assertThat(holders.conflictOf(one)).isEmpty();
  }

  @Test
  void sharedDevicesAndAdministrativeAccess_doNotCount() {
    ResourceClaim one = claim("one", device("gpu-0", ", shareID: a"));
    holders.put(one);
    holders.put(claim("other", device("gpu-0", ", shareID: b")));
    ResourceClaim third = claim("third", device("gpu-1", ""));
    holders.put(third);
    holders.put(claim("admin", device("gpu-1", ", adminAccess: true")));

    assertThat(holders.conflictOf(one)).isEmpty();
    assertThat(holders.conflictOf(third)).isEmpty();
  }

  private static ResourceSlice slice(String name, int generation, String more) {
    return Serialization.unmarshal(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceSlice
        metadata: {name: %s}
        spec:
          driver: gpu.example.com
          nodeName: node-1
          pool: {name: node-1, generation: %d, resourceSliceCount: 2}
        %s
        """
            .formatted(name, generation, more.indent(2)),
        ResourceSlice.class);
  }

  /** A card of 8 units of memory, which can be had whole or as two halves. */
  private void partitions() {
    pools.put(
        slice("counters", 1, "sharedCounters: [{name: card-0, counters: {memory: {value: 8Gi}}}]"));
    String uses = ", consumesCounters: [{counterSet: card-0, counters: {memory: {value: %s}}}]}";
    pools.put(
        slice(
            "devices",
            1,
            "devices: [{name: whole"
                + uses.formatted("8Gi")
                + ", {name: half-0"
                + uses.formatted("4Gi")
                + ", {name: half-1"
                + uses.formatted("4Gi")
                + "]"));
  }

  @Test
  void partitionsThatUseMoreThanTheirCard_areInConflict() {
    partitions();
    ResourceClaim half = claim("half", device("half-0", ""));
    holders.put(half);
    holders.put(claim("other-half", device("half-1", "")));
    assertThat(holders.conflictOf(half)).as("both halves fit").isEmpty();

    ResourceClaim whole = claim("whole", device("whole", ""));
    holders.put(whole);

    assertThat(holders.conflictOf(whole))
        .contains(
            "with team/half, claims have 17179869184 of 8589934592 of counter memory of set"
                + " card-0");
    assertThat(holders.conflictOf(half)).isPresent();

    holders.removed(whole);
    assertThat(holders.conflictOf(half)).isEmpty();
  }

  @Test
  void administrativeAccessToAPartition_usesNoCounters() {
    partitions();
    ResourceClaim half = claim("half", device("half-0", ""));
    holders.put(half);
    holders.put(claim("admin", device("whole", ", adminAccess: true")));

    assertThat(holders.conflictOf(half)).isEmpty();
  }

  @Test
  void slicesOfAnEarlierGeneration_doNotCount() {
    partitions();
    ResourceClaim half = claim("half", device("half-0", ""));
    holders.put(half);
    holders.put(claim("whole", device("whole", "")));
    assertThat(holders.conflictOf(half)).isPresent();

    pools.put(slice("new", 2, "devices: [{name: half-0}, {name: whole}]"));

    assertThat(holders.conflictOf(half)).isEmpty();
  }

  @Test
  void slicesThatAreGone_doNotCount() {
    partitions();
    ResourceClaim half = claim("half", device("half-0", ""));
    holders.put(half);
    holders.put(claim("whole", device("whole", "")));

    pools.removed(slice("counters", 1, ""));

    assertThat(holders.conflictOf(half)).isEmpty();
  }

  @Test
  void claimsThatHaveMoreOfASharedDeviceThanThereIs_areInConflict() {
    pools.put(
        slice(
            "devices",
            1,
            "devices: [{name: nic-0, allowMultipleAllocations: true,"
                + " capacity: {bandwidth: {value: 10G}}}]"));
    ResourceClaim one =
        claim("one", device("nic-0", ", shareID: a, consumedCapacity: {bandwidth: 6G}"));
    holders.put(one);
    holders.put(claim("two", device("nic-0", ", shareID: b, consumedCapacity: {bandwidth: 4G}")));
    assertThat(holders.conflictOf(one)).isEmpty();

    ResourceClaim three =
        claim("three", device("nic-0", ", shareID: c, consumedCapacity: {bandwidth: 1M}"));
    holders.put(three);

    assertThat(holders.conflictOf(three))
        .contains(
            "with team/one, claims have 10001000000 of 10000000000 of capacity bandwidth of device"
                + " gpu.example.com/node-1/nic-0");
  }
}
