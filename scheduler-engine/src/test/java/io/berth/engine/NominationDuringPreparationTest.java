package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Pods that are nominated for their node while their volumes are prepared, as Berth writes it to
 * their status.
 */
class NominationDuringPreparationTest {
  private static final Pod POD =
      new PodBuilder(TestCluster.pod("stateful", "3", 0))
          .editSpec()
          .addNewVolume()
          .withName("data")
          .withNewPersistentVolumeClaim("data", false)
          .endVolume()
          .endSpec()
          .build();

  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void addNodeAndClaim() {
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

  private static Pod nominatedFor(String nodeName) {
    return new PodBuilder(POD).editStatus().withNominatedNodeName(nodeName).endStatus().build();
  }

  private void place() {
    cluster.upsert(POD);
    assertThat(cluster.placed().isNominatedMeanwhile()).isTrue();
  }

  private void failBinding() {
    cluster.apply(
        new ClusterEvent.BindingFailed(TestCluster.ref(POD), "no volume was provisioned", true));
  }

  private String nominatedNode() {
    return cluster.engine.nominatedNode(TestCluster.ref(POD)).orElse("");
  }

  @Test
  void podWithoutAnythingToPrepare_isNotNominated() {
    cluster.upsert(TestCluster.pod("plain", "1", 0));

    assertThat(cluster.placed().isNominatedMeanwhile()).isFalse();
  }

  @Test
  void nominationThatTheWatchShowsAfterTheBindingHasFailed_isNotTakenForOneByOthers() {
    place();
    failBinding();

    cluster.upsert(nominatedFor("n1"));
    assertThat(nominatedNode()).isEmpty();
    cluster.upsert(POD);
    assertThat(nominatedNode()).isEmpty();
  }

  @Test
  void nominationThatTheWatchShowsInTime_endsWithTheBinding_andOthersCanNominateThePodThen() {
    place();
    cluster.upsert(nominatedFor("n1"));
    failBinding();
    cluster.upsert(POD);
    assertThat(nominatedNode()).isEmpty();

    cluster.upsert(nominatedFor("n1"));

    assertThat(nominatedNode()).isEqualTo("n1");
  }

  @Test
  void newLeader_keepsThePlace_andPlacesThePodThereAgain() {
    cluster.upsert(TestCluster.node("n2", "64"));
    cluster.upsert(nominatedFor("n1"));
    cluster.upsert(TestCluster.pod("another", "3", 0));

    assertThat(nominatedNode()).isEqualTo("n1");
    Decision.Placed first = cluster.placed();
    Decision.Placed second = cluster.placed();

    assertThat(first.pod().name()).isEqualTo("stateful");
    assertThat(first.nodeName()).isEqualTo("n1");
    assertThat(second.nodeName()).isEqualTo("n2");
  }

  @Test
  void newLeader_reportsNoNomination_ifThePodDoesNotFitThereAnyMore() {
    cluster.upsert(TestCluster.bound(TestCluster.pod("intruder", "3", 0), "n1"));
    cluster.upsert(nominatedFor("n1"));

    Decision.Unschedulable waits = cluster.unschedulable();

    assertThat(waits.nominatedNode()).isEmpty();
    assertThat(nominatedNode()).isEmpty();
  }

  @Test
  void newLeader_reportsNoNomination_ifTheNodeIsGone() {
    cluster.upsert(
        new PodBuilder(nominatedFor("n7"))
            .editSpec()
            .addToNodeSelector("a", "b")
            .endSpec()
            .build());

    Decision.Unschedulable waits = cluster.unschedulable();

    assertThat(waits.nominatedNode()).isEmpty();
    cluster.later(Duration.ofSeconds(1));
    assertThat(nominatedNode()).isEmpty();
  }

  private void expectNoNomination(Pod pod) {
    cluster.upsert(TestCluster.bound(TestCluster.pod("intruder", "3", 0), "n1"));
    cluster.upsert(pod);

    assertThat(cluster.unschedulable().nominatedNode()).isEmpty();
    assertThat(nominatedNode()).isEmpty();
  }

  private void serve(String policy) {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(
                TestCluster.POLICY, Serialization.unmarshal(policy, SchedulingPolicySpec.class))));
  }

  /** Nobody else would end it: autoscalers would never see the pod. */
  @Test
  void newLeader_reportsNoNomination_ifThePodNeverPreempts() {
    expectNoNomination(
        new PodBuilder(nominatedFor("n1"))
            .editSpec()
            .withPreemptionPolicy("Never")
            .endSpec()
            .build());
  }

  @Test
  void newLeader_reportsNoNomination_ifThePolicyForbidsPreemption() {
    serve("{\"preemption\": {\"enabled\": false}}");

    expectNoNomination(nominatedFor("n1"));
  }

  @Test
  void newLeader_reportsNoNomination_ifThePolicyOnlyReportsEvictions() {
    serve("{\"preemption\": {\"mode\": \"DryRun\"}}");

    expectNoNomination(
        new PodBuilder(nominatedFor("n1")).editSpec().withPriority(10).endSpec().build());
  }

  @Test
  void newLeader_reportsNoNomination_ifThePolicyDoesNotExist() {
    cluster.apply(new ClusterEvent.PolicyRemoved(TestCluster.POLICY));

    expectNoNomination(nominatedFor("n1"));
  }
}
