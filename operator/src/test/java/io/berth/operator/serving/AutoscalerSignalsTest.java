package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.SchedulingQueue;
import io.berth.operator.Berth;
import io.berth.operator.api.ScriptedServer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The signals of waiting pods to autoscalers: the table of docs/autoscaling.md. The Cluster
 * Autoscaler and Karpenter buy nodes for a pod whose condition PodScheduled has the reason
 * Unschedulable, unless it has a nominated node. Rows that need time, or a failure, are in {@code
 * SessionSignalsTest}, and those about devices in {@code DeviceSignalsTest}.
 */
class AutoscalerSignalsTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String ASKS_FOR_NODES = "Unschedulable";

  private static final String POLICY =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: batch}
      spec:
        priorities: [{name: NodeAffinity, weight: 1}]
      """;

  private BerthOnSandbox cluster;
  private Berth berth;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    cluster = new BerthOnSandbox(1);
    cluster.apply(POLICY);
    cluster.apply(
        """
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: high}
        value: 1000
        """);
    berth = cluster.replica("one");
  }

  @AfterEach
  void stop() {
    berth.close();
    cluster.close();
  }

  private void awaitBound(String pod) {
    cluster.awaitBound(pod);
  }

  private void awaitSignal(String pod, String reason, String nominatedNode) {
    cluster.awaitSignal(pod, reason, nominatedNode);
  }

  private String messageOf(String pod) {
    return cluster.pod(pod).getStatus().getConditions().getFirst().getMessage();
  }

  private Pod important(String name, String policy, String cpu) {
    return new PodBuilder(cluster.unboundPod(name, policy, cpu))
        .editSpec()
        .withPriorityClassName("high")
        .endSpec()
        .build();
  }

  private Pod thatStopsSlowly(String name) {
    return new PodBuilder(cluster.unboundPod(name, "batch", "2"))
        .editMetadata()
        .addToAnnotations("sandbox.berth.io/stops-after", "600s")
        .endMetadata()
        .editSpec()
        .withTerminationGracePeriodSeconds(600L)
        .endSpec()
        .build();
  }

  private Pod member(String name, String group, int minimum, String cpu) {
    return new PodBuilder(cluster.unboundPod(name, "batch", cpu))
        .editMetadata()
        .addToAnnotations(
            Map.of(
                "sched.cloud.ctrip.com/group",
                group,
                "sched.cloud.ctrip.com/group-min",
                String.valueOf(minimum)))
        .endMetadata()
        .build();
  }

  @Test
  void podWithoutRoom_asksForNodes() {
    cluster.createPod("large", "batch", "16");

    awaitSignal("large", ASKS_FOR_NODES, "");
  }

  @Test
  void podThatWaitsForItsVictims_isNominated() {
    cluster.admin().resource(thatStopsSlowly("victim-1")).create();
    cluster.admin().resource(thatStopsSlowly("victim-2")).create();
    awaitBound("victim-1");
    awaitBound("victim-2");

    cluster.admin().resource(important("urgent", "batch", "4")).create();

    awaitSignal("urgent", ASKS_FOR_NODES, BerthOnSandbox.nodeOf("A"));
  }

  @Test
  void podWhoseEvictionsALimitDelays_asksForNoNodes() {
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: gentle}
        spec:
          priorities: [{name: NodeAffinity, weight: 1}]
          preemption: {maxEvictionsPerMinute: 1}
        """);
    cluster.createPod("victim-1", "batch", "2");
    cluster.createPod("victim-2", "batch", "2");
    awaitBound("victim-1");
    awaitBound("victim-2");

    cluster.admin().resource(important("first", "gentle", "2")).create();
    awaitBound("first");
    cluster.admin().resource(important("second", "gentle", "2")).create();

    awaitSignal("second", "EvictionsHeld", "");
  }

  @Test
  void podWhoseEvictionsAreDelayedForLong_asksForNodes() {
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: patient}
        spec:
          priorities: [{name: NodeAffinity, weight: 1}]
          preemption: {minRunTime: 10m}
        """);
    cluster.createPod("victim", "batch", "4");
    awaitBound("victim");

    cluster.admin().resource(important("urgent", "patient", "4")).create();

    awaitSignal("urgent", ASKS_FOR_NODES, "");
    assertThat(messageOf("urgent")).contains("have run for less than the minRunTime of the policy");
  }

  @Test
  void podWhosePolicyOnlyReportsEvictions_asksForNodes() {
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: cautious}
        spec:
          priorities: [{name: NodeAffinity, weight: 1}]
          preemption: {mode: DryRun}
        """);
    cluster.createPod("victim", "batch", "4");
    awaitBound("victim");

    cluster.admin().resource(important("urgent", "cautious", "4")).create();

    awaitSignal("urgent", ASKS_FOR_NODES, "");
    assertThat(messageOf("urgent")).contains("preemption (dry run): node-a-0 would have room");
    assertThat(cluster.pod("victim").isMarkedForDeletion()).isFalse();
  }

  @Test
  void podOfAnIncompleteGroup_asksForNoNodes() {
    cluster.admin().resource(member("alone", "pair", 2, "1")).create();

    awaitSignal("alone", "GroupIncomplete", "");
  }

  @Test
  void podsOfAGroupThatDoesNotFit_allAskForNodes() {
    cluster.admin().resource(member("left", "pair", 2, "3")).create();
    cluster.admin().resource(member("right", "pair", 2, "3")).create();

    awaitSignal("left", ASKS_FOR_NODES, "");
    awaitSignal("right", ASKS_FOR_NODES, "");
  }

  @Test
  void podsOfAGroupWithAMemberThatIsTooLargeForEveryNode_allAskForNodes_andSayWhichIsTooLarge() {
    cluster.admin().resource(member("small", "pair", 2, "1")).create();
    cluster.admin().resource(member("large", "pair", 2, "64")).create();

    awaitSignal("small", ASKS_FOR_NODES, "");
    awaitSignal("large", ASKS_FOR_NODES, "");
    assertThat(cluster.pod("small").getStatus().getConditions())
        .extracting(PodCondition::getMessage)
        .anyMatch(text -> text.contains("large does not fit on an empty node either: it requests"));
  }

  @Test
  void podsOfAGroupThatIsTooLargeForAllNodesTogether_allAskForNodes_andSayHowMuchIsLacking() {
    cluster.admin().resource(member("left", "pair", 2, "3")).create();
    cluster.admin().resource(member("right", "pair", 2, "3")).create();

    awaitSignal("left", ASKS_FOR_NODES, "");
    awaitSignal("right", ASKS_FOR_NODES, "");
    assertThat(messageOf("left"))
        .contains("together they request at least 6 of cpu, and the only node that they may use");
  }

  @Test
  void gatedPod_asksForNoNodes() {
    cluster
        .admin()
        .resource(
            new PodBuilder(cluster.unboundPod("gated", "batch", "16"))
                .editSpec()
                .addNewSchedulingGate("example.com/quota")
                .endSpec()
                .build())
        .create();

    awaitSignal("gated", "SchedulingGated", "");
  }

  @Test
  void podWhosePolicyIsMissing_asksForNoNodes() {
    cluster.createPod("lost", "missing", "16");

    awaitSignal("lost", "PolicyNotFound", "");
  }

  @Test
  void podWhosePolicyIsNotForItsNamespace_asksForNoNodes() {
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: theirs}
        spec:
          allowedNamespaces: {names: [others]}
          priorities: [{name: NodeAffinity, weight: 1}]
        """);
    cluster.createPod("stranger", "theirs", "16");

    awaitSignal("stranger", "PolicyNotAllowed", "");
  }

  @Test
  void podHeldByItsQueue_asksForNoNodes_butOneWithinItsLimitsDoes() {
    queue("limit: {cpu: \"20\"}");
    cluster.createPod("held", "batch", "21");
    cluster.createPod("large", "batch", "19");

    awaitSignal("held", "HeldByQueue", "");
    awaitSignal("large", "Unschedulable", "");
  }

  @Test
  void podsOfAQueue_askForNodes_asFarAsItsLimitAdmitsAllOfThem() {
    queue("limit: {cpu: \"30\"}");
    cluster.createPod("first", "batch", "19");
    awaitSignal("first", "Unschedulable", "");
    cluster.createPod("second", "batch", "19");

    awaitSignal("second", "HeldByQueue", "");
  }

  @Test
  void podThatBorrows_asksForNoNodes_ifItsQueueDoesNotScaleUp() {
    queue("guarantee: {cpu: \"30\"}\n  borrowing: {scaleUp: false}");
    cluster.createPod("covered", "batch", "19");
    awaitSignal("covered", "Unschedulable", "");
    cluster.createPod("borrows", "batch", "19");

    awaitSignal("borrows", "HeldByQueue", "");
  }

  /** Creates a queue of all pods of the test. */
  private void queue(String amounts) {
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingQueue
        metadata: {name: small}
        spec:
          namespaces: {names: [default]}
          %s
        """
            .formatted(amounts));
    await()
        .atMost(SOON)
        .until(
            () -> {
              SchedulingQueue queue =
                  cluster.admin().resources(SchedulingQueue.class).withName("small").get();
              return queue.getStatus() != null && queue.getStatus().pods() != null;
            });
  }

  @Test
  void podWhoseExtenderDoesNotAnswer_asksForNoNodes() {
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: advised}
        spec:
          priorities: [{name: NodeAffinity, weight: 1}]
          extenders: [{urlPrefix: "http://127.0.0.1:1", filterVerb: filter}]
        """);
    cluster.createPod("advised", "advised", "1");

    awaitSignal("advised", "SchedulerError", "");
  }

  @Test
  void podWhoseClaimIsMissing_isReportedAsKubeSchedulerDoes() {
    cluster
        .admin()
        .resource(
            new PodBuilder(cluster.unboundPod("stateful", "batch", "1"))
                .editSpec()
                .addNewVolume()
                .withName("data")
                .withNewPersistentVolumeClaim("missing", false)
                .endVolume()
                .endSpec()
                .build())
        .create();

    awaitSignal("stateful", ASKS_FOR_NODES, "");
  }

  @Test
  void podWhoseExtenderRejectsAllNodes_asksForNodes() throws IOException {
    String none = "{\"nodenames\": [], \"failedNodes\": {\"node-a-0\": \"no licence is left\"}}";
    try (ScriptedServer extender =
        new ScriptedServer((path, body) -> new ScriptedServer.Reply(200, none))) {
      cluster.apply(
          """
          apiVersion: sched.cloud.ctrip.com/v1
          kind: SchedulingPolicy
          metadata: {name: licensed}
          spec:
            priorities: [{name: NodeAffinity, weight: 1}]
            extenders: [{urlPrefix: "%s", filterVerb: filter, nodeCacheCapable: true}]
          """
              .formatted(extender.url()));
      cluster.createPod("unlicensed", "licensed", "1");

      awaitSignal("unlicensed", ASKS_FOR_NODES, "");
      assertThat(messageOf("unlicensed")).contains("no licence is left");
    }
  }

  @Test
  void podThatIsWrong_asksForNoNodes() {
    cluster
        .admin()
        .resource(
            new PodBuilder(cluster.unboundPod("wrong", "batch", "1"))
                .editMetadata()
                .addToAnnotations("sched.cloud.ctrip.com/group-min", "many")
                .addToAnnotations("sched.cloud.ctrip.com/group", "pair")
                .endMetadata()
                .build())
        .create();

    awaitSignal("wrong", "InvalidPod", "");
  }
}
