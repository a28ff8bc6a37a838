package io.berth.demo.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.SchedulingPolicy;
import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Policies in the legacy Kubernetes format, in ConfigMaps, which are reloaded live like other
 * policies.
 */
class LegacyPolicyTest {

  private static final String NAMESPACE = "berth-system";
  private static final String PRIORITIES =
      """
      {"kind": "Policy", "apiVersion": "v1",
       "priorities": [{"name": "%s", "weight": %d}]}
      """;

  private static BerthGround ground;

  @BeforeAll
  static void start() throws Exception {
    ground = BerthGround.start();
    storeWhatIsWrong();
  }

  /** Takes the review of legacy policies away, so that they can be stored like old ones. */
  private static void storeWhatIsWrong() {
    ValidatingWebhookConfiguration configuration =
        ground.admin().resources(ValidatingWebhookConfiguration.class).withName("berth").require();
    configuration
        .getWebhooks()
        .removeIf(hook -> hook.getName().equals("legacy-policies.sched.cloud.ctrip.com"));
    ground.admin().resource(configuration).update();
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  private static ConfigMap legacy(String name, String json) {
    return ground
        .admin()
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(name)
                .addToLabels("sched.cloud.ctrip.com/policy", "true")
                .endMetadata()
                .addToData("policy.cfg", json)
                .build())
        .serverSideApply();
  }

  private static void createPod(String name, String policy) {
    ground.createPod(
        "default", name, "annotations: {sched.cloud.ctrip.com/policy: %s}".formatted(policy));
  }

