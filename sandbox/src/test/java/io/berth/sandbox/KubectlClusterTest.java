package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.sandbox.kubelet.KubeletOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Commands of the real kubectl on a cluster with simulated nodes. */
@EnabledIf(
    value = "io.berth.sandbox.Kubectl#isThere",
    disabledReason = "kubectl is not on the PATH, so it is not tested")
class KubectlClusterTest {
  private static final String STATUS = "{.status.containerStatuses[0]";
  private static final String ALLOCATED_CPU = STATUS + ".allocatedResources.cpu}";

  @TempDir private static Path directory;
  private static Sandbox sandbox;
  private static SimulatedCluster cluster;
  private static Kubectl kubectl;

  @BeforeAll
  static void start() throws IOException {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    cluster = SimulatedCluster.start(sandbox.api(), KubeletOptions.immediate(), Clock.systemUTC());
    cluster.addPool("A", 1, Map.of("cpu", "4", "memory", "8Gi", "pods", "10"));
    cluster.addPool("B", 1, Map.of("cpu", "4", "memory", "8Gi", "pods", "10"));
    kubectl = Kubectl.of(sandbox, directory);
  }

  @AfterAll
  static void stop() {
    cluster.close();
    sandbox.close();
  }

  private static String pod(String name, String node) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: %s, labels: {app: %s}}
    spec:
      nodeName: %s
      terminationGracePeriodSeconds: 0
      containers:
      - {name: c, image: i, resources: {requests: {cpu: 200m, memory: 128Mi}}}
    """
        .formatted(name, name, node);
  }

  @Test
  void listsOfAKind_areApplied() throws Exception {
    String roles =
        kubectl.file(
            "roles.yaml",
            """
            apiVersion: rbac.authorization.k8s.io/v1
            kind: RoleList
            items:
            - apiVersion: rbac.authorization.k8s.io/v1
              kind: Role
              metadata: {name: one-of-a-list}
              rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
            - apiVersion: rbac.authorization.k8s.io/v1
              kind: Role
              metadata: {name: two-of-a-list}
              rules: []
            """);
    String mixed =
        kubectl.file(
            "mixed.yaml",
            """
            apiVersion: v1
            kind: List
            items:
            - {apiVersion: v1, kind: ConfigMap, metadata: {name: of-a-list}}
            - {apiVersion: v1, kind: Secret, metadata: {name: of-a-list}}
            """);
    String pods =
        kubectl.file(
            "pods.yaml",
            """
            apiVersion: v1
            kind: PodList
            items:
            - apiVersion: v1
              kind: Pod
              metadata: {name: of-a-list}
              spec: {containers: [{name: c, image: i}]}
            """);

    assertThat(kubectl.ok("apply", "-f", roles))
        .contains("one-of-a-list created", "two-of-a-list created");
    assertThat(kubectl.ok("apply", "-f", mixed))
        .contains("configmap/of-a-list created", "secret/of-a-list created");
    assertThat(kubectl.ok("apply", "-f", pods)).contains("pod/of-a-list created");
    assertThat(kubectl.ok("apply", "-f", roles)).contains("one-of-a-list unchanged");
  }

  @Test
  void unknownKind_isAnsweredAsByARealServer() throws Exception {
    String unknown =
        kubectl.file(
            "unknown.yaml",
            """
            apiVersion: example.com/v1
            kind: Gadget
            metadata: {name: g}
            """);

    assertThat(kubectl.run("apply", "-f", unknown).out())
        .contains("resource mapping not found for name: \"g\"")
        .contains("no matches for kind \"Gadget\" in version \"example.com/v1\"")
        .contains("ensure CRDs are installed first")
        .doesNotContain("openapi");
  }

  @Test
  void mirrorPodWithoutANode_isRefused() throws Exception {
    String mirror =
        kubectl.file(
            "mirror.yaml",
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: mirror, annotations: {kubernetes.io/config.mirror: x}}
            spec: {containers: [{name: c, image: i}]}
            """);

    assertThat(kubectl.run("apply", "-f", mirror).out())
        .contains("metadata.annotations[kubernetes.io/config.mirror]: Invalid value: \"x\"")
        .contains("must set spec.nodeName if mirror pod annotation is set");
  }

  @Test
  void indexedJob_isElastic_andOthersAreNot() throws Exception {
    String job =
        """
        apiVersion: batch/v1
        kind: Job
        metadata: {name: %s}
        spec:
          completionMode: %s
          completions: 2
          parallelism: 2
          suspend: true
          template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}
        """;
    kubectl.ok("apply", "-f", kubectl.file("elastic.yaml", job.formatted("elastic", "Indexed")));
    kubectl.ok("apply", "-f", kubectl.file("rigid.yaml", job.formatted("rigid", "NonIndexed")));
    String both = "{\"spec\": {\"completions\": 4, \"parallelism\": 4}}";
    String one = "{\"spec\": {\"completions\": 6}}";

    kubectl.ok("patch", "job", "elastic", "-p", both);
    assertThat(kubectl.ok("get", "job", "elastic", "-o", "jsonpath={.spec.completions}"))
        .isEqualTo("4");
    assertThat(kubectl.run("patch", "job", "elastic", "-p", one).out())
        .contains("can only be modified in tandem with spec.parallelism");
    assertThat(kubectl.run("patch", "job", "rigid", "-p", both).out())
        .contains("field is immutable");
  }

  private static void run(String name, String node) throws Exception {
    kubectl.ok("apply", "-f", kubectl.file(name + ".yaml", pod(name, node)));
    kubectl.ok("wait", "--for=condition=Ready", "pod/" + name, "--timeout=20s");
  }

  @Test
  void top_showsWhatNodesAndPodsUse() throws Exception {
    run("busy", "node-b-0");

    assertThat(kubectl.ok("top", "nodes"))
        .containsPattern("NAME +CPU\\(cores\\) +CPU\\(%\\) +MEMORY\\(bytes\\) +MEMORY\\(%\\)")
        .containsPattern("node-b-0 +\\d+m +\\d+% +\\d+Mi +\\d+%");
    assertThat(kubectl.ok("top", "pods")).containsPattern("busy +100m +64Mi");
    assertThat(kubectl.ok("top", "pod", "busy", "--containers"))
        .containsPattern("busy +c +100m +64Mi");
    kubectl.ok("delete", "pod", "busy");
  }

  @Test
  void resize_changesARunningPod_withinItsClassAndItsNode() throws Exception {
    run("grows", "node-b-0");

    assertThat(kubectl.ok("get", "pod", "grows", "-o", "jsonpath={.metadata.labels}"))
        .contains("\"topology.kubernetes.io/zone\":\"zone-1\"");
    resize("{\"cpu\":\"300m\"}");
    kubectl.ok("wait", "pod/grows", "--timeout=20s", "--for=jsonpath=" + ALLOCATED_CPU + "=300m");
    assertThat(
            kubectl.ok("get", "pod", "grows", "-o", "jsonpath=" + STATUS + ".resources.requests}"))
        .contains("300m")
        .contains("128Mi");

    resize("{\"cpu\":\"64\"}");
    kubectl.ok("wait", "pod/grows", "--timeout=20s", "--for=condition=PodResizePending");
    resize("{\"cpu\":\"400m\"}");
    kubectl.ok("wait", "pod/grows", "--timeout=20s", "--for=jsonpath=" + ALLOCATED_CPU + "=400m");

    assertThat(
            kubectl
                .run(
                    "patch",
                    "pod",
                    "grows",
                    "--subresource=resize",
                    "-p",
                    "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":null}}]}}")
                .out())
        .contains("Pod QOS Class may not change as a result of resizing");
    assertThat(
            kubectl
                .run(
                    "patch",
                    "pod",
                    "grows",
                    "-p",
                    "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}")
                .out())
        .contains("pod updates may not change fields other than");
    kubectl.ok("delete", "pod", "grows");
  }

  private static void resize(String requests) throws Exception {
    kubectl.ok(
        "patch",
        "pod",
        "grows",
        "--subresource=resize",
        "-p",
        "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"ignored\",\"resources\":{\"requests\":"
            + requests
            + "}}]}}");
  }

  @Test
  void debug_addsAnEphemeralContainer() throws Exception {
    run("watched", "node-b-0");

    kubectl.ok("debug", "watched", "--image=tools", "-c", "look", "--attach=false", "--quiet");

    assertThat(
            kubectl.ok(
                "get", "pod", "watched", "-o", "jsonpath={.spec.ephemeralContainers[*].name}"))
        .isEqualTo("look");
    kubectl.ok("delete", "pod", "watched");
  }

  @Test
  void scale_changesHowManyPodsThereAre() throws Exception {
    kubectl.ok("create", "deployment", "web", "--image=i", "--replicas=1");
    kubectl.ok("scale", "deployment/web", "--replicas=3");

    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () ->
                assertThat(kubectl.ok("get", "pods", "-l", "app=web", "-o", "name").lines())
                    .hasSize(3));
    Kubectl.Run stale =
        kubectl.run("scale", "deployment/web", "--current-replicas=1", "--replicas=5");
    assertThat(stale.code()).isNotZero();
    assertThat(stale.out()).contains("Expected replicas to be 1, was 3");
    kubectl.ok("delete", "deployment", "web");
  }

  @Test
  void drain_evictsWhatBudgetsAllow() throws Exception {
    run("guarded", "node-a-0");
    kubectl.ok("create", "pdb", "guard", "--selector=app=guarded", "--min-available=1");

    Kubectl.Run refused = kubectl.run("drain", "node-a-0", "--force", "--timeout=3s");
    assertThat(refused.code()).isNotZero();
    assertThat(refused.out())
        .contains("Cannot evict pod as it would violate the pod's disruption budget");

    kubectl.ok("delete", "pdb", "guard");
    assertThat(kubectl.ok("drain", "node-a-0", "--force", "--timeout=30s"))
        .contains("pod/guarded evicted")
        .contains("node/node-a-0 drained");
    assertThat(kubectl.run("get", "pod", "guarded").code()).isNotZero();
    kubectl.ok("uncordon", "node-a-0");
  }
}
