package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.model.PodVolume;
import io.berth.engine.volume.ClaimPlanner;
import io.berth.engine.volume.VolumeStep;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.CSIDriverBuilder;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacityBuilder;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Volume work: a node is only checked against its own volumes, and a storage change only affects
 * those who read it.
 */
class VolumeWorkTest {
  private static final int NODES = 200;
  private static final int VOLUMES_EACH = 3;

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));

  @BeforeEach
  void nodesWithLocalVolumes() {
    storageClass("local", "kubernetes.io/no-provisioner");
    storageClass("made", "example.com/disks");
    for (int i = 0; i < NODES; i++) {
      cluster.upsert(TestCluster.node("n" + i, "8"));
      for (int j = 0; j < VOLUMES_EACH; j++) {
        cluster.upsert(local("disk-" + i + "-" + j, "n" + i, 10 + j));
      }
    }
  }

  private void storageClass(String name, String provisioner) {
    cluster.upsert(StorageObjects.storageClass(name, provisioner));
  }

  private static PersistentVolume local(String name, String nodeName, int gibibytes) {
    return StorageObjects.volume(
        name, "local", gibibytes + "Gi", "kubernetes.io/hostname", nodeName);
  }

  private void claim(String name, String storageClass) {
    cluster.upsert(
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace("team")
            .withUid("uid-" + name)
            .endMetadata()
            .withNewSpec()
            .withStorageClassName(storageClass)
            .withAccessModes("ReadWriteOnce")
            .withNewResources()
            .addToRequests("storage", new Quantity("1Gi"))
            .endResources()
            .endSpec()
            .withNewStatus()
            .withPhase("Pending")
            .endStatus()
            .build());
  }

  private static Pod using(String name, String claim) {
    return new PodBuilder(TestCluster.pod(name, "100m", 0))
        .editSpec()
        .addNewVolume()
        .withName("data")
        .withNewPersistentVolumeClaim(claim, false)
        .endVolume()
        .endSpec()
        .build();
  }

  private ClaimPlanner planner(String claim) {
    return new ClaimPlanner(
        "team",
        List.of(new PodVolume.Claim(claim, Optional.empty())),
        cluster.engine.state().storage());
  }

  private long looksOnAllNodes(ClaimPlanner planner) {
    for (int slot = 0; slot < NODES; slot++) {
      assertThat(planner.planFor(cluster.engine.state().nodes().model(slot)).reasons()).isEmpty();
    }
    return planner.looks();
  }

  @Test
  void aNode_isHeldAgainstItsOwnVolumesAlone() {
    claim("data", "local");

    assertThat(looksOnAllNodes(planner("data"))).isLessThanOrEqualTo(NODES * VOLUMES_EACH);
  }

  @Test
  void aNode_isHeldAgainstItsOwnCapacitiesAlone() {
    cluster.upsert(
        new CSIDriverBuilder()
            .withNewMetadata()
            .withName("example.com/disks")
            .endMetadata()
            .withNewSpec()
            .withStorageCapacity(true)
            .endSpec()
            .build());
    for (int i = 0; i < NODES; i++) {
      cluster.upsert(
          new CSIStorageCapacityBuilder()
              .withNewMetadata()
              .withName("capacity-" + i)
              .withNamespace("storage")
              .endMetadata()
              .withStorageClassName("made")
              .withCapacity(new Quantity("100Gi"))
              .withNewNodeTopology()
              .addToMatchLabels("kubernetes.io/hostname", "n" + i)
              .endNodeTopology()
              .build());
    }
    claim("data", "made");

    assertThat(looksOnAllNodes(planner("data"))).isLessThanOrEqualTo(NODES);
  }

  @Test
  void eachPod_getsAVolumeOfItsOwn_theSmallestOnItsNode() {
    Set<String> taken = new HashSet<>();
    for (int i = 0; i < NODES; i++) {
      claim("data-" + i, "local");
      cluster.upsert(using("p" + i, "data-" + i));
      Decision.Placed placed = cluster.placed();
      VolumeStep.Bind bind = (VolumeStep.Bind) placed.preBind().getFirst();
      assertThat(bind.volumeName()).startsWith("disk-" + placed.nodeName().substring(1) + "-");
      assertThat(taken.add(bind.volumeName())).isTrue();
    }
    assertThat(taken).allMatch(name -> name.endsWith("-0"));
  }

  @Test
  void podsWithClaimsOfOneKind_shareAnswers_andAVolumeConcernsItsOwnNode() {
    for (int i = 0; i < 50; i++) {
      claim("data-" + i, "local");
      cluster.upsert(using("p" + i, "data-" + i));
    }
    cluster.placed();
    long before = cluster.engine.plans().evaluations();
    for (int i = 1; i < 50; i++) {
      cluster.placed();
    }

    assertThat(cluster.engine.plans().size()).isEqualTo(1);
    // For each pod, the node of the previous one: its remaining resources, and its volumes.
    assertThat(cluster.engine.plans().evaluations() - before).isLessThan(49 * 10);
  }

  @Test
  void aClaimOfTwoPods_isNotLikeOthers() {
    claim("shared", "local");
    claim("own", "local");
    cluster.upsert(using("a", "shared"));
    cluster.upsert(using("b", "shared"));
    cluster.upsert(using("c", "own"));
    cluster.placed();
    String second = cluster.placed().nodeName();
    cluster.placed();

    assertThat(cluster.engine.plans().size()).isGreaterThan(1);
    assertThat(second).as("the node of the volume that the claim got").isEqualTo("n0");
  }

  @Test
  void changesOfOtherStorage_letNoNodeBeLookedAtAgain() {
    claim("shared", "made");
    cluster.upsert(using("first", "shared"));
    cluster.placed();
    cluster.upsert(using("second", "shared"));
    cluster.decision();
    long before = cluster.engine.plans().evaluations();

    for (int i = 0; i < 50; i++) {
      claim("other-" + i, "local");
      cluster.upsert(local("more-" + i, "n" + i, 5));
    }
    cluster.upsert(using("third", "shared"));
    cluster.decision();

    // NodeVolumeLimits counts the volumes of all pods, and visits every node.
    assertThat(cluster.engine.plans().evaluations() - before).isLessThan(NODES + 50);
  }
}