  private static void awaitEvent(String policy, String reason, String words) {
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(ground.events(NAMESPACE, policy, reason))
                    .anySatisfy(message -> assertThat(message).contains(words)));
  }

  private static String decidedBy(String pod) {
    ground.awaitNode("default", pod);
    return ground.explain("default", pod).path("policyRevision").asText();
  }

  private static String revision(ConfigMap written) {
    return "configmap-" + written.getMetadata().getResourceVersion();
  }

  @Test
  void legacyPolicy_servesThePodsThatNameIt_andFollowsItsConfigMap() {
    ConfigMap first = legacy("old-live", PRIORITIES.formatted("LeastRequestedPriority", 1));
    awaitEvent("old-live", "Serving", revision(first));
    createPod("live-1", "old-live");
    assertThat(decidedBy("live-1")).isEqualTo(revision(first));
    assertThat(ground.pod("default", "live-1").getSpec().getSchedulerName()).isEqualTo("berth");

    ConfigMap second = legacy("old-live", PRIORITIES.formatted("MostRequestedPriority", 3));
    awaitEvent("old-live", "Serving", revision(second));
    createPod("live-2", "old-live");

    assertThat(decidedBy("live-2")).isEqualTo(revision(second));
    assertThat(ground.explain("default", "live-2").at("/bestNodes/0/plugins").toString())
        .contains("\"plugin\":\"NodeResourcesFit\"", "\"weight\":3");
  }

  @Test
  void legacyPolicyThatAsksForWhatBerthDoesNotDo_isNotReady_andSaysSo() {
    legacy(
        "old-service-affinity",
        """
        {"kind": "Policy", "apiVersion": "v1", "predicates": [
          {"name": "ByRack", "argument": {"serviceAffinity": {"labels": ["rack"]}}}]}
        """);

    awaitEvent("old-service-affinity", "Invalid", "BERTH-1902");
    createPod("waits", "old-service-affinity");
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(BerthGround.waitsBecause(ground.pod("default", "waits")))
                    .contains("SchedulingPolicy \"old-service-affinity\" does not exist"));
  }

  @Test
  void brokenChange_leavesTheLastGoodRevision_alsoAcrossARestart() throws Exception {
    ConfigMap good = legacy("old-broken", PRIORITIES.formatted("LeastRequestedPriority", 1));
    awaitEvent("old-broken", "Serving", revision(good));
    await()
        .atMost(BerthGround.SOON)
        .until(
            () ->
                ground
                    .admin()
                    .apps()
                    .controllerRevisions()
                    .inNamespace(NAMESPACE)
                    .list()
                    .getItems()
                    .stream()
                    .anyMatch(kept -> kept.getMetadata().getName().contains("old-broken")));

    legacy("old-broken", PRIORITIES.formatted("NoSuchPriority", 1));
    awaitEvent("old-broken", "LastGoodServes", "NoSuchPriority");
    ground.stopBerth();
    ground.startBerth();
    createPod("after-restart", "old-broken");

    assertThat(decidedBy("after-restart")).isEqualTo(revision(good));
  }

  @Test
  void schedulingPolicyOfTheSameName_wins_andTheConfigMapSaysSo() {
    legacy("old-superseded", PRIORITIES.formatted("LeastRequestedPriority", 1));
    awaitEvent("old-superseded", "Serving", "serves pods");
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: old-superseded}
        spec: {}
        """);

    awaitEvent("old-superseded", "Superseded", "SchedulingPolicy old-superseded serves");
    ground.awaitPolicy("old-superseded", "Serving");
    createPod("by-the-new", "old-superseded");
    assertThat(decidedBy("by-the-new")).isEqualTo("1");

    ground.delete(SchedulingPolicy.class, "old-superseded");
    await()
        .atMost(BerthGround.SOON)
        .until(() -> ground.events(NAMESPACE, "old-superseded", "Serving").size() >= 1);
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () -> {
              String name = "by-the-old-" + System.nanoTime();
              createPod(name, "old-superseded");
              assertThat(decidedBy(name)).startsWith("configmap-");
            });
  }

  @Test
  void bindingThatNamesALegacyPolicy_isReady() {
    legacy("old-bound", PRIORITIES.formatted("LeastRequestedPriority", 1));
    awaitEvent("old-bound", "Serving", "serves pods");
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulerConfigBinding
        metadata: {namespace: default, name: to-legacy}
        spec: {podSelector: {matchLabels: {app: bound}}, schedulingPolicy: old-bound}
        """);

    ground.awaitBinding("default", "to-legacy", "InUse");
    ground.createPod("default", "bound", "labels: {app: bound}");
    assertThat(decidedBy("bound")).startsWith("configmap-");
    assertThat(List.of(ground.pod("default", "bound").getSpec().getSchedulerName()))
        .containsExactly("berth");
  }

  @Test
  void bindingToABrokenLegacyPolicy_stopsNoPod_andGivesThePolicyOnceItIsMended() {
    legacy("old-never-good", PRIORITIES.formatted("NoSuchPriority", 1));
    awaitEvent("old-never-good", "Invalid", "NoSuchPriority");
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulerConfigBinding
        metadata: {namespace: default, name: to-never-good}
        spec: {podSelector: {matchLabels: {app: never-good}}, schedulingPolicy: old-never-good}
        """);

    ground.awaitBinding("default", "to-never-good", "ReferencesUnresolved");
    ground.createPod("default", "before", "labels: {app: never-good}");
    assertThat(ground.pod("default", "before").getSpec().getSchedulerName())
        .isEqualTo("default-scheduler");
    parkedBefore("old-never-good", "parked");
    assertThat(ground.awaitNode("kube-system", "parked")).isNotEmpty();

    legacy("old-never-good", PRIORITIES.formatted("LeastRequestedPriority", 1));
    ground.awaitBinding("default", "to-never-good", "InUse");
    ground.createPod("default", "after", "labels: {app: never-good}");
    assertThat(decidedBy("after")).startsWith("configmap-");
  }

  /**
   * Creates a pod whose policy was assigned by a binding. The webhook is not called for pods in
   * kube-system.
   */
  private static void parkedBefore(String policy, String name) {
    var pod =
        BerthGround.pod(
            "kube-system",
            name,
            """
            annotations: {sched.cloud.ctrip.com/policy: %s, \
            sched.cloud.ctrip.com/applied: '{"schedulingPolicy":{"by":"binding default/b@1"}}'}\
            """
                .formatted(policy));
    pod.getSpec().setSchedulerName("berth");
    ground.admin().resource(pod).create();
  }
}
