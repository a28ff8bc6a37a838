package io.berth.operator.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files are checked without a cluster, with the webhook's messages. */
class CheckCommandTest {

  private static final String POOL =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: NodeSchedulerConfig
      metadata: {name: pool}
      spec:
        parameters: [{name: Pool, type: string, required: true}]
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions: [{key: pool, operator: In, values: ["${Pool}"]}]
      """;

  @TempDir Path folder;

  private String file(String name, String yaml) throws IOException {
    return Files.writeString(folder.resolve(name), yaml).toString();
  }

  private static String pod(String annotations) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: web, annotations: {%s}}
    spec: {containers: [{name: main, image: busybox}]}
    """
        .formatted(annotations);
  }

  @Test
  void samples_andManifests_areAccepted() {
    CommandRun run =
        CommandRun.of(
            "check",
            "--strict",
            "-f",
            Path.of("..", "samples").toString(),
            "-f",
            Path.of("..", "deploy", "manifests").toString());

    assertThat(run.out()).contains(" 0 rejected, 0 warnings");
    assertThat(run.exitCode()).isZero();
  }

  @Test
  void pod_isJudgedByTheConfigsOfOtherFiles() throws IOException {
    String config = file("pool.yaml", POOL);
    String pod =
        file(
            "web.yaml",
            pod(
                "scb.sched.cloud.ctrip.com/nsc: pool, scb.sched.cloud.ctrip.com/nsc-args:"
                    + " '{\"Pol\":\"A\"}'"));

    CommandRun run = CommandRun.of("check", "-f", config, pod);

    assertThat(run.out())
        .contains(pod + ": Pod/web: ", "BERTH-1103 at ", "BERTH-1104 at ")
        .contains("2 objects checked: 1 rejected, 0 warnings");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void unknownField_isRefusedBeforeTheWebhookIsAsked() throws IOException {
    String policy =
        file(
            "policy.yaml",
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingPolicy
            metadata: {name: packing}
            spec: {priorities: [{name: NodeResourcesFit, wieght: 3}], percentageOfNodesToScore: 101}
            """);

    CommandRun run = CommandRun.of("check", "-f", policy);

    assertThat(run.out())
        .contains("SchedulingPolicy/packing: spec.priorities[0]: property 'wieght' is not defined")
        .contains("spec.percentageOfNodesToScore: must have a maximum value of 100");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void configThatSaysNothing_isRefused_asByTheRuleOfItsDefinition() throws IOException {
    String config =
        file(
            "empty.yaml",
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: PodSchedulerConfig
            metadata: {name: empty}
            spec: {}
            """);

    CommandRun run = CommandRun.of("check", "-f", config);

    assertThat(run.out())
        .contains("PodSchedulerConfig/empty: spec: set at least one of podAffinity,");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void policyThatTheEngineCannotCompile_isRefused() throws IOException {
    String policy =
        file(
            "policy.yaml",
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingPolicy
            metadata: {name: packing}
            spec: {priorities: [{name: NodeResourcesFits}]}
            """);

    CommandRun run = CommandRun.of("check", "-f", policy);

    assertThat(run.out()).contains("BERTH-1804 at spec.priorities[0].name: unknown algorithm");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void legacyPolicyInAConfigMap_isCheckedAsTheOperatorReadsIt() throws IOException {
    String map =
        file(
            "legacy.yaml",
            """
            apiVersion: v1
            kind: ConfigMap
            metadata:
              name: old
              namespace: berth-system
              labels: {sched.cloud.ctrip.com/policy: "true"}
            data:
              policy.json: '{"kind": "Policy", "predicates": [{"name": "NoSuchPredicate"}]}'
            """);

    CommandRun run = CommandRun.of("check", "-f", map);

    assertThat(run.out()).contains("BERTH-1902 at data[policy.json].predicates[0].name");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void bindingOfAPolicyThatDoesNotCompile_isWarnedAbout_andSoAreItsPods() throws IOException {
    String policy =
        file(
            "policy.yaml",
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingPolicy
            metadata: {name: batch}
            spec: {predicates: [{name: NodeResourceFit}]}
            """);
    String binding =
        file(
            "binding.yaml",
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulerConfigBinding
            metadata: {name: all-to-batch}
            spec: {podSelector: {}, schedulingPolicy: batch}
            """);
    String web = file("web.yaml", pod(""));

    CommandRun run = CommandRun.of("check", "-f", policy, binding, web);

    assertThat(run.out())
        .contains(policy + ": SchedulingPolicy/batch: BERTH-1804 at spec.predicates[0].name")
        .contains("SchedulerConfigBinding/all-to-batch: warning: BERTH-1709 at")
        .contains("Pod/web: warning: BERTH-1709 at SchedulerConfigBinding default/all-to-batch")
        .contains("3 objects checked: 1 rejected, 2 warnings");
  }

  @Test
  void deploymentWhosePodsWouldBeDenied_isRefused() throws IOException {
    String deployment =
        file(
            "web.yaml",
            """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web}
            spec:
              selector: {matchLabels: {app: web}}
              template:
                metadata:
                  labels: {app: web}
                  annotations: {scb.sched.cloud.ctrip.com/nsc: pool}
                spec: {containers: [{name: main, image: busybox}]}
            """);

    CommandRun run = CommandRun.of("check", "-f", deployment);

    assertThat(run.out())
        .contains("Deployment/web: the pods of this Deployment would be denied: BERTH-1601");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void warning_isARefusalOnlyWhenStrict() throws IOException {
    String pod = file("web.yaml", pod("sched.cloud.ctrip.com/policy: nowhere"));

    assertThat(CommandRun.of("check", "-f", pod).out()).contains("warning: BERTH-1604");
    assertThat(CommandRun.of("check", "-f", pod).exitCode()).isZero();
    assertThat(CommandRun.of("check", "--strict", "-f", pod).exitCode()).isEqualTo(1);
  }

  @Test
  void fileThatIsNotThere_orNotYaml_isNamed() throws IOException {
    CommandRun missing = CommandRun.of("check", "-f", folder.resolve("none.yaml").toString());
    CommandRun broken = CommandRun.of("check", "-f", file("broken.yaml", "a: [1\nb: 2\n"));
    CommandRun repeated =
        CommandRun.of("check", "-f", file("twice.yaml", "kind: Pod\napiVersion: v1\nkind: Pod\n"));

    assertThat(missing.err()).contains("none.yaml", "there is no such file").hasLineCount(1);
    assertThat(broken.err()).contains("broken.yaml, line ", "this is not YAML").hasLineCount(1);
    assertThat(repeated.err()).contains("twice.yaml, line 3").hasLineCount(1);
    assertThat(missing.exitCode()).isEqualTo(2);
    assertThat(broken.exitCode()).isEqualTo(2);
    assertThat(repeated.exitCode()).isEqualTo(2);
  }

  @Test
  void aliases_standForTheirAnchors() throws IOException {
    String objects =
        file(
            "aliases.yaml",
            """
            x-annotations: &annotations
              scb.sched.cloud.ctrip.com/nsc: no-such-config
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: d}
            spec:
              selector: {matchLabels: {a: b}}
              template:
                metadata: {labels: {a: b}, annotations: *annotations}
                spec: {containers: [{name: c, image: "busybox:1.37"}]}
            ---
            apiVersion: sched.cloud.ctrip.com/v1
            kind: NodeSchedulerConfig
            metadata: {name: aliased}
            x-pool: &pool a
            spec:
              nodeAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                  nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [*pool]}]}]
            """);

    CommandRun run = CommandRun.of("check", "-f", objects);

    assertThat(run.out())
        .contains(
            "Deployment/d: ",
            "BERTH-1601 at ",
            "x-pool: is not a field of the kind",
            "2 objects checked: 1 rejected, 1 warnings");
  }

  @Test
  void misspelledKindOrVersionOfBerth_isRejected() throws IOException {
    String kind = file("kind.yaml", POOL.replace("NodeSchedulerConfig", "NodeSchedulerConfg"));
    String version = file("version.yaml", POOL.replace(".com/v1", ".com/v1beta1"));

    CommandRun run = CommandRun.of("check", "-f", kind, version);

    assertThat(run.out())
        .contains("did you mean \"NodeSchedulerConfig\"?")
        .contains("write sched.cloud.ctrip.com/v1")
        .contains("2 objects checked: 2 rejected");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void podsThatTheWebhookDoesNotReview_areNotChanged() throws IOException {
    String config = file("pool.yaml", POOL);
    String annotations =
        "scb.sched.cloud.ctrip.com/nsc: pool, scb.sched.cloud.ctrip.com/nsc-args:"
            + " '{\"Pool\":\"A\"}'";
    String pod = file("web.yaml", pod(annotations));
    String bound =
        file(
            "bound.yaml",
            pod(annotations).replace("spec: {", "spec: {nodeName: a, ").replace("web", "bound"));

    for (String namespace : new String[] {"kube-system", "berth-system"}) {
      CommandRun run = CommandRun.of("render", "-n", namespace, "-f", config, pod);
      assertThat(run.out()).contains("name: web").doesNotContain("nodeAffinity");
      assertThat(run.err()).contains("does not review pods of namespace " + namespace);
    }
    assertThat(CommandRun.of("render", "-f", config, bound).out()).doesNotContain("nodeAffinity");
    assertThat(CommandRun.of("render", "-f", config, pod).out()).contains("nodeAffinity");
  }
}
