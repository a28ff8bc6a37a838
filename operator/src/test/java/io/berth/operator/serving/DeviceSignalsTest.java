package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.Berth;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The signals of pods that wait for devices to autoscalers: rows of the table of
 * docs/autoscaling.md.
 */
class DeviceSignalsTest {
  private static final String ASKS_FOR_NODES = "Unschedulable";

  private BerthOnSandbox cluster;
  private Berth berth;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    cluster = new BerthOnSandbox(1);
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: batch}
        spec: {}
        """);
    berth = cluster.replica("one");
  }

  @AfterEach
  void stop() {
    berth.close();
    cluster.close();
  }

  private void claimOneCard() {
    cluster.apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: card}
        spec: {}
        """);
    cluster.apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: one-card, namespace: default}
        spec: {devices: {requests: [{name: card, exactly: {deviceClassName: card}}]}}
        """);
  }

  @Test
  void podWhoseResourceClaimIsMissingOrHasNoDevice_isReportedAsKubeSchedulerDoes() {
    claimOneCard();
    cluster.admin().resource(claims("early", "missing")).create();
    cluster.admin().resource(claims("hungry", "one-card")).create();

    cluster.awaitSignal("early", ASKS_FOR_NODES, "");
    cluster.awaitSignal("hungry", ASKS_FOR_NODES, "");
  }

  @Test
  void podWhoseDeviceIsPrepared_isNominated_untilItIsBound() {
    cluster.apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceSlice
        metadata: {name: cards}
        spec:
          driver: example.com
          nodeName: %s
          pool: {name: cards, generation: 1, resourceSliceCount: 1}
          devices: [{name: a, bindingConditions: [attached], bindingFailureConditions: [broken]}]
        """
            .formatted(BerthOnSandbox.nodeOf("A")));
    claimOneCard();
    cluster.admin().resource(claims("trains", "one-card")).create();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                BerthOnSandbox.nodeOf("A")
                    .equals(cluster.pod("trains").getStatus().getNominatedNodeName()));
    assertThat(cluster.isRejected("trains")).isFalse();

    Resource<ResourceClaim> claim =
        cluster.admin().resources(ResourceClaim.class).inNamespace("default").withName("one-card");
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                claim.get().getStatus() != null
                    && !claim.get().getStatus().getReservedFor().isEmpty());
    claim.editStatus(DeviceSignalsTest::attached);

    cluster.awaitBound("trains");
    assertThat(cluster.pod("trains").getStatus().getNominatedNodeName()).isNull();
  }

  private static ResourceClaim attached(ResourceClaim claim) {
    return new ResourceClaimBuilder(claim)
        .editStatus()
        .addNewDevice()
        .withDriver("example.com")
        .withPool("cards")
        .withDevice("a")
        .addToConditions(
            new ConditionBuilder()
                .withType("attached")
                .withStatus("True")
                .withReason("Attached")
                .withMessage("")
                .withLastTransitionTime("2026-01-01T00:00:00Z")
                .build())
        .endDevice()
        .endStatus()
        .build();
  }

  private Pod claims(String name, String claim) {
    return new PodBuilder(cluster.unboundPod(name, "batch", "1"))
        .editSpec()
        .addNewResourceClaim()
        .withName("card")
        .withResourceClaimName(claim)
        .endResourceClaim()
        .editFirstContainer()
        .editResources()
        .addNewClaim()
        .withName("card")
        .endClaim()
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  @Test
  void podWhoseNodeDoesNotReportItsDevicesYet_asksForNodes_untilTheDevicePluginHasStarted() {
    Quantity one = new Quantity("1");
    cluster
        .admin()
        .resource(
            new PodBuilder(cluster.unboundPod("trains", "batch", "1"))
                .editSpec()
                .editFirstContainer()
                .editResources()
                .addToRequests("example.com/card", one)
                .addToLimits("example.com/card", one)
                .endResources()
                .endContainer()
                .endSpec()
                .build())
        .create();
    cluster.awaitSignal("trains", ASKS_FOR_NODES, "");

    cluster
        .admin()
        .nodes()
        .withName(BerthOnSandbox.nodeOf("A"))
        .editStatus(
            node ->
                new NodeBuilder(node)
                    .editStatus()
                    .addToCapacity("example.com/card", one)
                    .addToAllocatable("example.com/card", one)
                    .endStatus()
                    .build());

    cluster.awaitBound("trains");
  }
}
