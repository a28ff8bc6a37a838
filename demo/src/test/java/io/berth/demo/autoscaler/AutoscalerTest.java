package io.berth.demo.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nodes that simulated autoscalers buy for Berth's pods, against the nodes that are needed. The
 * stories are those of public reports about other schedulers.
 */
class AutoscalerTest {
  /** Time in which an autoscaler with wrong signals buys a node. */
  private static final int STEPS_OF_PATIENCE = 8;

  private static final Duration INTERVAL = Duration.ofMillis(500);

  private static final NodeGroup LARGE = group("large", "8", 0);
  private static final NodeGroup UNRELIABLE = group("large", "8", 1);

  private BerthGround ground;

  private static NodeGroup group(String name, String cpu, int lost) {
    return new NodeGroup(
        name,
        Map.of(
            "cpu", new Quantity(cpu), "memory", new Quantity("64Gi"), "pods", new Quantity("110")),
        Map.of("cloud.ctrip.com/pool", name),
        10,
        INTERVAL.multipliedBy(2),
        lost);
  }

  @BeforeEach
  void start() throws IOException, InterruptedException {
    ground = BerthGround.start();
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: gentle}
        spec:
          priorities: [{name: NodeResourcesFit, weight: 1}]
          preemption: {maxEvictionsPerMinute: 1}
        ---
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: high}
        value: 1000
        """);
    ground.awaitPolicy("gentle", "Serving");
  }

  @AfterEach
  void stop() {
    ground.close();
  }

  private Autoscaler autoscaler(Rules rules, NodeGroup group) {
    return new Autoscaler(
        ground.admin(), rules, List.of(group), Duration.ofHours(1), System.err::println);
  }

  /** Creates a pod; {@code metadata} and {@code spec} are more YAML in flow style. */
  private void create(String name, String cpu, String metadata, String spec) {
    Pod pod =
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata: {namespace: default, name: %s%s}
            spec:
              schedulerName: berth
              containers:
              - {name: main, image: main, resources: {requests: {cpu: "%s"}}}
            %s
            """
                .formatted(name, metadata, cpu, spec),
            Pod.class);
    ground.admin().resource(pod).create();
  }

  private boolean isBound(String name) {
    return ground.admin().pods().inNamespace("default").withName(name).get().getSpec().getNodeName()
        != null;
  }

  private String reasonOf(String name) {
    return ground
        .admin()
        .pods()
        .inNamespace("default")
        .withName(name)
        .get()
        .getStatus()
        .getConditions()
        .stream()
        .filter(condition -> condition.getType().equals("PodScheduled"))
        .map(condition -> String.valueOf(condition.getReason()))
        .findFirst()
        .orElse("");
  }

  /** Fills all nodes with pods that need them whole. */
  private void fill(String metadata, String spec) {
    for (int i = 0; i < 9; i++) {
      create("filler-" + i, "4", metadata, spec);
    }
    for (int i = 0; i < 9; i++) {
      String name = "filler-" + i;
      await().atMost(BerthGround.SOON).until(() -> isBound(name));
    }
  }

  private static void step(Autoscaler autoscaler) {
    autoscaler.step(Instant.now());
    try {
      Thread.sleep(INTERVAL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void stepUntilBound(Autoscaler autoscaler, String name) {
    Instant end = Instant.now().plus(BerthGround.SOON.multipliedBy(2));
    while (!isBound(name)) {
      assertThat(Instant.now()).as("time to place " + name).isBefore(end);
      step(autoscaler);
    }
  }

  private static void stepForAWhile(Autoscaler autoscaler) {
    for (int i = 0; i < STEPS_OF_PATIENCE; i++) {
      step(autoscaler);
    }
  }

  @ParameterizedTest
  @EnumSource
  void podsWithoutRoom_getAsManyNodesAsTheyNeed(Rules rules) {
    fill("", "");
    Autoscaler autoscaler = autoscaler(rules, LARGE);
    for (int i = 0; i < 5; i++) {
      create("waiting-" + i, "4", "", "");
    }
    for (int i = 0; i < 5; i++) {
      stepUntilBound(autoscaler, "waiting-" + i);
    }
    stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void nodeThatNeverComes_isBoughtAgain(Rules rules) {
    fill("", "");
    Autoscaler autoscaler = autoscaler(rules, UNRELIABLE);
    create("waiting", "4", "", "");

    stepUntilBound(autoscaler, "waiting");

    assertThat(autoscaler.bought()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void incompleteGroup_getsNoNode_andOneThatIsComplete_allThatItNeeds(Rules rules) {
    fill("", "");
    Autoscaler autoscaler = autoscaler(rules, LARGE);
    String group =
        ", annotations: {sched.cloud.ctrip.com/group: four, sched.cloud.ctrip.com/group-min:"
            + " \"4\"}";
    for (int i = 0; i < 3; i++) {
      create("member-" + i, "4", group, "");
    }
    await().atMost(BerthGround.SOON).until(() -> reasonOf("member-2").equals("GroupIncomplete"));
    stepForAWhile(autoscaler);
    assertThat(autoscaler.bought()).isZero();

    create("member-3", "4", group, "");
    for (int i = 0; i < 4; i++) {
      stepUntilBound(autoscaler, "member-" + i);
    }
    stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void podThatWaitsForAVictimThatEndsSlowly_getsNoNode(Rules rules) {
    fill(
        ", annotations: {sandbox.berth.io/stops-after: 600s}",
        "  terminationGracePeriodSeconds: 600");
    Autoscaler autoscaler = autoscaler(rules, LARGE);
    create("urgent", "4", "", "  priorityClassName: high");
    await().atMost(BerthGround.SOON).until(() -> reasonOf("urgent").equals("Unschedulable"));

    stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void podWhoseEvictionsALimitDelays_getsNoNode(Rules rules) {
    fill("", "");
    Autoscaler autoscaler = autoscaler(rules, LARGE);
    String gentle = ", annotations: {sched.cloud.ctrip.com/policy: gentle}";
    create("first", "4", gentle, "  priorityClassName: high");
    await().atMost(BerthGround.SOON).until(() -> isBound("first"));
    create("second", "4", gentle, "  priorityClassName: high");
    await().atMost(BerthGround.SOON).until(() -> reasonOf("second").equals("EvictionsHeld"));

    stepForAWhile(autoscaler);

    assertThat(autoscaler.bought()).isZero();
  }
}
