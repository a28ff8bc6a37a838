package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.Decision;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSIDriverBuilder;
import io.fabric8.kubernetes.api.model.storage.CSINodeBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods whose CSI driver has to be installed on their node ({@code VolumeLimitScaling}). */
class RequiredDriversTest {
  private static final String DRIVER = "disk.example.com";

  private final TestCluster cluster = new TestCluster();
  private final Map<String, String> nodeOf = new TreeMap<>();
  private final Map<String, String> messageOf = new TreeMap<>();

  @BeforeEach
  void podWithAClaim() {
    cluster.upsert(TestCluster.node("n1", "8"));
    cluster.upsert(StorageObjects.storageClass("made", DRIVER));
    cluster.upsert(
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withName("data")
            .withNamespace("team")
            .withUid("uid-data")
            .endMetadata()
            .withNewSpec()
            .withStorageClassName("made")
            .withAccessModes("ReadWriteOnce")
            .withNewResources()
            .addToRequests("storage", new Quantity("1Gi"))
            .endResources()
            .endSpec()
            .build());
    cluster.upsert(
        new PodBuilder(TestCluster.pod("p", "1", 0))
            .editSpec()
            .addNewVolume()
            .withName("data")
            .withNewPersistentVolumeClaim("data", false)
            .endVolume()
            .endSpec()
            .build());
  }

  private static CSIDriver driver(boolean required) {
    CSIDriver driver =
        new CSIDriverBuilder()
            .withNewMetadata()
            .withName(DRIVER)
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .build();
    driver.getSpec().setAdditionalProperty("preventPodSchedulingIfMissing", required);
    return driver;
  }

  private void installs(String driver) {
    cluster.upsert(
        new CSINodeBuilder()
            .withNewMetadata()
            .withName("n1")
            .endMetadata()
            .withNewSpec()
            .addNewDriver()
            .withName(driver)
            .withNodeID("n1")
            .endDriver()
            .endSpec()
            .build());
  }

  private void decide() {
    cluster.later(Duration.ofSeconds(15));
    cluster.decideAll(
        100,
        decided -> {
          switch (decided) {
            case Decision.Placed placed -> nodeOf.put(placed.pod().name(), placed.nodeName());
            case Decision.Unschedulable waits -> messageOf.put(waits.pod().name(), waits.message());
            case Decision other -> throw new AssertionError("unexpected: " + other);
          }
        });
  }

  @Test
  void podWaitsUntilItsDriverIsInstalledOnANode() {
    cluster.upsert(driver(true));
    decide();
    assertThat(messageOf.get("p"))
        .contains("1 disk.example.com CSI driver is not installed on the node");

    installs("other.example.com");
    decide();
    assertThat(nodeOf).isEmpty();

    installs(DRIVER);
    decide();
    assertThat(nodeOf).containsEntry("p", "n1");
  }

  @Test
  void podWaitsUntilItsDriverIsNotRequiredAnyMore() {
    cluster.upsert(driver(true));
    decide();
    assertThat(nodeOf).isEmpty();

    cluster.upsert(driver(false));
    decide();

    assertThat(nodeOf).containsEntry("p", "n1");
  }

  @Test
  void podDoesNotWaitForADriverThatIsNotRequired() {
    cluster.upsert(driver(false));
    decide();

    assertThat(nodeOf).containsEntry("p", "n1");
  }
}
