package io.berth.demo.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.demo.ground.BerthGround;
import io.berth.operator.BerthOptions;
import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The output of {@code kubectl berth}, as described in its README. */
@EnabledIf(
    value = "kubectlIsThere",
    disabledReason = "kubectl is not on the PATH, so the plugin is not tested")
class KubectlPluginTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private static Path directory;
  private static BerthGround ground;

  static boolean kubectlIsThere() {
    return PluginRun.kubectlIsThere();
  }

  @BeforeAll
  static void start() throws Exception {
    ground = PluginGround.start(directory);
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  private static PluginRun run(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    return PluginRun.of(directory, environment, arguments);
  }

  private static PluginRun run(String... arguments) throws IOException, InterruptedException {
    return run(Map.of(), arguments);
  }

  private static Map<String, String> berthServer() {
    return Map.of("BERTH_SERVER", ground.berth().httpUrl().toString());
  }

  @Test
  void kubectl_findsThePluginOnThePath() throws Exception {
    PluginRun run =
        PluginRun.ofCommand(
            directory, Map.of(), List.of("kubectl", "berth", "policies", "packing", "-o", "json"));

    assertThat(JSON.readTree(run.out()).at("/metadata/name").asText()).isEqualTo("packing");
  }

  @Test
  void why_showsTheNode_theEvents_andTheRecordOfTheDecision() throws Exception {
    PluginRun why = run(berthServer(), "why", "placed");

    assertThat(why.out())
        .contains("Pod        default/placed", "Node       node-a-", "Policy     packing")
        .contains("Scheduled", "Successfully assigned default/placed")
        .doesNotContain("<none>", "<no value>", "<nil>")
        .contains("Record of the last decision", "Best nodes")
        .contains("NodeResourcesFit");
    assertThat(why.code()).as(why.err()).isZero();
  }

  @Test
  void why_overTls_sendsBerthATokenForItAlone_andPutsNoneOnACommandLine() throws Exception {
    try (BerthGround closed = BerthGround.start(BerthOptions.local("closed").withHttp(0, false))) {
      Path kubeconfig = Files.writeString(directory.resolve("closed"), closed.kubeconfig());
      closed.apply(
          """
          apiVersion: sched.cloud.ctrip.com/v1
          kind: SchedulingPolicy
          metadata: {name: plain}
          spec: {}
          """);
      closed.createPod("default", "placed", "annotations: {sched.cloud.ctrip.com/policy: plain}");
      closed.awaitNode("default", "placed");
      Path lines = directory.resolve("command-lines");
      Path spy = directory.resolve("spy");
      Files.writeString(spy, "#!/bin/sh\necho \"$@\" >>'" + lines + "'\nexec kubectl \"$@\"\n");
      assertThat(spy.toFile().setExecutable(true)).isTrue();
      Map<String, String> environment =
          Map.of(
              "KUBECONFIG",
              kubeconfig.toString(),
              "KUBECTL",
              spy.toString(),
              "BERTH_SERVER",
              "https://127.0.0.1:" + closed.berth().berth().httpsPort());

      PluginRun why = run(environment, "why", "placed");

      assertThat(why.out()).contains("Record of the last decision", "node-");
      assertThat(Files.readString(lines))
          .contains("create token berth-reader --audience berth")
          .contains("get --raw /explain/default/placed")
          .doesNotContain("--token", "eyJ", adminToken(closed));
    }
  }

  private static String adminToken(BerthGround ground) {
    return Config.fromKubeconfig(ground.kubeconfig()).getAutoOAuthToken();
  }

  @Test
  void why_withATokenFileThatOthersCanRead_doesNotUseIt() throws Exception {
    Path token = Files.writeString(directory.resolve("token"), "secret");
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
    Map<String, String> environment =
        Map.of("BERTH_SERVER", "https://127.0.0.1:1", "BERTH_TOKEN_FILE", token.toString());

    PluginRun why = run(environment, "why", "placed");

    assertThat(why.out())
        .contains("There is no record of the decision to show: others than you can read " + token);

    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    assertThat(run(environment, "why", "placed").out())
        .doesNotContain("others than you")
        .contains("There is no record of the decision to show: ");
  }

  @Test
  void why_readsTheDecision_withTheRightsOfTheUser() throws Exception {
    PluginRun why = run("why", "placed");

    assertThat(why.out())
        .contains("Record of the last decision", "Placed on node-a-", "packing, revision")
        .contains("NodeResourcesFit")
        .doesNotContain("<no value>", "There is no record");
    assertThat(
            JSON.readTree(run("why", "placed", "-o", "json").out()).at("/decision/status/result"))
        .hasToString("\"Placed\"");
  }

  @Test
  void why_asJson_holdsPod_eventsAndExplanation() throws Exception {
    PluginRun why = run(berthServer(), "why", "pods/placed", "-o", "json");

    JsonNode json = JSON.readTree(why.out());
    assertThat(json.at("/pod/metadata/name").asText()).isEqualTo("placed");
    assertThat(json.at("/events/items")).isNotEmpty();
    assertThat(json.at("/explanation/decision").asText()).isEqualTo("Placed");
  }

  @Test
  void why_withoutAWayToBerth_stillShowsWhatThePodSays() throws Exception {
    ground.createPod("default", "waiting", "annotations: {sched.cloud.ctrip.com/policy: nowhere}");

    PluginRun why =
        run(Map.of("BERTH_SERVER", "https://127.0.0.1:1"), "why", "waiting", "--namespace=default");

    assertThat(why.out())
        .contains("Node       none yet", "Policy     nowhere")
        .contains("There is no record of the decision to show: ");
    assertThat(why.code()).as(why.err()).isZero();
  }

  @Test
  void why_ofAPodThatIsNotThere_fails() throws Exception {
    PluginRun why = run("why", "nobody");

    assertThat(why.code()).isEqualTo(1);
    assertThat(why.err()).contains("pods \"nobody\" not found");
  }

  @Test
  void status_showsTheWebhook_andBerthsObjects() throws Exception {
    PluginRun status = run("status");

    assertThat(status.out())
        .contains("Webhook  registered", "nodeschedulerconfig.sched.cloud.ctrip.com/pool-a")
        .contains("schedulingpolicy.sched.cloud.ctrip.com/packing");
    assertThat(status.code()).as(status.err()).isZero();
    JsonNode json = JSON.readTree(run("status", "-ojson").out());
    assertThat(json.at("/webhook/metadata/name").asText()).isEqualTo("berth");
    assertThat(json.at("/objects/items")).hasSize(2);
  }

  @Test
  void status_withoutRights_isStillJson_andFails() throws Exception {
    PluginRun status = run("status", "-o", "json", "--as", "nobody");

    JsonNode json = JSON.readTree(status.out());
    assertThat(json.path("objects").isNull()).as(status.out()).isTrue();
    assertThat(status.code()).isEqualTo(1);
    assertThat(status.err()).contains("forbidden");
  }

  @Test
  void policies_areListed() throws Exception {
    assertThat(run("policies").out()).contains("NAME", "packing", "Serving");
  }

  @Test
  void render_showsAsADiff_whatTheWebhookGivesAPod() throws Exception {
    String file =
        Files.writeString(
                directory.resolve("pod with space.yaml"),
                """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: rendered
                  annotations: {scb.sched.cloud.ctrip.com/nsc: pool-a}
                spec: {containers: [{name: main, image: busybox}]}
                """)
            .toString();

    PluginRun render = run("render", "-f", file);

    assertThat(render.out())
        .contains("--- as-written/pods.yaml", "+++ as-stored/pods.yaml")
        .contains("+          - key: cloud.ctrip.com/pool");
    assertThat(render.code()).as(render.err()).isZero();
    assertThat(ground.admin().pods().inNamespace("default").withName("rendered").get()).isNull();
  }

  @Test
  void render_ofADeployment_showsThePodOfItsTemplate() throws Exception {
    String file =
        Files.writeString(
                directory.resolve("deployment.yaml"),
                """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: beside}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web}
                spec:
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata:
                      labels: {app: web}
                      annotations: {scb.sched.cloud.ctrip.com/nsc: pool-a}
                    spec: {containers: [{name: main, image: busybox}]}
                """)
            .toString();

    PluginRun render = run("render", "-f", file);

    assertThat(render.out())
        .contains("generateName: web-", "+          - key: cloud.ctrip.com/pool");
    assertThat(render.code()).as(render.err()).isZero();
  }

  @Test
  void render_ofAPodThatIsDenied_saysWhy() throws Exception {
    String file =
        Files.writeString(
                directory.resolve("denied.yaml"),
                """
                apiVersion: v1
                kind: Pod
                metadata: {name: denied, annotations: {scb.sched.cloud.ctrip.com/nsc: none}}
                spec: {containers: [{name: main, image: busybox}]}
                """)
            .toString();

    PluginRun render = run("render", "-f", file);

    assertThat(render.code()).isEqualTo(1);
    assertThat(render.err()).contains("BERTH-1601");
  }

  @Test
  void completion_offersCommands_podsAndPolicies() throws Exception {
    assertThat(run("completion").out()).contains("kubectl-berth __complete");
    assertThat(run("__complete", "").out()).contains("why\n", "policies\n").endsWith(":4\n");
    assertThat(run("__complete", "why", "pl").out()).contains("placed\n");
    assertThat(run("__complete", "policies", "").out()).contains("packing\n");
    assertThat(run("__complete", "try", "--policy", "").out()).contains("packing\n");
    assertThat(run("__complete", "why", "-n", "kube-system", "").out())
        .doesNotContain("placed\n")
        .endsWith(":4\n");
  }

  @Test
  void completion_offersTheOptionsOfACommand() throws Exception {
    assertThat(run("__complete", "why", "placed", "--").out())
        .contains("--node\n", "--namespace\n", "--server\n")
        .doesNotContain("--drain", "placed")
        .endsWith(":4\n");
    assertThat(run("__complete", "try", "-").out()).contains("--replicas\n", "--drain\n");
    assertThat(run("__complete", "rollout", "status", "policy/packing", "--").out())
        .contains("--output\n", "--berth-namespace\n");
    assertThat(run("__complete", "diff", "--filename", "").out()).isEqualTo(":0\n");
  }

  @Test
  void wrongUsage_isDistinguishedFromFailure() throws Exception {
    assertThat(run("why").code()).isEqualTo(2);
    assertThat(run("explode").err()).contains("\"explode\" is not a command");
    assertThat(run("why", "a", "b").code()).isEqualTo(2);
    assertThat(run("policies", "-o", "yaml").err()).contains("-o yaml is not supported");
    assertThat(run("--help").out()).contains("Usage:");
  }
}
