package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

/** The claims that have a device for themselves. */
class DeviceHoldersTest {
  private final DeviceHolders holders = new DeviceHolders();

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
  void claimsWithTheSameDevice_areBesideEachOther() {
    ResourceClaim one = claim("one", device("gpu-0", "") + ", " + device("gpu-1", ""));
    ResourceClaim other = claim("other", device("gpu-1", ""));
    holders.put(one);
    assertThat(holders.beside(one)).isEmpty();

    holders.put(other);

    assertThat(holders.beside(one)).contains("team/other");
    assertThat(holders.beside(other)).contains("team/one");
  }

  @Test
  void claimThatLosesItsDevice_isBesideNone() {
    ResourceClaim one = claim("one", device("gpu-0", ""));
    ResourceClaim other = claim("other", device("gpu-0", ""));
    holders.put(one);
    holders.put(other);

    holders.changed(other, claim("other", ""));
    assertThat(holders.beside(one)).isEmpty();

    holders.put(other);
    holders.removed(other);
    assertThat(holders.beside(one)).isEmpty();
  }

  @Test
  void sharedDevicesAndAdministrativeAccess_doNotCount() {
    ResourceClaim one = claim("one", device("gpu-0", ", shareID: a"));
    holders.put(one);
    holders.put(claim("other", device("gpu-0", ", shareID: b")));
    ResourceClaim third = claim("third", device("gpu-1", ""));
    holders.put(third);
    holders.put(claim("admin", device("gpu-1", ", adminAccess: true")));

    assertThat(holders.beside(one)).isEmpty();
    assertThat(holders.beside(third)).isEmpty();
  }
}
