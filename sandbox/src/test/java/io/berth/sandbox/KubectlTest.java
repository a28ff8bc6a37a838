package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Commands of the real kubectl on an API server without simulated nodes. */
@EnabledIf(
    value = "io.berth.sandbox.Kubectl#isThere",
    disabledReason = "kubectl is not on the PATH, so it is not tested")
class KubectlTest {
  @TempDir private static Path directory;
  private static Sandbox sandbox;
  private static Kubectl kubectl;

  @BeforeAll
  static void start() throws IOException {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    kubectl = Kubectl.of(sandbox, directory);
  }

  @AfterAll
  static void stop() {
    sandbox.close();
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
    String file = kubectl.file("d.yaml", deployment("applied", "a:1"));

    assertThat(kubectl.ok("apply", "-f", file)).contains("deployment.apps/applied created");
    assertThat(kubectl.ok("apply", "-f", file)).contains("deployment.apps/applied unchanged");
    assertThat(kubectl.ok("apply", "-f", kubectl.file("d.yaml", deployment("applied", "a:2"))))
        .contains("configured");
    assertThat(kubectl.ok("get", "deployment", "applied", "-o", "wide"))
        .containsPattern("applied +0/0 +0 +0 +\\d+s +c +a:2 +app=web");
  }

  @Test
  void apply_serverSideOwnsFields() throws Exception {
    kubectl.ok("apply", "--server-side", "-f", kubectl.file("s.yaml", deployment("server", "a:1")));
    kubectl.ok("scale", "deployment", "server", "--replicas=0");

    Kubectl.Run conflict =
        kubectl.run(
            "apply",
            "--server-side",
            "--field-manager=other",
            "-f",
            kubectl.file("s.yaml", deployment("server", "a:2")));

    assertThat(conflict.code()).isNotZero();
    assertThat(conflict.out())
        .contains("conflict")
        .contains(".spec.template.spec.containers[name=\"c\"].image");
    kubectl.ok(
        "apply",
        "--server-side",
        "--force-conflicts",
        "--field-manager=other",
        "-f",
        kubectl.file("s.yaml", deployment("server", "a:2")));
  }

