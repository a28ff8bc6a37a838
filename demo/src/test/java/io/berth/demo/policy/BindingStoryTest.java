package io.berth.demo.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.Annotations;
import io.berth.crds.SchedulerConfigBindingStatus;
import io.berth.crds.binding.BindingConflict;
import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Bindings in one namespace each, and their effect on new pods and on statuses. */
class BindingStoryTest {

  private static BerthGround ground;

  @BeforeAll
  static void start() throws Exception {
    ground = BerthGround.start();
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: NodeSchedulerConfig
        metadata: {name: pool}
        spec:
          parameters: [{name: Pool, required: true, enum: [A, B, public]}]
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchExpressions: [{key: cloud.ctrip.com/pool, operator: In, values: ["${Pool}"]}]
        ---
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: batch}
        spec: {}
        """);
    ground.awaitPolicy("batch", "Serving");
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  private static void bind(String namespace, String name, String spec) {
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulerConfigBinding
        metadata: {namespace: %s, name: %s}
        spec: {%s}
        """
            .formatted(namespace, name, spec));
  }

  private static String toPool(String pool) {
    return "nodeConfigs: [{name: pool, args: {Pool: %s}}]".formatted(pool);
  }

  private static String poolOf(String namespace, String name) {
    ground.awaitNode(namespace, name);
    return ground.byPool(List.of(ground.pod(namespace, name))).keySet().iterator().next();
  }

  private static Pod spark(String namespace, String name) {
    return ground.createPod(namespace, name, "labels: {app: spark}");
  }

  private static boolean isRendered(Pod pod) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    return annotations != null && annotations.containsKey(Annotations.APPLIED);
  }

  private static void awaitStatus(
      String namespace, String name, Consumer<SchedulerConfigBindingStatus> says) {
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(() -> says.accept(ground.binding(namespace, name)));
  }

  @Test
  void dryRun_changesNoPod_andCountsThoseItWouldChange() {
    ground.createNamespace("trial", Map.of());
    bind("trial", "now", toPool("A") + ", schedulingPolicy: batch");
    bind("trial", "same", "enforcement: DryRun, priority: 1, " + toPool("A"));
    bind("trial", "other", "enforcement: DryRun, priority: 2, " + toPool("B"));
    ground.awaitBinding("trial", "now", "InUse");
    ground.awaitBinding("trial", "other", "InUse");

    spark("trial", "one");
    spark("trial", "two");

    assertThat(poolOf("trial", "one")).isEqualTo("A");
    assertThat(poolOf("trial", "two")).isEqualTo("A");
    awaitStatus(
        "trial",
        "other",
        status -> {
          assertThat(status.matchedPods()).isEqualTo(2);
          assertThat(status.wouldChange()).isEqualTo(2);
        });
    awaitStatus(
        "trial",
        "same",
        status -> {
          assertThat(status.matchedPods()).isEqualTo(2);
          assertThat(status.wouldChange()).isZero();
        });
    awaitStatus("trial", "now", status -> assertThat(status.wouldChange()).isNull());
  }

  @Test
  void rollout_reachesAnOwnerWithAllItsPods_orNotAtAll_andMoreOwnersAtMorePercent() {
    ground.createNamespace("rollout", Map.of());
    bind("rollout", "half", "rollout: {percent: 50}, " + toPool("B"));
    ground.awaitBinding("rollout", "half", "InUse");
    Map<String, Boolean> first = new HashMap<>();
    for (int app = 0; app < 12; app++) {
      List<Boolean> rendered = new ArrayList<>();
      for (int pod = 0; pod < 2; pod++) {
        rendered.add(isRendered(podOf("app-" + app, pod)));
      }
      assertThat(rendered.get(0)).as("both pods of app-%d", app).isEqualTo(rendered.get(1));
      first.put("app-" + app, rendered.get(0));
    }
    assertThat(first.values()).contains(true, false);
    int reached = 2 * (int) first.values().stream().filter(each -> each).count();
    awaitStatus("rollout", "half", status -> assertThat(status.matchedPods()).isEqualTo(reached));

    bind("rollout", "half", "rollout: {percent: 80}, " + toPool("B"));
    await()
        .atMost(BerthGround.SOON)
        .until(() -> ground.binding("rollout", "half").observedGeneration() == 2);
    for (int app = 0; app < 12; app++) {
      boolean rendered = isRendered(podOf("app-" + app, 2));
      assertThat(rendered || !first.get("app-" + app)).as("app-%d stays in", app).isTrue();
    }
  }

  /** Returns a pod of a StatefulSet, which is created or enlarged for it. */
  private static Pod podOf(String app, int number) {
    ground
        .admin()
        .resource(
            """
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {namespace: rollout, name: %1$s}
            spec:
              serviceName: %1$s
              replicas: %2$d
              podManagementPolicy: Parallel
              selector: {matchLabels: {app: %1$s}}
              template:
                metadata: {labels: {app: %1$s}}
                spec: {containers: [{name: main, image: "busybox:1.37"}]}
            """
                .formatted(app, number + 1))
        .serverSideApply();
    String name = app + "-" + number;
    await().atMost(BerthGround.SOON).until(() -> ground.pod("rollout", name) != null);
    return ground.pod("rollout", name);
  }

  @Test
  void podsAnnotations_replaceABinding_unlessItDeniesThat() {
    ground.createNamespace("overrides", Map.of());
    bind("overrides", "platform", toPool("A"));
    ground.awaitBinding("overrides", "platform", "InUse");
    String own =
        "annotations: {scb.sched.cloud.ctrip.com/nsc: pool, scb.sched.cloud.ctrip.com/nsc-args:"
            + " '{\"Pool\":\"B\"}'}";
    ground.createPod("overrides", "allowed", own);

    bind("overrides", "platform", "podOverrides: Deny, " + toPool("A"));
    await()
        .atMost(BerthGround.SOON)
        .until(() -> ground.binding("overrides", "platform").observedGeneration() == 2);
    ground.createPod("overrides", "denied", own);

    assertThat(required(ground.pod("overrides", "allowed"))).containsExactly("B");
    assertThat(required(ground.pod("overrides", "denied"))).containsExactly("A");
  }

  private static List<String> required(Pod pod) {
    return pod.getSpec()
        .getAffinity()
        .getNodeAffinity()
        .getRequiredDuringSchedulingIgnoredDuringExecution()
        .getNodeSelectorTerms()
        .getFirst()
        .getMatchExpressions()
        .getFirst()
        .getValues();
  }

  @Test
  void bindingOfTheOperatorsNamespace_reachesTheNamespacesItSelects() {
    ground.createNamespace("gold-team", Map.of("tier", "gold"));
    ground.createNamespace("silver-team", Map.of("tier", "silver"));
    bind(
        "berth-system",
        "gold-to-b",
        "namespaceSelector: {matchLabels: {tier: gold}}, schedulingPolicy: batch, " + toPool("B"));
    ground.awaitBinding("berth-system", "gold-to-b", "InUse");

    Pod gold = spark("gold-team", "pod");
    Pod silver = spark("silver-team", "pod");

    assertThat(poolOf("gold-team", "pod")).isEqualTo("B");
    assertThat(isRendered(gold)).isTrue();
    assertThat(isRendered(silver)).isFalse();
    awaitStatus(
        "berth-system", "gold-to-b", status -> assertThat(status.matchedPods()).isEqualTo(1));
  }

  @Test
  void bindingsThatConflict_nameEachOtherInTheirStatuses() {
    ground.createNamespace("conflict", Map.of());
    bind("conflict", "all", toPool("A") + ", schedulingPolicy: batch");
    bind(
        "conflict",
        "spark",
        "priority: 5, podSelector: {matchLabels: {app: spark}}, schedulingPolicy: batch, "
            + toPool("B"));
    ground.awaitBinding("conflict", "all", "InUse");
    ground.awaitBinding("conflict", "spark", "InUse");

    spark("conflict", "pod");

    assertThat(poolOf("conflict", "pod")).isEqualTo("B");
    awaitStatus(
        "conflict",
        "all",
        status -> {
          BindingConflict conflict = onlyOne(status.losesTo());
          assertThat(conflict.name()).isEqualTo("spark");
          assertThat(conflict.pods()).isEqualTo(1);
          assertThat(conflict.reason()).isEqualTo("its priority 5 is greater than 0");
        });
    awaitStatus(
        "conflict",
        "spark",
        status -> {
          assertThat(onlyOne(status.winsOver()).name()).isEqualTo("all");
          assertThat(status.losesTo()).isEmpty();
        });
  }

  private static BindingConflict onlyOne(List<BindingConflict> conflicts) {
    assertThat(conflicts).hasSize(1);
    return conflicts.getFirst();
  }

  @Test
  void bindingWhoseReferencesComeLater_saysWhatIsMissing_andHealsByItself() {
    ground.createNamespace("order", Map.of());
    bind(
        "order", "early", "nodeConfigs: [{name: later, args: {Pool: B}}], schedulingPolicy: later");
    ground.awaitBinding("order", "early", "ReferencesUnresolved: BERTH-1701");
    assertThat(isRendered(spark("order", "before"))).isFalse();
    assertThat(ground.events("order", "early", "ReferencesUnresolved"))
        .anySatisfy(
            event -> assertThat(event).contains("there is no NodeSchedulerConfig \"later\""));

    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: later}
        spec: {}
        ---
        apiVersion: sched.cloud.ctrip.com/v1
        kind: NodeSchedulerConfig
        metadata: {name: later}
        spec:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchExpressions: [{key: cloud.ctrip.com/pool, operator: In, values: ["${Pool}"]}]
        """);

    ground.awaitBinding("order", "early", "InUse");
    spark("order", "after");
    assertThat(poolOf("order", "after")).isEqualTo("B");
  }

  @Test
  void whatIsAppliedInOneBreath_isRendered() {
    for (int i = 0; i < 10; i++) {
      String namespace = "breath-" + i;
      ground.createNamespace(namespace, Map.of());
      bind(namespace, "now", toPool("B") + ", schedulingPolicy: batch");
      Pod pod = spark(namespace, "one");

      assertThat(isRendered(pod)).as("pod of %s", namespace).isTrue();
    }
  }

  @Test
  void policyThatADenyBindingDecides_holdsUntilThePodIsPlaced() {
    ground.createNamespace("held", Map.of());
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: privileged}
        spec: {}
        """);
    ground.awaitPolicy("privileged", "Serving");
    bind("held", "strict", "podOverrides: Deny, schedulingPolicy: batch");
    Pod waiting = BerthGround.pod("held", "one", "labels: {app: spark}");
    waiting.getSpec().setNodeSelector(Map.of("gate", "open"));
    ground.admin().resource(waiting).create();

    ask("privileged");
    assertThat(askedFor()).as("restored by the webhook").isEqualTo("batch");

    var webhooks = ground.admin().admissionRegistration().v1().mutatingWebhookConfigurations();
    var called = webhooks.withName("berth").get();
    await("written while the webhook was not called")
        .atMost(BerthGround.SOON)
        .until(
            () -> {
              webhooks.withName("berth").delete();
              ask("privileged");
              return "privileged".equals(askedFor());
            });
    called.getMetadata().setResourceVersion(null);
    called.getMetadata().setUid(null);
    ground.admin().resource(called).createOr(present -> present.update());

    ground.admin().nodes().list().getItems().stream()
        .limit(1)
        .forEach(
            node ->
                ground
                    .admin()
                    .nodes()
                    .withName(node.getMetadata().getName())
                    .edit(
                        n -> {
                          n.getMetadata().getLabels().put("gate", "open");
                          return n;
                        }));
    ground.awaitNode("held", "one");
    assertThat(ground.explain("held", "one").path("policy").asText()).isEqualTo("batch");
  }

  /** Patches the pod unconditionally, because Berth writes its status at the same time. */
  private static void ask(String policy) {
    ground
        .admin()
        .pods()
        .inNamespace("held")
        .withName("one")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}"
                .formatted(Annotations.POLICY, policy));
  }

  private static String askedFor() {
    return ground.pod("held", "one").getMetadata().getAnnotations().get(Annotations.POLICY);
  }
}
