package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Idle;
import io.berth.engine.volume.VolumeStep;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods that wait for something other than node resources, and the events that end their wait. */
class WaitingPodsTest {
  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void oneNode() {
    cluster.upsert(TestCluster.node("n1", "4"));
  }

  private static Pod withClaim(String name, String claim) {
    return new PodBuilder(TestCluster.pod(name, "1", 0))
        .editSpec()
        .addNewVolume()
        .withName("data")
        .withNewPersistentVolumeClaim()
        .withClaimName(claim)
        .endPersistentVolumeClaim()
        .endVolume()
        .endSpec()
        .build();
  }

  private static PersistentVolumeClaim claim(String name) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("team")
        .withUid("uid-" + name)
        .endMetadata()
        .withNewSpec()
        .withStorageClassName("local")
        .withAccessModes("ReadWriteOnce")
        .withNewResources()
        .addToRequests("storage", new Quantity("1Gi"))
        .endResources()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  private void oneFreeVolume() {
    cluster.upsert(StorageObjects.storageClass("local", "kubernetes.io/no-provisioner"));
    cluster.upsert(volume("disk", "local", "2Gi"));
  }

  private static PersistentVolume volume(String name, String storageClass, String size) {
    return new PersistentVolumeBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withStorageClassName(storageClass)
        .withAccessModes("ReadWriteOnce")
        .withCapacity(Map.of("storage", new Quantity(size)))
        .endSpec()
        .withNewStatus()
        .withPhase("Available")
        .endStatus()
        .build();
  }

  @Test
  void aGatedPod_isNotTried_untilItsGatesAreOpen() {
    Pod gated =
        new PodBuilder(TestCluster.pod("p", "1", 0))
            .editSpec()
            .addNewSchedulingGate("quota")
            .endSpec()
            .build();
    cluster.upsert(gated);
    assertThat(cluster.next()).isInstanceOf(Idle.class);

    cluster.upsert(TestCluster.pod("p", "1", 0));
    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
  }

  @Test
  void aPodWithAClaimOfAnUnknownType_staysPending_sayingSo() {
    cluster.upsert(
        new PodBuilder(TestCluster.pod("p", "1", 0))
            .editSpec()
            .addNewResourceClaim()
            .withName("gpu")
            .endResourceClaim()
            .endSpec()
            .build());

    assertThat(cluster.unschedulable().message())
        .contains("spec.resourceClaim \"gpu\": none of the supported fields are set");
  }

  @Test
  void aPodWhoseClaimIsMissing_isWokenByTheClaimAlone() {
    oneFreeVolume();
    cluster.upsert(withClaim("p", "data"));
    assertThat(cluster.unschedulable().message())
        .startsWith("0/1 nodes are available: persistentvolumeclaim \"data\" not found.");

    cluster.later(Duration.ofSeconds(5));
    cluster.upsert(claim("other"));
    assertThat(cluster.next()).isInstanceOf(Idle.class);
    cluster.upsert(claim("data"));
    assertThat(cluster.placed().preBind())
        .containsExactly(new VolumeStep.Bind("team", "data", "uid-data", "disk", ""));
  }

  @Test
  void podsWhoseClaimsAreAlike_areWokenEachByItsOwnClaim() {
    oneFreeVolume();
    for (String name : List.of("a", "b", "c")) {
      cluster.upsert(large(claim(name)));
      cluster.upsert(withClaim(name, name));
      assertThat(cluster.unschedulable().pod().name()).isEqualTo(name);
    }

    cluster.later(Duration.ofSeconds(5));
    cluster.upsert(claim("b"));

    assertThat(cluster.placed().pod().name()).isEqualTo("b");
    assertThat(cluster.next()).isInstanceOf(Idle.class);
  }

  @Test
  void podsWhoseClaimsAreAlike_areAllWokenByAVolume_butNotByOneOfAnotherClass() {
    oneFreeVolume();
    for (String name : List.of("a", "b")) {
      cluster.upsert(large(claim(name)));
      cluster.upsert(withClaim(name, name));
      cluster.unschedulable();
    }

    cluster.later(Duration.ofSeconds(5));
    cluster.upsert(volume("other", "other", "100Gi"));
    assertThat(cluster.next()).isInstanceOf(Idle.class);
    cluster.upsert(volume("large", "local", "100Gi"));

    assertThat(cluster.placed().pod().name()).isEqualTo("a");
    assertThat(cluster.unschedulable().pod().name()).isEqualTo("b");
  }

  @Test
  void aNodeThatReachesNoVolumeForAClaim_wakesNobody() {
    oneFreeVolume();
    cluster.upsert(large(claim("data")));
    cluster.upsert(withClaim("p", "data"));
    cluster.unschedulable();
    cluster.later(Duration.ofSeconds(5));

    cluster.upsert(TestCluster.node("n2", "4"));
    assertThat(cluster.next()).isInstanceOf(Idle.class);

    cluster.upsert(onNode(volume("large", "local", "100Gi"), "n3"));
    assertThat(cluster.unschedulable().pod().name()).isEqualTo("p");
    cluster.later(Duration.ofSeconds(5));
    cluster.upsert(TestCluster.node("n3", "4"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n3");
  }

  private static PersistentVolumeClaim large(PersistentVolumeClaim claim) {
    return new PersistentVolumeClaimBuilder(claim)
        .editSpec()
        .editResources()
        .addToRequests("storage", new Quantity("50Gi"))
        .endResources()
        .endSpec()
        .build();
  }

  private static PersistentVolume onNode(PersistentVolume volume, String nodeName) {
    return new PersistentVolumeBuilder(volume)
        .editSpec()
        .withNewNodeAffinity()
        .withNewRequired()
        .addNewNodeSelectorTerm()
        .addNewMatchExpression()
        .withKey("kubernetes.io/hostname")
        .withOperator("In")
        .withValues(nodeName)
        .endMatchExpression()
        .endNodeSelectorTerm()
        .endRequired()
        .endNodeAffinity()
        .endSpec()
        .build();
  }

  @Test
  void aVolumeThatWasGivenAway_isTaken_untilTheBindingFails() {
    oneFreeVolume();
    cluster.upsert(claim("a"));
    cluster.upsert(claim("b"));
    cluster.upsert(withClaim("first", "a"));
    assertThat(cluster.placed().preBind()).hasSize(1);
    cluster.upsert(withClaim("second", "b"));
    assertThat(cluster.unschedulable().message())
        .contains("1 node(s) didn't find available persistent volumes to bind");

    cluster.apply(
        new ClusterEvent.BindingFailed(
            TestCluster.ref(withClaim("first", "a")), "claims not bound in time", false));
    cluster.remove(withClaim("first", "a"));
    cluster.later(Duration.ofSeconds(2));

    assertThat(cluster.placed().pod().name()).isEqualTo("second");
  }

  @Test
  void aPodThatFitsNowhere_isWokenByANodeThatHasRoom() {
    cluster.upsert(TestCluster.pod("big", "8", 0));
    assertThat(cluster.unschedulable().message())
        .startsWith("0/1 nodes are available: 1 Insufficient cpu.");

    cluster.later(Duration.ofSeconds(5));
    cluster.upsert(TestCluster.node("n2", "16"));
    assertThat(cluster.placed().nodeName()).isEqualTo("n2");
  }
}
