package io.berth.demo.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.berth.crds.SchedulingPolicy;
import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Pods whose policy is deleted, restricted, or broken. */
class PolicyLifeTest {

  private static final String POLICY =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: %s}
      spec: {%s}
      """;

  private static BerthGround ground;

  @BeforeAll
  static void start() throws Exception {
    ground = BerthGround.start();
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  private static void createPod(String namespace, String name, String policy) {
    ground
        .admin()
        .resource(
            BerthGround.pod(
                namespace,
                name,
                "annotations: {sched.cloud.ctrip.com/policy: %s}".formatted(policy)))
        .create();
  }

  private static void awaitWaiting(String namespace, String pod, String words) {
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () -> assertThat(BerthGround.waitsBecause(ground.pod(namespace, pod))).contains(words));
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(ground.events(namespace, pod, "FailedScheduling"))
                    .anySatisfy(event -> assertThat(event).contains(words)));
  }

  @Test
  void deletedPolicy_leavesItsPodsPending_andTheyAreHealedByItsReturn() {
    ground.apply(POLICY.formatted("gone", ""));
    ground.awaitPolicy("gone", "Serving");
    ground.delete(SchedulingPolicy.class, "gone");
    createPod("default", "orphan", "gone");
    awaitWaiting(
        "default",
        "orphan",
        "SchedulingPolicy \"gone\" does not exist, is invalid, or does not allow");

    ground.apply(POLICY.formatted("gone", ""));

    assertThat(ground.awaitNode("default", "orphan")).isNotEmpty();
  }

  @Test
  void policyThatLeavesTheNamespaceOut_doesNotPlaceAPodThatCamePastTheWebhook() {
    ground.apply(POLICY.formatted("private", "allowedNamespaces: {names: [default]}"));
    ground.awaitPolicy("private", "Serving");
    var pod =
        BerthGround.pod(
            "kube-system", "past", "annotations: {sched.cloud.ctrip.com/policy: private}");
    pod.getSpec().setSchedulerName("berth"); // not reviewed by the webhook
    ground.admin().resource(pod).create();
    awaitWaiting(
        "kube-system",
        "past",
        "SchedulingPolicy \"private\" does not exist, is invalid, or does not allow");

    ground.apply(POLICY.formatted("private", "allowedNamespaces: {names: [default, kube-system]}"));

    assertThat(ground.awaitNode("kube-system", "past")).isNotEmpty();
  }

  @Test
  void policiesThatAreDeletedAtOnce_leaveNoStackTraceInTheLog() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    root.addAppender(log);
    try {
      for (int i = 0; i < 40; i++) {
        ground.apply(POLICY.formatted("brief-" + i, "percentageOfNodesToScore: 100"));
        ground.admin().resources(SchedulingPolicy.class).withName("brief-" + i).delete();
      }
      ground.apply(POLICY.formatted("last", "percentageOfNodesToScore: 100"));
      ground.awaitPolicy("last", "Serving");
    } finally {
      root.detachAppender(log);
    }

    assertThat(List.copyOf(log.list))
        .filteredOn(
            line ->
                line.getThrowableProxy() != null && line.getLevel().isGreaterOrEqual(Level.INFO))
        .extracting(ILoggingEvent::getFormattedMessage)
        .isEmpty();
  }

  @Test
  void brokenPolicy_keepsTheLastGoodRevision_alsoAcrossARestart() throws Exception {
    ground.apply(POLICY.formatted("broken", "percentageOfNodesToScore: 100"));
    ground.awaitPolicy("broken", "Serving");
    ground.stopBerth();
    breakPolicy();
    ground.startBerth();

    ground.awaitPolicy("broken", "LastGoodServes");
    assertThat(ground.policy("broken").latestRevision()).isEqualTo("2");
    assertThat(ground.policy("broken").servingRevision()).isEqualTo("1");
    createPod("default", "by-last-good", "broken");
    ground.awaitNode("default", "by-last-good");
    assertThat(ground.explain("default", "by-last-good").path("policyRevision").asText())
        .isEqualTo("1");
  }

  @Test
  void finalizerOfADeletedPolicy_canBeRemoved_whileBerthIsAway() throws Exception {
    ground.apply(POLICY.formatted("held, finalizers: [example.com/hold]", ""));
    ground.awaitPolicy("held", "Serving");
    ground.stopBerth();
    onFailure("Fail");
    assertThatExceptionOfType(KubernetesClientException.class)
        .isThrownBy(() -> ground.apply(POLICY.formatted("unreviewed", "")))
        .withMessageContaining("failed calling webhook");

    ground.delete(SchedulingPolicy.class, "held");
    ground
        .admin()
        .resources(SchedulingPolicy.class)
        .withName("held")
        .edit(
            policy -> {
              policy.getMetadata().setFinalizers(List.of());
              return policy;
            });

    assertThat(ground.admin().resources(SchedulingPolicy.class).withName("held").get()).isNull();
    ground.startBerth();
  }

  /**
   * Breaks a policy by bypassing the webhook, which can happen if its failurePolicy is Ignore while
   * it is unavailable.
   */
  private static void breakPolicy() {
    onFailure("Ignore");
    ground.apply(POLICY.formatted("broken", "priorities: [{name: NoSuchAlgorithm}]"));
  }

  private static void onFailure(String failurePolicy) {
    ground
        .admin()
        .admissionRegistration()
        .v1()
        .validatingWebhookConfigurations()
        .withName("berth")
        .edit(
            configuration -> {
              configuration.getWebhooks().forEach(hook -> hook.setFailurePolicy(failurePolicy));
              return configuration;
            });
  }
}
