package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.sandbox.kubelet.KubeletOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Commands whose results were compared with those of a real API server of the same version. */
@EnabledIf("kubectlIsThere")
class KubectlParityTest {
  @TempDir private static Path directory;
  private static Sandbox sandbox;
  private static SimulatedCluster cluster;
  private static Kubectl kubectl;

  @BeforeAll
  static void start() throws IOException {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    cluster = SimulatedCluster.start(sandbox.api(), KubeletOptions.immediate(), Clock.systemUTC());
    cluster.addPool("A", 1, Map.of("cpu", "4", "memory", "8Gi", "pods", "10"));
    kubectl = Kubectl.of(sandbox, directory);
  }

  @AfterAll
  static void stop() {
    cluster.close();
    sandbox.close();
  }

  static boolean kubectlIsThere() {
    return Kubectl.isThere();
  }

  private static String pod(String name, String node) throws IOException {
    return kubectl.file(
        name + ".yaml",
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: %s}
        spec:
          nodeName: "%s"
          containers: [{name: c, image: "i:1"}]
        """
            .formatted(name, node));
  }

  private static String deployment(String name) throws IOException {
    return kubectl.file(
        name + ".yaml",
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: %s}
        spec:
          replicas: 1
          selector: {matchLabels: {app: %s}}
          template:
            metadata: {labels: {app: %s}}
            spec:
              containers: [{name: c, image: "i:1"}]
        """
            .formatted(name, name, name));
  }

  @Test
  void logsAndExec_ofAPodWithoutANode_sayWhatTheRealServerSays() throws Exception {
    kubectl.ok("create", "-f", pod("pending", ""));

    assertThat(kubectl.ok("logs", "pending")).isEmpty();
    assertThat(kubectl.run("exec", "pending", "--", "ls").out())
        .contains("pod pending does not have a host assigned");
  }

  @Test
  void logsAndExec_ofARunningPod_sayThatItIsSimulated() throws Exception {
    kubectl.ok("create", "-f", pod("runs", "node-a-0"));
    kubectl.ok("wait", "--for=condition=Ready", "pod/runs", "--timeout=30s");

    assertThat(kubectl.ok("logs", "runs")).contains("container c is simulated");
    assertThat(kubectl.run("exec", "runs", "--", "ls").out())
        .contains("the containers of pod runs are simulated and run nothing");
    assertThat(kubectl.run("port-forward", "pod/runs", "18080:80").code()).isNotZero();
  }

  @Test
  void replace_ofAPod_keepsTheTolerationsThatAdmissionAdded() throws Exception {
    String file = pod("replaced", "");
    kubectl.ok("create", "-f", file);

    assertThat(kubectl.ok("get", "pod", "replaced", "-o", "jsonpath={.spec.tolerations[*].key}"))
        .contains("not-ready", "unreachable");
    assertThat(kubectl.run("replace", "-f", file).out())
        .doesNotContain("existing toleration can not be modified");
  }

  @Test
  void scale_isRememberedAsAWriteOfThatSubresource() throws Exception {
    String file = deployment("scaled");
    kubectl.ok("apply", "--server-side", "-f", file);
    kubectl.ok("scale", "deployment", "scaled", "--replicas=2");

    assertThat(kubectl.run("apply", "--server-side", "-f", file).out())
        .contains(
            "conflict with \"kubectl\" with subresource \"scale\" using apps/v1: .spec.replicas");
  }

  @Test
  void secondApplier_ofTheSameFields_hasNoTime() throws Exception {
    String file = deployment("shared");
    kubectl.ok("apply", "--server-side", "-f", file);
    kubectl.ok("apply", "--server-side", "-f", file, "--field-manager=other");

    assertThat(
            kubectl.ok(
                "get",
                "deployment",
                "shared",
                "-o",
                "jsonpath={range .metadata.managedFields[?(@.operation==\"Apply\")]}"
                    + "{.manager}:{.time}{\"\\n\"}{end}"))
        .startsWith("other:\n")
        .containsPattern("kubectl:\\d{4}-");
  }

  @Test
  void templates_showNoEmptyCreationTime_andJobsShowTheirLabels() throws Exception {
    kubectl.ok("create", "job", "labelled", "--image=i:1");

    String job = kubectl.ok("get", "job", "labelled", "-o", "yaml");

    assertThat(job).doesNotContain("creationTimestamp: null");
    assertThat(kubectl.ok("get", "job", "-l", "job-name=labelled", "-o", "name"))
        .isEqualToIgnoringNewLines("job.batch/labelled");
  }

  @Test
  void brokenContinueToken_isRefusedAsSuch() throws Exception {
    assertThat(kubectl.run("get", "--raw", "/api/v1/pods?limit=1&continue=bogus").out())
        .contains("invalid continue token: continue key is not valid");
  }
}
