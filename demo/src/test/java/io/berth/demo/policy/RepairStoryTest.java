package io.berth.demo.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.berth.crds.Annotations;
import io.berth.demo.ground.BerthGround;
import io.berth.operator.Feature;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Repair of a workload that was created while Berth was not running. */
class RepairStoryTest {

  /**
   * Berth checks every ten seconds, and waits for a rendered replacement before it continues with
   * the next pod.
   */
  private static final Duration WITHIN_A_MINUTE = Duration.ofSeconds(60);

  private static BerthGround ground;

  @BeforeAll
  static void start() throws Exception {
    ground = BerthGround.start(BerthGround.options().withFeatures(Feature.REPAIR));
    ground.createNamespace("team", Map.of());
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: batch}
        spec: {}
        ---
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulerConfigBinding
        metadata: {namespace: team, name: spark}
        spec:
          podSelector: {matchLabels: {app: spark}}
          schedulingPolicy: batch
          repair: Recreate
        """);
    ground.awaitBinding("team", "spark", "InUse");
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  private static boolean isRendered(Pod pod) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    return annotations != null && annotations.containsKey(Annotations.APPLIED);
  }

  /** Returns the namespaces for whose pods the API server does not call the webhook. */
  private static List<String> excludedNamespaces() {
    return ground
        .admin()
        .admissionRegistration()
        .v1()
        .mutatingWebhookConfigurations()
        .withName("berth")
        .get()
        .getWebhooks()
        .getFirst()
        .getNamespaceSelector()
        .getMatchExpressions()
        .getFirst()
        .getValues();
  }

  private static void exclude(List<String> namespaces) {
    ground
        .admin()
        .admissionRegistration()
        .v1()
        .mutatingWebhookConfigurations()
        .withName("berth")
        .edit(
            configuration -> {
              configuration
                  .getWebhooks()
                  .getFirst()
                  .getNamespaceSelector()
                  .getMatchExpressions()
                  .getFirst()
                  .setValues(namespaces);
              return configuration;
            });
  }

  @Test
  void podsThatCameWhileBerthWasAway_areFound_counted_reported_andCreatedAgain() throws Exception {
    Instant ready = Instant.now();
    ground.stopBerth();
    await("a pod is known to be younger than the binding, by whole seconds")
        .atMost(BerthGround.SOON)
        .until(() -> Instant.now().isAfter(ready.plusSeconds(1)));
    deploySpark("team", 2);
    await().atMost(BerthGround.SOON).until(() -> ground.pods("team", "spark").size() == 2);
    List<Pod> unrendered = ground.pods("team", "spark");
    assertThat(unrendered).noneMatch(RepairStoryTest::isRendered);
    ground.createPod("team", "bare", "labels: {app: spark}");

    ground.startBerth();

    await()
        .atMost(WITHIN_A_MINUTE)
        .untilAsserted(
            () ->
                assertThat(ground.events("team", "bare", "Unrendered"))
                    .singleElement()
                    .asString()
                    .contains("without SchedulerConfigBinding team/spark"));
    String owner = unrendered.getFirst().getMetadata().getOwnerReferences().getFirst().getName();
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(ground.events("team", owner, "Unrendered"))
                    .anySatisfy(event -> assertThat(event).startsWith("2 of its pods")));
    await()
        .atMost(WITHIN_A_MINUTE)
        .untilAsserted(
            () ->
                assertThat(ground.pods("team", "spark"))
                    .filteredOn(pod -> !pod.getMetadata().getName().equals("bare"))
                    .hasSize(2)
                    .allMatch(RepairStoryTest::isRendered)
                    .allMatch(pod -> pod.getSpec().getNodeName() != null));
    await()
        .atMost(WITHIN_A_MINUTE)
        .untilAsserted(
            () ->
                assertThat(ground.binding("team", "spark").unrenderedPods())
                    .as("the bare pod, which no controller would recreate, is kept")
                    .isEqualTo(1));
  }

  @Test
  void nothingIsEvicted_whileTheWebhookIsNotCalled_andItGoesOnWhenItIs() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    ((Logger) LoggerFactory.getLogger("io.berth.operator.reconcile")).addAppender(log);
    ground.createNamespace("unheard", Map.of());
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulerConfigBinding
        metadata: {namespace: unheard, name: spark}
        spec:
          podSelector: {matchLabels: {app: spark}}
          schedulingPolicy: batch
          repair: Recreate
        """);
    ground.awaitBinding("unheard", "spark", "InUse");
    Instant ready = Instant.now();
    List<String> called = excludedNamespaces();
    List<String> without = new ArrayList<>(called);
    without.add("unheard");
    exclude(without);
    await().atMost(BerthGround.SOON).until(() -> Instant.now().isAfter(ready.plusSeconds(1)));
    deploySpark("unheard", 1);
    Pod first =
        await()
            .atMost(BerthGround.SOON)
            .until(() -> ground.pods("unheard", "spark"), pods -> pods.size() == 1)
            .getFirst();
    await()
        .atMost(WITHIN_A_MINUTE)
        .until(() -> ground.binding("unheard", "spark").unrenderedPods() == 1);
    await("a round has tried out what would come in the pod's place")
        .atMost(WITHIN_A_MINUTE)
        .until(
            () ->
                log.list.stream()
                    .anyMatch(
                        line ->
                            line.getFormattedMessage()
                                .contains("unheard/spark and is not evicted")));
    assertThat(ground.pods("unheard", "spark"))
        .singleElement()
        .satisfies(
            pod -> {
              assertThat(pod.getMetadata().getUid()).isEqualTo(first.getMetadata().getUid());
              assertThat(pod.getMetadata().getDeletionTimestamp()).isNull();
            });

    await("the binding says so")
        .atMost(WITHIN_A_MINUTE)
        .untilAsserted(
            () ->
                assertThat(repaired("unheard"))
                    .isEqualTo(
                        "False CannotRecreate the webhook does not currently handle pods in its"
                            + " namespace"));

    exclude(called);

    await()
        .atMost(WITHIN_A_MINUTE)
        .untilAsserted(
            () ->
                assertThat(ground.pods("unheard", "spark"))
                    .hasSize(1)
                    .allMatch(RepairStoryTest::isRendered));
    await("nothing is in the way any more")
        .atMost(WITHIN_A_MINUTE)
        .untilAsserted(() -> assertThat(repaired("unheard")).isEqualTo("True NoObstacle"));
  }

  /** Returns status, reason, and message of the condition Repaired of a namespace's binding. */
  private static String repaired(String namespace) {
    return ground.binding(namespace, "spark").conditions().stream()
        .filter(condition -> condition.getType().equals("Repaired"))
        .map(
            condition ->
                (condition.getStatus() + " " + condition.getReason() + " " + condition.getMessage())
                    .strip())
        .findFirst()
        .orElse("none");
  }

  private static void deploySpark(String namespace, int replicas) {
    ground.apply(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {namespace: %s, name: spark}
        spec:
          replicas: %d
          selector: {matchLabels: {app: spark}}
          template:
            metadata: {labels: {app: spark}}
            spec:
              containers: [{name: main, image: "busybox:1.37"}]
        """
            .formatted(namespace, replicas));
  }
}