  @Test
  void apply_serverSideTakesOverWhatClientSideApplied() throws Exception {
    String pod =
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: moved, labels: {%s}}
        spec:
          containers:
          - {name: c, image: "i:%d"}
        """;
    kubectl.ok("apply", "-f", kubectl.file("m.yaml", pod.formatted("a: '1', b: '1'", 1)));

    kubectl.ok("apply", "--server-side", "-f", kubectl.file("m.yaml", pod.formatted("a: '2'", 2)));

    assertThat(kubectl.ok("get", "pod", "moved", "-o", "jsonpath={.metadata.labels}"))
        .isEqualTo("{\"a\":\"2\"}");
    assertThat(kubectl.ok("get", "pod", "moved", "-o", "jsonpath={.spec.containers[*].image}"))
        .isEqualTo("i:2");
    assertThat(kubectl.ok("get", "pod", "moved", "--show-managed-fields", "-o", "yaml"))
        .contains("operation: Apply")
        .doesNotContain("kubectl-client-side-apply");
    kubectl.ok("delete", "pod", "moved");
  }

  @Test
  void diff_showsWhatWouldChange() throws Exception {
    kubectl.ok("apply", "-f", kubectl.file("x.yaml", deployment("differs", "a:1")));

    Kubectl.Run diff =
        kubectl.run("diff", "-f", kubectl.file("x.yaml", deployment("differs", "a:2")));

    assertThat(diff.code()).isEqualTo(1);
    assertThat(diff.out()).contains("-      - image: a:1").contains("+      - image: a:2");
  }

  @Test
  void explain_knowsBuiltInFields() throws Exception {
    assertThat(kubectl.ok("explain", "pod.spec.containers"))
        .contains("-required-")
        .contains("image")
        .contains("resources");
    assertThat(kubectl.ok("explain", "pod.spec.tolerations.effect"))
        .containsPattern("FIELD: effect <string>\\s+ENUM:\\s+NoExecute\\s+NoSchedule")
        .contains("Effect indicates the taint effect to match.");
  }

  @Test
  void nodes_canBeLabelledTaintedAndCordoned() throws Exception {
    kubectl.ok(
        "apply",
        "-f",
        kubectl.file(
            "n.yaml",
            """
            apiVersion: v1
            kind: Node
            metadata: {name: n1}
            status:
              capacity: {cpu: "4", memory: 8Gi, pods: "110"}
              conditions: [{type: Ready, status: "True"}]
            """));

    kubectl.ok("label", "node", "n1", "pool=a");
    kubectl.ok("annotate", "node", "n1", "note=x");
    kubectl.ok("taint", "node", "n1", "key=value:NoSchedule");
    kubectl.ok("cordon", "n1");

    assertThat(kubectl.ok("get", "nodes", "--show-labels"))
        .contains("Ready,SchedulingDisabled")
        .contains("pool=a");
    assertThat(kubectl.ok("describe", "node", "n1"))
        .contains("key=value:NoSchedule")
        .contains("Unschedulable:      true");
    kubectl.ok("uncordon", "n1");
    kubectl.ok("taint", "node", "n1", "key-");
    assertThat(kubectl.ok("get", "node", "n1"))
        .contains("Ready ")
        .doesNotContain("SchedulingDisabled");
  }

  @Test
  void pods_areCreatedDryWatchedDescribedAndDeleted() throws Exception {
    String file =
        kubectl.file(
            "p.yaml",
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: p1}
            spec:
              schedulerName: berth
              containers: [{name: c, image: i}]
            """);
    assertThat(kubectl.ok("create", "-f", file, "--dry-run=server"))
        .contains("pod/p1 created (server dry run)");
    assertThat(kubectl.run("get", "pod", "p1").code()).isNotZero();

    Process watch = kubectl.begin("get", "pods", "-w");
    kubectl.ok("create", "-f", file);
    try (var lines = watch.inputReader(StandardCharsets.UTF_8)) {
      assertThat(lines.readLine()).startsWith("NAME");
      assertThat(lines.readLine()).containsPattern("p1 +0/1 +Pending");
    } finally {
      watch.destroy();
    }
    assertThat(kubectl.ok("describe", "pod", "p1")).contains("Status:           Pending");
    assertThat(
            kubectl.ok("get", "pods", "--field-selector", "spec.schedulerName=berth", "-o", "name"))
        .contains("pod/p1");
    assertThat(kubectl.ok("delete", "pod", "p1")).contains("deleted");
  }

  @Test
  void customResources_haveColumnsExplanationsAndValidation() throws Exception {
    kubectl.ok(
        "apply",
        "-f",
        kubectl.file(
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

    kubectl.ok("apply", "-f", kubectl.file("w.yaml", widget.formatted("")));

    assertThat(kubectl.ok("get", "wd")).containsPattern("NAME +SIZE").containsPattern("w1 +3");
    assertThat(kubectl.ok("explain", "widget.spec")).contains("how big it is");
    Kubectl.Run invalid =
        kubectl.run("apply", "-f", kubectl.file("w.yaml", widget.formatted("size: 0")));
    assertThat(invalid.out()).contains("spec.size: Invalid value: 0");
    Kubectl.Run unknown =
        kubectl.run("apply", "-f", kubectl.file("w.yaml", widget.formatted("sise: 4")));
    assertThat(unknown.out()).contains("unknown field \"spec.sise\"");
    kubectl.ok("delete", "crd", "widgets.example.com");
    assertThat(kubectl.run("get", "wd").code()).isNotZero();
  }

  @Test
  void create_withArgumentsMakesObjects() throws Exception {
    kubectl.ok("create", "namespace", "made");
    kubectl.ok(
        "create", "configmap", "cm", "-n", "made", "--from-literal=a=1", "--from-literal=b=");
    kubectl.ok("create", "secret", "generic", "s", "-n", "made", "--from-literal=key=value");
    kubectl.ok("create", "serviceaccount", "robot", "-n", "made");
    kubectl.ok(
        "create", "deployment", "web", "-n", "made", "--image=i:1", "--replicas=0", "--port=80");
    kubectl.ok("create", "job", "once", "-n", "made", "--image=i:1", "--", "echo", "a b");
    kubectl.ok("create", "quota", "q", "-n", "made", "--hard=cpu=1500m");
    kubectl.ok("create", "pdb", "p", "-n", "made", "--selector=app=web", "--min-available=50%");
    kubectl.ok("create", "role", "r", "-n", "made", "--verb=get", "--resource=pods");
    kubectl.ok("create", "service", "clusterip", "svc", "-n", "made", "--tcp=80:http");
    kubectl.ok("create", "priorityclass", "high", "--value=1000");

    assertThat(read("configmap", "cm", "{.data}")).isEqualTo("{\"a\":\"1\",\"b\":\"\"}");
    assertThat(read("secret", "s", "{.data.key}/{.type}")).isEqualTo("dmFsdWU=/Opaque");
    assertThat(read("deployment", "web", "{.spec.replicas}/{.spec.template.spec.containers[0]}"))
        .startsWith("0/")
        .contains("\"image\":\"i:1\"")
        .contains("{\"containerPort\":80,\"protocol\":\"TCP\"}")
        .doesNotContain("livenessProbe");
    assertThat(read("job", "once", "{.spec.template.spec.containers[0].command}"))
        .isEqualTo("[\"echo\",\"a b\"]");
    assertThat(read("quota", "q", "{.spec.hard.cpu}")).isEqualTo("1500m");
    assertThat(read("pdb", "p", "{.spec.minAvailable}")).isEqualTo("50%");
    assertThat(read("service", "svc", "{.spec.ports[0].targetPort}")).isEqualTo("http");
    assertThat(kubectl.ok("create", "token", "robot", "-n", "made", "--duration=1h"))
        .containsPattern("^[^.]+[.][^.]+[.][^.]+$");
  }

  private static String read(String resource, String name, String path) throws Exception {
    return kubectl.ok("get", resource, name, "-n", "made", "-o", "jsonpath=" + path);
  }

  @Test
  void create_deploymentAsServerDryRun() throws Exception {
    assertThat(
            kubectl.ok(
                "create", "deployment", "dry", "--image=i", "--dry-run=server", "-o", "yaml"))
        .contains("replicas: 1")
        .contains("maxSurge: 25%")
        .contains("terminationGracePeriodSeconds: 30")
        .contains("uid: ");
    assertThat(kubectl.run("get", "deployment", "dry").code()).isNotZero();
  }

  @Test
  void authCanI_saysYesAndNo() throws Exception {
    assertThat(kubectl.ok("auth", "can-i", "create", "pods")).contains("yes");
    Kubectl.Run no =
        kubectl.run("auth", "can-i", "create", "pods", "--as=system:serviceaccount:default:nobody");
    assertThat(no.out()).contains("no");
    assertThat(kubectl.ok("auth", "whoami")).contains("system:masters");
  }
}
