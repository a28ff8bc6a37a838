package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** What people type, with the real kubectl. */
@EnabledIf(
    value = "kubectlIsThere",
    disabledReason = "there is no kubectl on the PATH: nothing of kubectl is tested")
class KubectlTest {
  @TempDir private static Path directory;
  private static Sandbox sandbox;

  static boolean kubectlIsThere() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .anyMatch(entry -> Files.isExecutable(Path.of(entry, "kubectl")));
  }

  @BeforeAll
  static void start() throws IOException {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    sandbox.writeKubeconfig(directory.resolve("kubeconfig"));
  }

  @AfterAll
  static void stop() {
    sandbox.close();
  }

  private record Run(int code, String out) {}

  private static Process begin(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(List.of("kubectl", "--cache-dir", directory.resolve("cache").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("KUBECONFIG", directory.resolve("kubeconfig").toString());
    return builder.start();
  }

  private static Run kubectl(String... arguments) throws IOException, InterruptedException {
    Process process = begin(arguments);
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Run(process.exitValue(), out);
  }

  private static String ok(String... arguments) throws IOException, InterruptedException {
    Run run = kubectl(arguments);
    assertThat(run.code()).as("kubectl %s%n%s", String.join(" ", arguments), run.out()).isZero();
    return run.out();
  }

  private static String file(String name, String yaml) throws IOException {
    return Files.writeString(directory.resolve(name), yaml).toString();
  }

  private static String deployment(String name, String image) {
    return """
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: %s}
    spec:
      replicas: 0
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec:
          containers:
          - {name: c, image: "%s", ports: [{containerPort: 80}]}
    """
        .formatted(name, image);
  }

  @Test
  void apply_twiceChangesNothing() throws Exception {
    String file = file("d.yaml", deployment("applied", "a:1"));

    assertThat(ok("apply", "-f", file)).contains("deployment.apps/applied created");
    assertThat(ok("apply", "-f", file)).contains("deployment.apps/applied unchanged");
    assertThat(ok("apply", "-f", file("d.yaml", deployment("applied", "a:2"))))
        .contains("configured");
    assertThat(ok("get", "deployment", "applied", "-o", "wide"))
        .containsPattern("applied +0/0 +0 +0 +\\d+s +c +a:2 +app=web");
  }

  @Test
  void apply_serverSideOwnsFields() throws Exception {
    ok("apply", "--server-side", "-f", file("s.yaml", deployment("server", "a:1")));
    ok("scale", "deployment", "server", "--replicas=0");

    Run conflict =
        kubectl(
            "apply",
            "--server-side",
            "--field-manager=other",
            "-f",
            file("s.yaml", deployment("server", "a:2")));

    assertThat(conflict.code()).isNotZero();
    assertThat(conflict.out())
        .contains("conflict")
        .contains(".spec.template.spec.containers[name=\"c\"].image");
    ok(
        "apply",
        "--server-side",
        "--force-conflicts",
        "--field-manager=other",
        "-f",
        file("s.yaml", deployment("server", "a:2")));
  }

  @Test
  void diff_showsWhatWouldChange() throws Exception {
    ok("apply", "-f", file("x.yaml", deployment("differs", "a:1")));

    Run diff = kubectl("diff", "-f", file("x.yaml", deployment("differs", "a:2")));

    assertThat(diff.code()).isEqualTo(1);
    assertThat(diff.out()).contains("-      - image: a:1").contains("+      - image: a:2");
  }

  @Test
  void explain_knowsBuiltInFields() throws Exception {
    assertThat(ok("explain", "pod.spec.containers"))
        .contains("-required-")
        .contains("image")
        .contains("resources");
  }

  @Test
  void nodes_canBeLabelledTaintedAndCordoned() throws Exception {
    ok(
        "apply",
        "-f",
        file(
            "n.yaml",
            """
            apiVersion: v1
            kind: Node
            metadata: {name: n1}
            status:
              capacity: {cpu: "4", memory: 8Gi, pods: "110"}
              conditions: [{type: Ready, status: "True"}]
            """));

    ok("label", "node", "n1", "pool=a");
    ok("annotate", "node", "n1", "note=x");
    ok("taint", "node", "n1", "key=value:NoSchedule");
    ok("cordon", "n1");

    assertThat(ok("get", "nodes", "--show-labels"))
        .contains("Ready,SchedulingDisabled")
        .contains("pool=a");
    assertThat(ok("describe", "node", "n1"))
        .contains("key=value:NoSchedule")
        .contains("Unschedulable:      true");
    ok("uncordon", "n1");
    ok("taint", "node", "n1", "key-");
    assertThat(ok("get", "node", "n1")).contains("Ready ").doesNotContain("SchedulingDisabled");
  }

  @Test
  void pods_areCreatedDryWatchedDescribedAndDeleted() throws Exception {
    String file =
        file(
            "p.yaml",
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: p1}
            spec:
              schedulerName: berth
              containers: [{name: c, image: i}]
            """);
    assertThat(ok("create", "-f", file, "--dry-run=server"))
        .contains("pod/p1 created (server dry run)");
    assertThat(kubectl("get", "pod", "p1").code()).isNotZero();

    Process watch = begin("get", "pods", "-w");
    ok("create", "-f", file);
    try (var lines = watch.inputReader(StandardCharsets.UTF_8)) {
      assertThat(lines.readLine()).startsWith("NAME");
      assertThat(lines.readLine()).containsPattern("p1 +0/1 +Pending");
    } finally {
      watch.destroy();
    }
    assertThat(ok("describe", "pod", "p1")).contains("Status:           Pending");
    assertThat(ok("get", "pods", "--field-selector", "spec.schedulerName=berth", "-o", "name"))
        .contains("pod/p1");
    assertThat(ok("delete", "pod", "p1")).contains("deleted");
  }

  @Test
  void customResources_haveColumnsExplanationsAndValidation() throws Exception {
    ok(
        "apply",
        "-f",
        file(
            "crd.yaml",
            """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: widgets.example.com}
            spec:
              group: example.com
              scope: Namespaced
              names: {kind: Widget, plural: widgets, shortNames: [wd]}
              versions:
              - name: v1
                served: true
                storage: true
                subresources: {status: {}}
                additionalPrinterColumns:
                - {name: Size, type: integer, jsonPath: .spec.size}
                schema:
                  openAPIV3Schema:
                    type: object
                    properties:
                      spec:
                        type: object
                        properties:
                          size: {type: integer, minimum: 1, default: 3, description: how big it is}
            """));
    String widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w1}\nspec: {%s}\n";

    ok("apply", "-f", file("w.yaml", widget.formatted("")));

    assertThat(ok("get", "wd")).containsPattern("NAME +SIZE").containsPattern("w1 +3");
    assertThat(ok("explain", "widget.spec")).contains("how big it is");
    Run invalid = kubectl("apply", "-f", file("w.yaml", widget.formatted("size: 0")));
    assertThat(invalid.out()).contains("spec.size: Invalid value: 0");
    Run unknown = kubectl("apply", "-f", file("w.yaml", widget.formatted("sise: 4")));
    assertThat(unknown.out()).contains("unknown field \"spec.sise\"");
    ok("delete", "crd", "widgets.example.com");
    assertThat(kubectl("get", "wd").code()).isNotZero();
  }
}
