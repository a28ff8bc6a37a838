package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.CSIDriverBuilder;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacityBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Scores by free storage after any sequence of changes are those of an engine that has just been
 * built from the same cluster.
 */
class StorageScoresEqualRebuiltTest {
  private static final int STEPS = 80;
  private static final String DRIVER = "disk.example.com";
  private static final List<String> ZONES = List.of("a", "b", "c");

  private final Map<String, HasMetadata> objects = new LinkedHashMap<>();
  private final TestCluster living = new TestCluster();
  private int minor = 37;
  private int scored;

  private void put(HasMetadata object) {
    objects.put(object.getKind() + object.getMetadata().getName(), object);
    assertThat(living.upsert(object)).isEmpty();
  }

  private void remove(String kind, String name) {
    HasMetadata gone = objects.remove(kind + name);
    if (gone != null) {
      living.remove(gone);
    }
  }

  private void basics() {
    living.apply(new ClusterEvent.ServerVersionSeen(minor));
    put(
        new CSIDriverBuilder()
            .withNewMetadata()
            .withName(DRIVER)
            .endMetadata()
            .withNewSpec()
            .withStorageCapacity(true)
            .endSpec()
            .build());
    for (String name : List.of("fast", "slow")) {
      put(StorageObjects.storageClass(name, DRIVER));
    }
  }

  private static String any(Random random, List<String> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private void putNode(Random random) {
    put(
        new NodeBuilder(TestCluster.node("n" + random.nextInt(5), "8"))
            .editMetadata()
            .addToLabels("zone", any(random, ZONES))
            .endMetadata()
            .build());
  }

  private void putCapacity(Random random) {
    String storageClass = any(random, List.of("fast", "slow"));
    String zone = any(random, ZONES);
    put(
        new CSIStorageCapacityBuilder()
            .withNewMetadata()
            .withName(storageClass + "-" + zone + random.nextInt(2))
            .withNamespace("csi")
            .endMetadata()
            .withStorageClassName(storageClass)
            .withNewNodeTopology()
            .addToMatchLabels("zone", zone)
            .endNodeTopology()
            .withCapacity(new Quantity((5 + random.nextInt(60)) + "Gi"))
            .build());
  }

  private void putVolume(Random random) {
    put(
        StorageObjects.volume(
            "v" + random.nextInt(3),
            "fast",
            (5 + random.nextInt(30)) + "Gi",
            "zone",
            any(random, ZONES)));
  }

  private void change(Random random) {
    switch (random.nextInt(9)) {
      case 0, 1 -> putNode(random);
      case 2 -> remove("Node", "n" + random.nextInt(5));
      case 3, 4, 5 -> putCapacity(random);
      case 6 -> putVolume(random);
      case 7 -> remove("PersistentVolume", "v" + random.nextInt(3));
      default -> {
        minor = random.nextInt(4) == 0 ? 36 : 37;
        living.apply(new ClusterEvent.ServerVersionSeen(minor));
      }
    }
  }

  private static PersistentVolumeClaim claim(Random random, String name) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("team")
        .withUid("uid-" + name)
        .endMetadata()
        .withNewSpec()
        .withStorageClassName(any(random, List.of("fast", "slow")))
        .withAccessModes("ReadWriteOnce")
        .withNewResources()
        // Few sizes, so that pods share what was remembered for others.
        .addToRequests("storage", new Quantity((10 * (1 + random.nextInt(2))) + "Gi"))
        .endResources()
        .endSpec()
        .build();
  }

  /** Lets both engines decide about a pod, which then goes. */
  private void compare(Random random, int step) {
    List<HasMetadata> own = new ArrayList<>();
    Pod pod = TestCluster.pod("p" + step, "1", 0);
    for (int i = 0; i <= random.nextInt(2); i++) {
      String name = "p" + step + "-" + i;
      own.add(claim(random, name));
      pod =
          new PodBuilder(pod)
              .editSpec()
              .addNewVolume()
              .withName(name)
              .withNewPersistentVolumeClaim(name, false)
              .endVolume()
              .endSpec()
              .build();
    }
    own.add(pod);
    TestCluster rebuilt = new TestCluster();
    rebuilt.apply(new ClusterEvent.ServerVersionSeen(minor));
    objects.values().forEach(rebuilt::upsert);
    own.forEach(rebuilt::upsert);
    own.forEach(living::upsert);

    Decision decision = living.decision();
    assertThat(decision.record().bestNodes())
        .as("step %d", step)
        .containsExactlyInAnyOrderElementsOf(rebuilt.decision().record().bestNodes());
    scored +=
        (int)
            decision.record().bestNodes().stream()
                .flatMap(node -> node.plugins().stream())
                .filter(score -> score.plugin().equals("VolumeBinding") && score.raw() > 0)
                .count();
    own.reversed().forEach(living::remove);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void anySequenceOfChanges_leavesTheScoresOfAnEngineThatIsRebuilt(int seed) {
    Random random = new Random(seed);
    basics();
    for (int i = 0; i < 6; i++) {
      putNode(random);
      putCapacity(random);
    }
    for (int step = 0; step < STEPS; step++) {
      change(random);
      compare(random, step);
    }
    assertThat(scored).as("nodes with a score").isGreaterThan(STEPS / 4);
  }
}
