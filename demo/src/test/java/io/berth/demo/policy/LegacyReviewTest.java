package io.berth.demo.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Legacy policies are reviewed when they are stored, and may be limited to namespaces. */
class LegacyReviewTest {
  private static final String GOOD =
      "{\"kind\": \"Policy\", \"priorities\": [{\"name\": \"LeastRequestedPriority\", \"weight\":"
          + " 1}]}";
  private static final String BROKEN =
      "{\"kind\": \"Policy\", \"extenders\": [{\"urlPrefix\": \"http://169.254.169.254\","
          + " \"filterVerb\": \"f\"}]}";

  private static BerthGround ground;

  @BeforeAll
  static void start() throws Exception {
    ground = BerthGround.start();
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  private static ConfigMap store(
      String name, Map<String, String> labels, Map<String, String> annotations, String json) {
    return ground
        .admin()
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("berth-system")
                .withName(name)
                .withLabels(labels)
                .withAnnotations(annotations)
                .endMetadata()
                .addToData("policy.cfg", json)
                .build())
        .serverSideApply();
  }

  private static ConfigMap legacy(String name, String json) {
    return store(name, Map.of("sched.cloud.ctrip.com/policy", "true"), Map.of(), json);
  }

  @Test
  void brokenLegacyPolicy_isRejected_andAnotherConfigMapIsNot() {
    assertThatThrownBy(() -> legacy("broken", BROKEN))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("BERTH-1804 at data[policy.cfg].extenders[0].urlPrefix")
        .hasMessageContaining("node credentials");

    ConfigMap other = store("other", Map.of(), Map.of(), BROKEN);
    assertThat(other.getMetadata().getUid()).isNotEmpty();
    assertThatThrownBy(() -> legacy("other", BROKEN))
        .as("the label makes it a policy")
        .hasMessageContaining("BERTH-1804");
  }

  @Test
  void brokenChangeOfALegacyPolicy_isRejected() {
    legacy("changed", GOOD);

    assertThatThrownBy(() -> legacy("changed", BROKEN)).hasMessageContaining("BERTH-1804");
  }

  @Test
  void legacyPolicyOfOtherNamespaces_isNotForThisOne() {
    store(
        "limited",
        Map.of("sched.cloud.ctrip.com/policy", "true"),
        Map.of("sched.cloud.ctrip.com/allowed-namespaces", "team-a, team-b"),
        GOOD);
    await()
        .atMost(BerthGround.SOON)
        .until(() -> !ground.events("berth-system", "limited", "Serving").isEmpty());

    ground.createPod("default", "outsider", "annotations: {sched.cloud.ctrip.com/policy: limited}");
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(ground.events("default", "outsider", "FailedScheduling").toString())
                    .contains("does not allow namespace \"default\""));
    ground.createNamespace("team-b", Map.of());
    ground.createPod("team-b", "member", "annotations: {sched.cloud.ctrip.com/policy: limited}");
    assertThat(ground.awaitNode("team-b", "member")).isNotEmpty();
  }

  @Test
  void allowedNamespacesThatAreNoNames_areRejected() {
    assertThatThrownBy(
            () ->
                store(
                    "misnamed",
                    Map.of("sched.cloud.ctrip.com/policy", "true"),
                    Map.of("sched.cloud.ctrip.com/allowed-namespaces", "team-a,"),
                    GOOD))
        .hasMessageContaining("BERTH-1806")
        .hasMessageContaining("is not the name of a namespace");
  }
}
