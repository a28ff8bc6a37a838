package io.berth.demo.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.binding.BindingField;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.demo.ground.BerthGround;
import io.berth.webhook.binding.AppliedFields;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Changes of policies and configs that are rolled out in steps, also across a restart. */
class RolloutStoryTest {
  private static final String POLICY =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: batch}
      spec:
        rollout:
          steps: [{percent: 50, hold: %s}]
          abortWhen: {unschedulableAbove: 30, deniedAbove: 10}
        %s
      """;
  private static final String CONFIG =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: NodeSchedulerConfig
      metadata: {name: linux}
      spec:
        rollout:
          steps: [{percent: 50, hold: %s}]
          abortWhen: {deniedAbove: 10}
        parameters: [{name: Os, default: linux}%s]
        tolerations: [{key: "${Os}", operator: Exists}%s]
      """;

  private BerthGround ground;

  @BeforeEach
  void start() throws Exception {
    ground = BerthGround.start();
  }

  @AfterEach
  void stop() {
    ground.close();
  }

  private RolloutStatus policyRollout() {
    return ground.policy("batch").rollout();
  }

  private RolloutStatus configRollout() {
    NodeSchedulerConfig config =
        ground.admin().resources(NodeSchedulerConfig.class).withName("linux").get();
    return config.getStatus() == null ? null : config.getStatus().rollout();
  }

  private void awaitPolicy(Predicate<RolloutStatus> state) {
    await()
        .atMost(BerthGround.SOON)
        .until(() -> policyRollout() != null && state.test(policyRollout()));
  }

  private void awaitConfig(Predicate<RolloutStatus> state) {
    await()
        .atMost(BerthGround.SOON)
        .until(() -> configRollout() != null && state.test(configRollout()));
  }

  private static Predicate<RolloutStatus> phase(RolloutPhase phase, String revision) {
    return status -> status.phase() == phase && status.revision().equals(revision);
  }

  private String rolledOut() {
    return ground.policy("batch").conditions().stream()
        .filter(condition -> condition.getType().equals("RolledOut"))
        .map(Condition::getMessage)
        .findFirst()
        .orElse("");
  }

  @Test
  void aPolicyThatDeniesPods_isWithdrawn_andStaysSoAfterARestart() throws Exception {
    ground.apply(POLICY.formatted("1h", ""));
    awaitPolicy(phase(RolloutPhase.COMPLETE, "1"));

    ground.apply(POLICY.formatted("1h", "allowedNamespaces: {names: [elsewhere]}"));
    awaitPolicy(phase(RolloutPhase.PROGRESSING, "2"));
    assertThat(policyRollout().progress()).isEqualTo("1/1 (50%)");
    assertThat(rolledOut())
        .startsWith("revision 2 applies to 50 % of the workloads, and revision 1 to the others");
    for (int i = 0; i < 60; i++) {
      create("default", "p" + i, "annotations: {sched.cloud.ctrip.com/policy: batch}");
    }
    awaitPolicy(phase(RolloutPhase.ABORTED, "2"));
    assertThat(policyRollout().canary().denied()).isGreaterThanOrEqualTo(20);
    assertThat(policyRollout().stable().denied()).isZero();
    assertThat(rolledOut())
        .startsWith("revision 2 was withdrawn: 100.0 % of its pods are denied, and 0.0 % of the")
        .contains("kubectl berth rollout undo");
    for (int i = 0; i < 60; i++) {
      ground.awaitNode("default", "p" + i);
    }

    ground.stopBerth();
    ground.startBerth();
    create("default", "later", "annotations: {sched.cloud.ctrip.com/policy: batch}");
    ground.awaitNode("default", "later");
    awaitPolicy(phase(RolloutPhase.ABORTED, "2"));
    assertThat(ground.policy("batch").servingRevision()).isEqualTo("1");

    ground.apply(POLICY.formatted("1h", ""));
    awaitPolicy(phase(RolloutPhase.COMPLETE, "3"));
    await()
        .atMost(BerthGround.SOON)
        .until(() -> "3".equals(ground.policy("batch").servingRevision()));
  }

  @Test
  void aPolicyThatDoesNoHarm_isComplete_andGoingBackIsImmediate() {
    ground.apply(POLICY.formatted("1s", ""));
    awaitPolicy(phase(RolloutPhase.COMPLETE, "1"));
    ground.apply(POLICY.formatted("1s", "percentageOfNodesToScore: 50"));
    awaitPolicy(phase(RolloutPhase.COMPLETE, "2"));
    await()
        .atMost(BerthGround.SOON)
        .until(() -> "2".equals(ground.policy("batch").servingRevision()));
    List<Object> kept =
        ground
            .admin()
            .apps()
            .controllerRevisions()
            .inAnyNamespace()
            .withLabel("sched.cloud.ctrip.com/last-good-policy", "true")
            .list()
            .getItems()
            .stream()
            .map(
                revision ->
                    (Object)
                        revision
                            .getMetadata()
                            .getAnnotations()
                            .get("sched.cloud.ctrip.com/policy-revision"))
            .toList();
    assertThat(kept).containsExactlyInAnyOrder("1", "2");

    ground.apply(POLICY.formatted("1h", ""));
    awaitPolicy(phase(RolloutPhase.COMPLETE, "3"));
    ground.apply(POLICY.formatted("1h", "percentageOfNodesToScore: 50"));
    awaitPolicy(phase(RolloutPhase.PROGRESSING, "4"));

    ground
        .admin()
        .resources(SchedulingPolicy.class)
        .withName("batch")
        .edit(
            policy -> {
              policy.setSpec(policy.getSpec().withRollout(null));
              return policy;
            });
    await()
        .atMost(BerthGround.SOON)
        .until(() -> "5".equals(ground.policy("batch").servingRevision()));
    assertThat(policyRollout()).isNull();
  }

  /** Creates a pod that requests nothing. */
  private Pod create(String namespace, String name, String metadata) {
    Pod pod = BerthGround.pod(namespace, name, metadata);
    pod.getSpec().getContainers().getFirst().setResources(null);
    return ground.admin().resource(pod).create();
  }

  /** Returns the revision that is rendered into pods, by the pod's name. */
  private Map<String, String> revisions(String prefix) {
    Map<String, String> revisions = new TreeMap<>();
    for (int i = 0; i < 40; i++) {
      String name = "app" + i;
      Pod pod = create("default", name, "annotations: {scb.sched.cloud.ctrip.com/nsc: linux}");
      Map<String, String> annotations =
          Optional.ofNullable(pod.getMetadata().getAnnotations()).orElse(new HashMap<>());
      revisions.put(
          name,
          AppliedFields.of(annotations)
              .revision(BindingField.NODE_CONFIGS, "linux")
              .orElse(prefix));
      ground.admin().pods().inNamespace("default").withName(name).withGracePeriod(0).delete();
    }
    return revisions;
  }

  @Test
  void aConfigIsRenderedInTwoRevisions_alsoAfterARestart() throws Exception {
    ground.apply(CONFIG.formatted("1h", "", ""));
    awaitConfig(phase(RolloutPhase.COMPLETE, "1"));
    assertThat(new TreeSet<>(revisions("none").values())).isEqualTo(Set.of("1"));

    ground.apply(CONFIG.formatted("1h", "", ", {key: more, operator: Exists}"));
    awaitConfig(phase(RolloutPhase.PROGRESSING, "2"));
    Map<String, String> both = revisions("none");
    assertThat(new TreeSet<>(both.values())).isEqualTo(Set.of("1", "2"));
    assertThat(revisions("none")).as("the same workloads").isEqualTo(both);

    ground.stopBerth();
    ground.startBerth();
    assertThat(revisions("none")).as("after a restart").isEqualTo(both);
  }

  @Test
  void aConfigThatRefusesPods_deniesNone_andIsWithdrawn() {
    ground.apply(CONFIG.formatted("1h", "", ""));
    awaitConfig(phase(RolloutPhase.COMPLETE, "1"));
    ground.apply(CONFIG.formatted("1h", ", {name: Zone, required: true}", ", {key: \"${Zone}\"}"));
    awaitConfig(phase(RolloutPhase.PROGRESSING, "2"));
    for (int i = 0; i < 60; i++) {
      create("default", "q" + i, "annotations: {scb.sched.cloud.ctrip.com/nsc: linux}");
    }
    awaitConfig(phase(RolloutPhase.ABORTED, "2"));
    assertThat(configRollout().canary().denied()).isGreaterThanOrEqualTo(20);
    assertThat(new TreeSet<>(revisions("none").values())).isEqualTo(Set.of("1"));
  }
}
