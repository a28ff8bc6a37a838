package io.berth.demo.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.SchedulingQueue;
import io.berth.demo.ground.BerthGround;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Nodes that simulated autoscalers buy for Berth's pods, against the nodes that are needed. The
 * stories are those of public reports about other schedulers.
 */
class AutoscalerTest {
  private static final NodeGroup LARGE = AutoscaledGround.group("large", "8");

  private AutoscaledGround cluster;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    cluster = AutoscaledGround.start();
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: gentle}
        spec:
          priorities: [{name: NodeResourcesFit, weight: 1}]
          preemption: {maxEvictionsPerMinute: 1}
        """);
    cluster.berth().awaitPolicy("gentle", "Serving");
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @ForEachAutoscaler
  void podsWithoutRoom_getAsManyNodesAsTheyNeed(Rules rules) {
    cluster.fill(9, "", "");
    Autoscaler autoscaler = cluster.autoscaler(rules, LARGE);
    for (int i = 0; i < 5; i++) {
      cluster.create("waiting-" + i, "4", "", "");
    }
    for (int i = 0; i < 5; i++) {
      cluster.stepUntilBound(autoscaler, "waiting-" + i);
    }
    AutoscaledGround.stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isEqualTo(3);
  }

  /** The public report volcano#4710: an incomplete group brings nodes, a complete one is hidden. */
  @ForEachAutoscaler
  void incompleteGroup_getsNoNode_andOneThatIsComplete_allThatItNeeds(Rules rules) {
    cluster.fill(9, "", "");
    Autoscaler autoscaler = cluster.autoscaler(rules, LARGE);
    String group =
        ", annotations: {sched.cloud.ctrip.com/group: four, sched.cloud.ctrip.com/group-min:"
            + " \"4\"}";
    for (int i = 0; i < 3; i++) {
      cluster.create("member-" + i, "4", group, "");
    }
    cluster.awaitReason("member-2", "GroupIncomplete");
    AutoscaledGround.stepForAWhile(autoscaler);
    assertThat(autoscaler.bought()).isZero();

    cluster.create("member-3", "4", group, "");
    for (int i = 0; i < 4; i++) {
      cluster.stepUntilBound(autoscaler, "member-" + i);
    }
    AutoscaledGround.stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isEqualTo(2);
  }

  /** The public report kubernetes#134428: several preemptors count on one victim. */
  @ForEachAutoscaler
  void preemptorsBeyondTheVictims_getNodes_andTheOthersNone(Rules rules) {
    cluster.fill(8, "", "  priorityClassName: high");
    cluster.create(
        "victim",
        "4",
        ", annotations: {sandbox.berth.io/stops-after: 600s}",
        "  terminationGracePeriodSeconds: 600");
    cluster.awaitBound("victim");
    Autoscaler autoscaler = cluster.autoscaler(rules, AutoscaledGround.group("single", "4"));
    // The first can go nowhere else, so that it does not leave its place to another.
    cluster.create(
        "urgent-0",
        "4",
        "",
        "  priorityClassName: high\n  nodeSelector: {kubernetes.io/hostname: %s}"
            .formatted(cluster.nodeOf("victim")));
    cluster.awaitReason("urgent-0", "Unschedulable");
    for (String name : List.of("urgent-1", "urgent-2")) {
      cluster.create(name, "4", "", "  priorityClassName: high");
      cluster.awaitReason(name, "Unschedulable");
    }
    AutoscaledGround.stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isEqualTo(2);
    assertThat(Stream.of("urgent-0", "urgent-1", "urgent-2").filter(cluster::isBound))
        .containsExactly("urgent-1", "urgent-2");
  }

  /** The public report volcano#4710: pods that their queue holds back bring nodes. */
  @ForEachAutoscaler
  void podsThatTheirQueueHoldsBack_getNoNode_untilItsLimitIsRaised(Rules rules) {
    cluster.fill(9, "", "");
    limitTo("36");
    Autoscaler autoscaler = cluster.autoscaler(rules, LARGE);
    createWaiting(4);
    for (int i = 0; i < 4; i++) {
      cluster.awaitReason("waiting-" + i, "HeldByQueue");
    }
    AutoscaledGround.stepForAWhile(autoscaler);
    assertThat(autoscaler.bought()).isZero();

    limitTo("52");
    for (int i = 0; i < 4; i++) {
      cluster.stepUntilBound(autoscaler, "waiting-" + i);
    }
    AutoscaledGround.stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isEqualTo(2);
  }

  @ForEachAutoscaler
  void podsOfAQueue_bringNoMoreNodesThanItsLimitAdmits(Rules rules) {
    cluster.fill(9, "", "");
    limitTo("44");
    Autoscaler autoscaler = cluster.autoscaler(rules, LARGE);
    createWaiting(6);
    cluster.awaitReason("waiting-5", "HeldByQueue");
    for (int i = 0; i < 2; i++) {
      cluster.stepUntilBound(autoscaler, "waiting-" + i);
    }
    AutoscaledGround.stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isEqualTo(1);
    cluster.awaitReason("waiting-2", "HeldByQueue");
  }

  private void createWaiting(int pods) {
    for (int i = 0; i < pods; i++) {
      cluster.create("waiting-" + i, "4", "", "");
    }
  }

  private void limitTo(String cpu) {
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingQueue
        metadata: {name: small}
        spec:
          limit: {cpu: "%s"}
          namespaces: {names: [default]}
        """
            .formatted(cpu));
    await()
        .atMost(BerthGround.SOON)
        .until(
            () -> {
              SchedulingQueue queue =
                  cluster.admin().resources(SchedulingQueue.class).withName("small").get();
              return queue.getStatus() != null && queue.getStatus().pods() != null;
            });
  }

  /** The public report volcano#3681: the nominated pod gets its place, and brings no node. */
  @ForEachAutoscaler
  void podThatWaitsForAVictimThatEnds_getsItsPlace_andNoNode(Rules rules) {
    cluster.fill(
        9,
        ", annotations: {sandbox.berth.io/stops-after: 3s}",
        "  terminationGracePeriodSeconds: 10");
    Autoscaler autoscaler = cluster.autoscaler(rules, LARGE);
    cluster.create("urgent", "4", "", "  priorityClassName: high");

    cluster.stepUntilBound(autoscaler, "urgent");

    assertThat(autoscaler.bought()).isZero();
  }

  /** The public report volcano#3499: a pod that preempts brings a node as well. */
  @ForEachAutoscaler
  void podThatWaitsForAVictimThatEndsSlowly_getsNoNode(Rules rules) {
    cluster.fill(
        9,
        ", annotations: {sandbox.berth.io/stops-after: 600s}",
        "  terminationGracePeriodSeconds: 600");
    Autoscaler autoscaler = cluster.autoscaler(rules, LARGE);
    cluster.create("urgent", "4", "", "  priorityClassName: high");
    cluster.awaitReason("urgent", "Unschedulable");

    AutoscaledGround.stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isZero();
  }

  @ForEachAutoscaler
  void podWhoseEvictionsALimitDelays_getsNoNode(Rules rules) {
    cluster.fill(9, "", "");
    Autoscaler autoscaler = cluster.autoscaler(rules, LARGE);
    String gentle = ", annotations: {sched.cloud.ctrip.com/policy: gentle}";
    cluster.create("first", "4", gentle, "  priorityClassName: high");
    cluster.awaitBound("first");
    cluster.create("second", "4", gentle, "  priorityClassName: high");
    cluster.awaitReason("second", "EvictionsHeld");

    AutoscaledGround.stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isZero();
  }

  /**
   * Returns an autoscaler that has bought the node large-0 for the pod "early".
   *
   * @param intervals the time after which it removes nodes that are not needed
   */
  private Autoscaler boughtForEarlyPod(Rules rules, int intervals) {
    cluster.fill(9, "", "");
    Autoscaler autoscaler =
        cluster.autoscaler(rules, AutoscaledGround.INTERVAL.multipliedBy(intervals), LARGE);
    cluster.create("early", "4", "", "");
    cluster.stepUntilBound(autoscaler, "early");
    return autoscaler;
  }

  @ForEachAutoscaler
  void nodeThatWillBeRemoved_getsNoPods(Rules rules) {
    Autoscaler autoscaler = boughtForEarlyPod(rules, 2);
    cluster.delete("early");
    AutoscaledGround.stepUntil(
        autoscaler, "close the node", () -> cluster.hasTaint("large-0", rules.taint()));
    cluster.create("late", "4", "", "");
    cluster.awaitReason("late", "Unschedulable");

    cluster.stepUntilBound(autoscaler, "late");

    assertThat(cluster.nodeOf("late")).isEqualTo("large-1");
    assertThat(autoscaler.bought()).isEqualTo(2);
    assertThat(cluster.admin().nodes().withName("large-0").get()).isNull();
  }

  /** A node is not taken for an empty one while a device is prepared for a pod on it. */
  @ForEachAutoscaler
  void nodeOnWhichADeviceIsPreparedForAPod_isKept_andBringsNoOther(Rules rules) {
    Autoscaler autoscaler = boughtForEarlyPod(rules, 4);
    cluster.offerDeviceThatIsPreparedForLong("large-0");
    cluster.create(
        "late", "8", "", "  resourceClaims: [{name: card, resourceClaimName: one-card}]");
    cluster.awaitReason("late", "Unschedulable");
    cluster.delete("early");
    await().atMost(BerthGround.SOON).until(() -> cluster.nominatedNodeOf("late").equals("large-0"));

    AutoscaledGround.stepForAWhile(autoscaler);
    AutoscaledGround.stepForAWhile(autoscaler);

    assertThat(cluster.admin().nodes().withName("large-0").get()).isNotNull();
    assertThat(cluster.hasTaint("large-0", rules.taint())).isFalse();
    assertThat(cluster.nominatedNodeOf("late")).isEqualTo("large-0");
    assertThat(autoscaler.bought()).isEqualTo(1);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void podsOfANodeThatIsHardlyUsed_moveToOtherNodes() {
    Autoscaler autoscaler =
        cluster.autoscaler(Rules.KARPENTER, AutoscaledGround.INTERVAL.multipliedBy(2), LARGE);
    cluster.fill(9, "", "");
    cluster.create("early", "4", "", "");
    cluster.stepUntilBound(autoscaler, "early");
    cluster.apply(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {namespace: default, name: web}
        spec:
          replicas: 1
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}}
            spec:
              schedulerName: berth
              containers: [{name: main, image: main, resources: {requests: {cpu: "1"}}}]
        """);
    await().atMost(BerthGround.SOON).until(() -> cluster.nodesOf("web").equals(List.of("large-0")));
    cluster.delete("early");
    cluster.delete("filler-0");

    AutoscaledGround.stepUntil(
        autoscaler,
        "remove the node",
        () -> cluster.admin().nodes().withName("large-0").get() == null);

    await()
        .atMost(BerthGround.SOON)
        .until(
            () ->
                cluster.nodesOf("web").size() == 1 && !cluster.nodesOf("web").contains("large-0"));
    assertThat(autoscaler.bought()).isEqualTo(1);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void ghostAndLateNodes_getNoPodsUntilTheyAreReady() {
    cluster.fill(9, "", "");
    Autoscaler autoscaler =
        cluster.autoscaler(
            Rules.CLUSTER,
            AutoscaledGround.group(
                "large",
                "8",
                new Delivery.Ghost(),
                new Delivery.Slow(AutoscaledGround.INTERVAL.multipliedBy(3))));
    cluster.create("waiting", "4", "", "");

    cluster.stepUntilBound(autoscaler, "waiting");

    assertThat(cluster.nodeOf("waiting")).isEqualTo("large-1");
    assertThat(autoscaler.bought()).isEqualTo(2);
    assertThat(autoscaler.lost()).isEqualTo(1);
  }
}
