package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Binding of claims to matching volumes, immediately or after a scheduler has selected a node. */
class VolumeBindingTest {
  private static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

  private final RunningCluster cluster = new RunningCluster();
  private final KubernetesClient client = cluster.client;

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void claim_getsTheSmallestVolumeThatFits() {
    create(volume("huge", "100Gi", "disk"));
    create(volume("fitting", "20Gi", "disk"));
    create(volume("small", "5Gi", "disk"));
    create(volume("other-class", "10Gi", "tape"));

    create(claim("data", "disk", ""));

    eventually().untilAsserted(() -> assertThat(boundVolume("data")).contains("fitting"));
    PersistentVolumeClaim bound = claim("data");
    assertThat(bound.getMetadata().getAnnotations())
        .containsEntry("pv.kubernetes.io/bind-completed", "yes");
    assertThat(bound.getStatus().getCapacity().get("storage").toString()).isEqualTo("20Gi");
    eventually().untilAsserted(() -> assertThat(phase("fitting")).contains("Bound"));
    assertThat(phase("small")).contains("Available");
  }

  @Test
  void claimThatNamesItsVolume_isBoundToIt_whenItIsThere() {
    create(claim("data", "", "mine"));

    create(volume("mine", "20Gi", ""));

    eventually().untilAsserted(() -> assertThat(boundVolume("data")).contains("mine"));
  }

  @Test
  void volumeKeptForAnotherClaim_isLeftAlone() {
    create(volume("mine", "20Gi", "disk") + "  claimRef: {namespace: default, name: other}\n");
    create(claim("data", "disk", ""));
    create(claim("other", "disk", ""));

    eventually().untilAsserted(() -> assertThat(boundVolume("other")).contains("mine"));
    assertThat(boundVolume("data")).isEmpty();
  }

  @Test
  void deletedClaim_releasesItsVolume() {
    create(volume("mine", "20Gi", "disk"));
    create(claim("data", "disk", ""));
    eventually().untilAsserted(() -> assertThat(phase("mine")).contains("Bound"));

    client.persistentVolumeClaims().inNamespace("default").withName("data").delete();

    eventually().untilAsserted(() -> assertThat(phase("mine")).contains("Released"));
  }

  @Test
  void classWithProvisioner_makesAVolumeInTheZoneOfTheChosenNode_andDeletesItWithTheClaim() {
    cluster.nodes.addPool("A", 2, Map.of("cpu", "1", "memory", "1Gi", "pods", "10"));
    create(storageClass("fast", "WaitForFirstConsumer"));
    create(claim("data", "fast", ""));
    eventually()
        .untilAsserted(
            () ->
                assertThat(client.v1().events().inNamespace("default").list().getItems())
                    .anySatisfy(
                        event -> assertThat(event.getReason()).isEqualTo("WaitForFirstConsumer")));
    assertThat(boundVolume("data")).isEmpty();

    client
        .persistentVolumeClaims()
        .inNamespace("default")
        .withName("data")
        .edit(
            claim -> {
              claim.getMetadata().setAnnotations(Map.of(SELECTED_NODE, "node-a-1"));
              return claim;
            });

    eventually().untilAsserted(() -> assertThat(boundVolume("data")).isPresent());
    PersistentVolume made =
        client.persistentVolumes().withName(boundVolume("data").orElseThrow()).get();
    assertThat(made.getSpec().getNodeAffinity().toString())
        .contains("topology.kubernetes.io/zone", "zone-2");
    client.persistentVolumeClaims().inNamespace("default").withName("data").delete();
    eventually()
        .untilAsserted(() -> assertThat(client.persistentVolumes().list().getItems()).isEmpty());
  }

  @Test
  void classThatBindsAtOnce_makesAVolumeWithoutANode() {
    create(storageClass("fast", "Immediate"));

    create(claim("data", "fast", ""));

    eventually().untilAsserted(() -> assertThat(boundVolume("data")).isPresent());
  }

  private static String volume(String name, String size, String storageClass) {
    return """
    apiVersion: v1
    kind: PersistentVolume
    metadata: {name: %s}
    spec:
      accessModes: [ReadWriteOnce]
      capacity: {storage: %s}
      hostPath: {path: /tmp}
      storageClassName: '%s'
    """
        .formatted(name, size, storageClass);
  }

  private static String claim(String name, String storageClass, String volume) {
    return """
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: {name: %s, namespace: default}
    spec:
      accessModes: [ReadWriteOnce]
      resources: {requests: {storage: 10Gi}}
      storageClassName: '%s'
      volumeName: '%s'
    """
        .formatted(name, storageClass, volume);
  }

  private static String storageClass(String name, String mode) {
    return """
    apiVersion: storage.k8s.io/v1
    kind: StorageClass
    metadata: {name: %s}
    provisioner: example.com/disk
    volumeBindingMode: %s
    """
        .formatted(name, mode);
  }

  private void create(String yaml) {
    client.resource(yaml).create();
  }

  private PersistentVolumeClaim claim(String name) {
    return client.persistentVolumeClaims().inNamespace("default").withName(name).get();
  }

  /** Returns the volume of a claim if its phase is Bound. */
  private Optional<String> boundVolume(String claim) {
    PersistentVolumeClaim now = claim(claim);
    return "Bound".equals(now.getStatus().getPhase())
        ? Optional.of(now.getSpec().getVolumeName())
        : Optional.empty();
  }

  private Optional<String> phase(String volume) {
    return Optional.ofNullable(
        client.persistentVolumes().withName(volume).get().getStatus().getPhase());
  }

  private static ConditionFactory eventually() {
    return await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(50));
  }
}
