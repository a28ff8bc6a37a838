package io.berth.demo.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code kubectl berth rollout}. */
@EnabledIf(
    value = "io.berth.demo.plugin.KubectlPluginTest#kubectlIsThere",
    disabledReason = "kubectl is not on the PATH, so the plugin is not tested")
class KubectlRolloutTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String POLICY =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: batch}
      spec:
        rollout: {steps: [{percent: 5, hold: %s}]}
        percentageOfNodesToScore: %d
      """;

  @TempDir static Path directory;
  private static BerthGround ground;

  @BeforeAll
  static void start() throws Exception {
    ground = BerthGround.start();
    Files.writeString(directory.resolve("kubeconfig"), ground.kubeconfig());
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  private static PluginRun rollout(String action, String target, String... more) throws Exception {
    String[] arguments = new String[3 + more.length];
    arguments[0] = "rollout";
    arguments[1] = action;
    arguments[2] = target;
    System.arraycopy(more, 0, arguments, 3, more.length);
    return PluginRun.of(directory, Map.of(), arguments);
  }

  private static SchedulingPolicySpec spec() {
    return ground.admin().resources(SchedulingPolicy.class).withName("batch").get().getSpec();
  }

  private static void awaitPhase(String phase, String revision) {
    await()
        .atMost(BerthGround.SOON)
        .until(
            () -> {
              RolloutStatus status = ground.policy("batch").rollout();
              return status != null
                  && status.phase().text().equals(phase)
                  && status.revision().equals(revision);
            });
  }

  @Test
  void aChangeIsPaused_resumed_undone_andUndoneAfterItsEnd() throws Exception {
    ground.apply(POLICY.formatted("1s", 90));
    awaitPhase("Complete", "1");
    ground.apply(POLICY.formatted("1s", 80));
    awaitPhase("Complete", "2");
    ground.apply(POLICY.formatted("1h", 70));
    awaitPhase("Progressing", "3");

    PluginRun paused = rollout("pause", "policy/batch");
    assertThat(paused.out()).as(paused.err()).isEqualTo("policy/batch paused\n");
    awaitPhase("Paused", "4");
    PluginRun status = rollout("status", "spol/batch");
    assertThat(status.out())
        .as(status.err())
        .contains("revision    4, Paused", "step        1/1 (5%) since 20", "this one    0 pods")
        .contains("set spec.rollout.paused to false to go on")
        .doesNotContain("<no value>");
    assertThat(status.code()).isZero();
    assertThat(JSON.readTree(rollout("status", "policy/batch", "-o", "json").out()).path("step"))
        .hasToString("1");
    assertThat(rollout("resume", "policy/batch").out()).isEqualTo("policy/batch resumed\n");
    awaitPhase("Progressing", "5");

    PluginRun undone = rollout("undo", "policy/batch");
    assertThat(undone.out())
        .as(undone.err())
        .isEqualTo("policy/batch is back at the spec of revision 2\n");
    assertThat(spec().percentageOfNodesToScore()).isEqualTo(80);
    assertThat(spec().rollout().steps().getFirst().hold()).isEqualTo("1h");
    awaitPhase("Complete", "6");
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(() -> assertThat(ground.policy("batch").servingRevision()).isEqualTo("6"));

    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () -> {
              PluginRun again = rollout("undo", "policy/batch");
              assertThat(again.out())
                  .as(again.err())
                  .isEqualTo("policy/batch is back at the spec of revision 1\n");
            });
    assertThat(spec().percentageOfNodesToScore()).isEqualTo(90);
    awaitPhase("Complete", "7");
    undoOfAnInvalidEditGoesBackOneRevision();
  }

  /** The latest edit has not begun, so the last complete spec is the one to go back to. */
  private static void undoOfAnInvalidEditGoesBackOneRevision() throws Exception {
    ground
        .admin()
        .admissionRegistration()
        .v1()
        .validatingWebhookConfigurations()
        .withName("berth")
        .delete(); // it would refuse the edit
    ground
        .admin()
        .resources(SchedulingPolicy.class)
        .withName("batch")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"spec": {"default": true, "predicates": [{"name": "NoSuchPredicate"}]}}
            """);
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(() -> assertThat(ground.policy("batch").observedGeneration()).isEqualTo(8L));
    PluginRun undone = rollout("undo", "policy/batch");
    assertThat(undone.out())
        .as(undone.err())
        .isEqualTo("policy/batch is back at the spec of revision 7\n");
    assertThat(spec().percentageOfNodesToScore()).isEqualTo(90);
    assertThat(spec().predicates()).isNullOrEmpty();
    assertThat(spec().isDefault()).as("what is not rolled out stays").isTrue();
    awaitPhase("Complete", "9");
  }

  @Test
  void anObjectWithoutStepsOrWithoutEarlierRevisionSaysSo() throws Exception {
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: NodeSchedulerConfig
        metadata: {name: plain}
        spec:
          tolerations: [{key: a, operator: Exists}]
        """);
    await()
        .atMost(BerthGround.SOON)
        .until(
            () ->
                ground
                        .admin()
                        .resources(NodeSchedulerConfig.class)
                        .withName("plain")
                        .get()
                        .getStatus()
                    != null);
    assertThat(rollout("status", "nsc/plain").out())
        .startsWith("nsc/plain has no spec.rollout.steps");
    assertThat(rollout("pause", "nsc/plain").err()).contains("nsc/plain has no spec.rollout.steps");
    PluginRun undo = rollout("undo", "nsc/plain");
    assertThat(undo.err()).contains("no earlier revision of nsc/plain is stored");
    assertThat(undo.code()).isEqualTo(1);
    assertThat(rollout("undo", "plain").code()).isEqualTo(2);
  }
}
