package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.TogetherStep;
import io.berth.engine.model.PodRef;
import io.berth.engine.volume.VolumeStep;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Groups with pods whose volumes have to be prepared before they are bound. */
class GroupVolumesTest {
  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void addNodesAndClaim() {
    cluster.upsert(StorageObjects.storageClass("made", "example.com/disks"));
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
            .withNewStatus()
            .withPhase("Pending")
            .endStatus()
            .build());
    cluster.upsert(TestCluster.node("n1", "4"));
  }

  private static Pod member(String name) {
    return new PodBuilder(TestCluster.pod(name, "1", 0))
        .editMetadata()
        .addToAnnotations("sched.cloud.ctrip.com/group", "train")
        .addToAnnotations("sched.cloud.ctrip.com/group-min", "3")
        .endMetadata()
        .build();
  }

  private static Pod memberWithVolume(String name) {
    return new PodBuilder(member(name))
        .editSpec()
        .addNewVolume()
        .withName("data")
        .withNewPersistentVolumeClaim("data", false)
        .endVolume()
        .endSpec()
        .build();
  }

  private List<Decision.Placed> placed() {
    List<Decision.Placed> placed = new ArrayList<>();
    cluster.decideAll(
        100,
        decided -> {
          switch (decided) {
            case Decision.Placed decision -> placed.add(decision);
            case Decision other -> throw new AssertionError("unexpected: " + other);
          }
        });
    return placed;
  }

  @Test
  void volumesOfOneMember_arePreparedBeforeAnyMemberIsBound() {
    cluster.upsert(member("a"));
    cluster.upsert(memberWithVolume("b"));
    cluster.upsert(member("c"));

    List<Decision.Placed> placed = placed();

    assertThat(placed).hasSize(3);
    TogetherStep together = (TogetherStep) placed.getFirst().preBind().getLast();
    assertThat(together.pods()).extracting(PodRef::name).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(placed).allMatch(decision -> decision.preBind().getLast().equals(together));
    assertThat(placed)
        .filteredOn(decision -> decision.pod().name().equals("b"))
        .allMatch(decision -> decision.preBind().getFirst() instanceof VolumeStep.Provision);
  }

  @Test
  void membersWithoutVolumes_areBoundAtOnce() {
    cluster.upsert(member("a"));
    cluster.upsert(member("b"));
    cluster.upsert(member("c"));

    assertThat(placed()).hasSize(3).allMatch(decision -> decision.preBind().isEmpty());
  }

  @Test
  void groupWhoseVolumesCannotBePrepared_isPlacedTogetherOnceMore() {
    cluster.upsert(member("a"));
    cluster.upsert(memberWithVolume("b"));
    cluster.upsert(member("c"));
    List<Decision.Placed> first = placed();

    first.forEach(
        decision ->
            cluster.apply(
                new ClusterEvent.BindingFailed(decision.pod(), "pod b: no capacity", true)));
    cluster.later(Duration.ofSeconds(10));
    List<Decision.Placed> second = placed();

    assertThat(second).hasSize(3);
    assertThat(((TogetherStep) second.getFirst().preBind().getLast()).start())
        .isNotEqualTo(((TogetherStep) first.getFirst().preBind().getLast()).start());
  }
}
