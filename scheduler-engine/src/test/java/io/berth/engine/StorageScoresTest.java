package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.CSIDriverBuilder;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacity;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacityBuilder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Scores of VolumeBinding by the share of storage that a pod's claims use: kube-scheduler's feature
 * {@code StorageCapacityScoring}, which is on by default from 1.37 on.
 */
class StorageScoresTest {
  private static final String DRIVER = "disk.example.com";

  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void classesAndDriver() {
    cluster.upsert(
        new CSIDriverBuilder()
            .withNewMetadata()
            .withName(DRIVER)
            .endMetadata()
            .withNewSpec()
            .withStorageCapacity(true)
            .endSpec()
            .build());
    storageClass("fast", DRIVER);
    storageClass("slow", DRIVER);
    storageClass("remote", "without-capacities.example.com");
    for (String zone : List.of("a", "b")) {
      cluster.upsert(
          new NodeBuilder(TestCluster.node("n-" + zone, "8"))
              .editMetadata()
              .addToLabels("zone", zone)
              .endMetadata()
              .build());
    }
  }

  private void version(int minor) {
    cluster.apply(new ClusterEvent.ServerVersionSeen(minor));
  }

  private void storageClass(String name, String provisioner) {
    cluster.upsert(StorageObjects.storageClass(name, provisioner));
  }

  private static CSIStorageCapacity capacity(String name, String storageClass, String zone) {
    return new CSIStorageCapacityBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("csi")
        .endMetadata()
        .withStorageClassName(storageClass)
        .withNewNodeTopology()
        .addToMatchLabels("zone", zone)
        .endNodeTopology()
        .build();
  }

  /** Reports the free storage of a class in a zone. */
  private void free(String storageClass, String zone, String size) {
    cluster.upsert(
        new CSIStorageCapacityBuilder(capacity(storageClass + "-" + zone, storageClass, zone))
            .withCapacity(new Quantity(size))
            .build());
  }

  private void volume(String name, String zone, String size) {
    cluster.upsert(StorageObjects.volume(name, "fast", size, "zone", zone));
  }

  /** Returns a pod with claims of its own, each of a class and a size such as "fast 10Gi". */
  private Pod pod(String name, String... claims) {
    Pod pod = TestCluster.pod(name, "1", 0);
    for (int i = 0; i < claims.length; i++) {
      String claim = name + "-" + i;
      String[] wanted = claims[i].split(" ");
      cluster.upsert(
          new PersistentVolumeClaimBuilder()
              .withNewMetadata()
              .withName(claim)
              .withNamespace("team")
              .withUid("uid-" + claim)
              .endMetadata()
              .withNewSpec()
              .withStorageClassName(wanted[0])
              .withAccessModes("ReadWriteOnce")
              .withNewResources()
              .addToRequests("storage", new Quantity(wanted[1]))
              .endResources()
              .endSpec()
              .build());
      pod =
          new PodBuilder(pod)
              .editSpec()
              .addNewVolume()
              .withName(claim)
              .withNewPersistentVolumeClaim(claim, false)
              .endVolume()
              .endSpec()
              .build();
    }
    return pod;
  }

  /** Places a pod; returns the scores of VolumeBinding by node. */
  private Map<String, Long> scores(String name, String... claims) {
    cluster.upsert(pod(name, claims));
    Decision.Placed placed = cluster.placed();
    Map<String, Long> scores = new TreeMap<>();
    for (NodeScore node : placed.record().bestNodes()) {
      for (PluginScore score : node.plugins()) {
        if (score.plugin().equals("VolumeBinding")) {
          scores.put(node.node(), score.normalized());
        }
      }
    }
    return scores;
  }

  private void policy(String args) {
    try {
      cluster.apply(
          new ClusterEvent.PolicyServed(
              TestCluster.policy(
                  "usual",
                  new ObjectMapper()
                      .readValue(
                          "{\"priorities\": [{\"name\": \"VolumeBinding\", \"args\": %s}]}"
                              .formatted(args),
                          SchedulingPolicySpec.class))));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
    cluster.apply(new ClusterEvent.DefaultPolicyChanged("usual"));
  }

  @Test
  void beforeKubernetes137_nothingIsScored() {
    version(36);
    free("fast", "a", "100Gi");
    free("fast", "b", "50Gi");

    assertThat(scores("p", "fast 10Gi")).isEmpty();
  }

  @Test
  void aVersionThatIsUnknown_countsAsOneBefore137() {
    free("fast", "a", "100Gi");

    assertThat(scores("p", "fast 10Gi")).isEmpty();
  }

  @Test
  void theLessOfANodesStorageIsUsed_theHigherIsItsScore() {
    version(37);
    free("fast", "a", "100Gi"); // 10 % are used
    free("fast", "b", "40Gi"); // 25 %

    assertThat(scores("p", "fast 10Gi")).containsOnly(Map.entry("n-a", 90L), Map.entry("n-b", 75L));
  }

  @Test
  void claimsOfOneClass_shareItsCapacity_andClassesCountEqually() {
    version(37);
    free("fast", "a", "100Gi");
    free("fast", "b", "30Gi");
    free("slow", "a", "200Gi");
    free("slow", "b", "11Gi");

    // a: fast 30 of 100: 70, slow 10 of 200: 95, their mean is 82.5
    // b: fast 30 of 30: 0, slow 10 of 11: 90 %, so 10, their mean is 5
    assertThat(scores("p", "fast 10Gi", "fast 20Gi", "slow 10Gi"))
        .containsOnly(Map.entry("n-a", 83L), Map.entry("n-b", 5L));
  }

  @Test
  void claimsThatTogetherExceedTheCapacity_scoreAsIfAllOfItWereUsed() {
    version(37);
    free("fast", "a", "25Gi");
    free("fast", "b", "100Gi");

    assertThat(scores("p", "fast 20Gi", "fast 20Gi"))
        .containsOnly(Map.entry("n-a", 0L), Map.entry("n-b", 60L));
  }

  @Test
  void claimsOfDriversWithoutCapacities_doNotCount() {
    version(37);
    free("fast", "a", "100Gi");
    free("fast", "b", "20Gi");

    assertThat(scores("p", "fast 10Gi", "remote 500Gi"))
        .containsOnly(Map.entry("n-a", 90L), Map.entry("n-b", 50L));
    assertThat(scores("q", "remote 500Gi"))
        .containsOnly(Map.entry("n-a", 0L), Map.entry("n-b", 0L));
  }

  @Test
  void capacityThatReportsOnlyTheLargestVolume_doesNotCount() {
    version(37);
    free("fast", "a", "100Gi");
    cluster.upsert(
        new CSIStorageCapacityBuilder(capacity("fast-b", "fast", "b"))
            .withMaximumVolumeSize(new Quantity("100Gi"))
            .build());

    assertThat(scores("p", "fast 10Gi")).containsOnly(Map.entry("n-a", 90L), Map.entry("n-b", 0L));
  }

  @Test
  void volumesThatExist_countBeforeNewOnes() {
    version(37);
    volume("v", "a", "40Gi");
    free("fast", "a", "1000Gi");
    free("fast", "b", "100Gi");

    // a: the volume of 40 Gi for the claim of 10 Gi; the new one of 50 Gi does not count there
    // b: 60 of 100
    assertThat(scores("p", "fast 10Gi", "fast 50Gi"))
        .containsOnly(Map.entry("n-a", 75L), Map.entry("n-b", 40L));
  }

  @Test
  void shapeOfThePolicy_replacesTheDefault() {
    version(37);
    policy(
        "{\"shape\": [{\"utilization\": 0, \"score\": 0}, {\"utilization\": 50, \"score\": 2},"
            + " {\"utilization\": 100, \"score\": 10}]}");
    free("fast", "a", "100Gi"); // 10 %: 20 * 10 / 50
    free("fast", "b", "12500Mi"); // 81 %: 20 + 80 * (81 - 50) / 50, rounded down

    assertThat(scores("p", "fast 10Gi")).containsOnly(Map.entry("n-a", 4L), Map.entry("n-b", 69L));
  }

  @Test
  void serverThatIsUpgraded_changesTheScoresOfPodsThatCameBefore() {
    version(36);
    free("fast", "a", "100Gi");
    free("fast", "b", "20Gi");
    assertThat(scores("first", "fast 10Gi")).isEmpty();

    version(37);
    assertThat(scores("second", "fast 10Gi"))
        .containsOnly(Map.entry("n-a", 90L), Map.entry("n-b", 50L));

    version(36);
    assertThat(scores("third", "fast 10Gi")).isEmpty();
  }

  @Test
  void scores_followTheCapacities() {
    version(37);
    free("fast", "a", "100Gi");
    free("fast", "b", "100Gi");
    assertThat(scores("first", "fast 10Gi"))
        .containsOnly(Map.entry("n-a", 90L), Map.entry("n-b", 90L));

    free("fast", "a", "50Gi");

    assertThat(scores("second", "fast 10Gi"))
        .containsOnly(Map.entry("n-a", 80L), Map.entry("n-b", 90L));
  }
}
