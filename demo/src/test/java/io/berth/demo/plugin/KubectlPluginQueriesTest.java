package io.berth.demo.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.demo.ground.BerthGround;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The commands of {@code kubectl berth} that need the API group of queries. */
@EnabledIf(
    value = "io.berth.demo.plugin.KubectlPluginTest#kubectlIsThere",
    disabledReason = "kubectl is not on the PATH, so the plugin is not tested")
class KubectlPluginQueriesTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private static Path directory;
  private static BerthGround ground;

  @BeforeAll
  static void start() throws Exception {
    ground = PluginGround.start(directory);
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  private static PluginRun run(String... arguments) throws IOException, InterruptedException {
    return PluginRun.of(directory, Map.of(), arguments);
  }

  private static Path deployment(String cpu) throws IOException {
    return Files.writeString(
        directory.resolve("try-" + cpu + ".yaml"),
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: default}
        spec:
          selector: {matchLabels: {app: web}}
          template:
            metadata:
              labels: {app: web}
              annotations: {sched.cloud.ctrip.com/policy: packing, scb.sched.cloud.ctrip.com/nsc: pool-a}
            spec:
              containers:
              - {name: main, image: busybox, resources: {requests: {cpu: "%s"}}}
        """
            .formatted(cpu));
  }

  @Test
  void try_saysWhereThePodsOfAFileWouldGo_andCreatesNothing() throws Exception {
    PluginRun fits = run("try", "-f", deployment("1").toString(), "--replicas", "2");

    assertThat(fits.out())
        .contains("Fits: all 2 fit", "policy     packing", "node-a-", "pool       3 nodes")
        .doesNotContain("node-b-", "<no value>");
    assertThat(fits.code()).as(fits.err()).isZero();
    assertThat(
            ground.admin().pods().inNamespace("default").withLabel("app", "web").list().getItems())
        .isEmpty();
  }

  @Test
  void try_saysWhatIsMissing_andWhatWouldHelp() throws Exception {
    PluginRun not = run("try", "-f", deployment("6").toString());

    assertThat(not.out())
        .contains("DoesNotFit: 0/9 nodes are available")
        .contains("InsufficientResource: Insufficient cpu (wants 6, the most free is 4)")
        .contains("would help, each alone:", "request at most 4 of cpu")
        .doesNotContain("<no value>");
    assertThat(not.code()).as(not.err()).isEqualTo(3);
  }

  @Test
  void try_supposesADrainedNode_andAsksHowManyFit() throws Exception {
    PluginRun most =
        run(
            "try",
            "-f",
            deployment("2").toString(),
            "--replicas",
            "Max",
            "--drain",
            "node-a-0",
            "-o",
            "json");

    JsonNode status = JSON.readTree(most.out()).path("status");
    assertThat(status.path("placed").asInt()).as(most.out() + most.err()).isEqualTo(3);
    assertThat(status.path("nodes").findValuesAsText("name")).doesNotContain("node-a-0");
    assertThat(most.code()).isZero();
    assertThat(run("try", "--pod", "placed").code()).isZero();
    assertThat(run("try", "--pod", "placed", "--policy", "none").code()).isEqualTo(1);
    assertThat(run("try", "--pod", "placed", "--replicas", "some").code()).isEqualTo(2);
  }

  @Test
  void try_fails_ifAPodOfADrainedNodeFitsNowhereElse() throws Exception {
    ground.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: pinned
          namespace: default
          annotations: {sched.cloud.ctrip.com/policy: packing}
        spec:
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                - matchFields: [{key: metadata.name, operator: In, values: [node-b-0]}]
          containers: [{name: main, image: busybox}]
        """);
    ground.awaitNode("default", "pinned");
    String file = deployment("1").toString();

    PluginRun text = run("try", "-f", file, "--drain", "node-b-0");
    assertThat(text.out())
        .contains("Fits: it fits; only 0 of 1 pods of drained nodes fit elsewhere\n")
        .contains("displaced  1 pods of drained nodes, of which 0 fit elsewhere\n");
    assertThat(text.code()).as(text.err()).isEqualTo(3);
    PluginRun json = run("try", "-f", file, "--drain", "node-b-0", "-o", "json");
    assertThat(JSON.readTree(json.out()).at("/status/result").asText()).isEqualTo("Fits");
    assertThat(json.code()).as(json.err()).isEqualTo(3);
    assertThat(run("try", "-f", file, "--drain", "node-b-1").code()).isZero();
  }

  /** Writes a file with workloads whose pods ask for 3 CPUs in pool A, where 3 nodes have 4. */
  private static Path workloads(String file, String... objects) throws IOException {
    return Files.writeString(directory.resolve(file), String.join("---\n", objects));
  }

  private static String deploymentOf(String replicas) {
    return """
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: large, namespace: default}
    spec:
      %s
      selector: {matchLabels: {app: large}}
      template: %s
    """
        .formatted(replicas, template("Always"));
  }

  private static String template(String restarts) {
    return "{metadata: {labels: {app: large}, annotations: {sched.cloud.ctrip.com/policy: packing,"
        + " scb.sched.cloud.ctrip.com/nsc: pool-a}}, spec: {restartPolicy: "
        + restarts
        + ", containers: [{name: main, image: busybox, resources: {requests: {cpu: \"3\"}}}]}}";
  }

  private static String job(String size) {
    return """
    apiVersion: batch/v1
    kind: Job
    metadata: {generateName: run-, namespace: default}
    spec: {%s, template: %s}
    """
        .formatted(size, template("Never"));
  }

  private static String cronJob(String size) {
    return """
    apiVersion: batch/v1
    kind: CronJob
    metadata: {name: nightly, namespace: default}
    spec: {schedule: 0 3 * * *, jobTemplate: {spec: {%s, template: %s}}}
    """
        .formatted(size, template("Never"));
  }

  @Test
  void try_asksAboutAsManyPodsAsADeploymentHas() throws Exception {
    Path file = workloads("large.yaml", deploymentOf("replicas: 200"));

    PluginRun large = run("try", "-f", file.toString());
    assertThat(large.out()).contains("FitsPartly: 3 of 200 fit");
    assertThat(large.code()).as(large.err()).isEqualTo(3);

    PluginRun two = run("try", "-f", file.toString(), "--replicas", "2");
    assertThat(two.out()).contains("Fits: all 2 fit");
    assertThat(two.code()).as(two.err()).isZero();
    assertThat(run("try", "-f", file.toString(), "--replicas", "Max").out()).contains("Fits: 3 ");

    Path one = workloads("one.yaml", deploymentOf("paused: false"));
    assertThat(run("try", "-f", one.toString()).out()).contains("Fits: it fits");
  }

  @Test
  void try_asksAboutAsManyPodsAsAJobHasAtOnce() throws Exception {
    Path jobs = workloads("job.yaml", job("parallelism: 5, completions: 50"));
    PluginRun five = run("try", "-f", jobs.toString());
    assertThat(five.out()).contains("FitsPartly: 3 of 5 fit");
    assertThat(five.code()).as(five.err()).isEqualTo(3);

    Path few = workloads("few.yaml", job("parallelism: 5, completions: 3"));
    assertThat(run("try", "-f", few.toString()).out()).contains("Fits: all 3 fit");
    Path single = workloads("single.yaml", job("completions: 50"));
    assertThat(run("try", "-f", single.toString()).out()).contains("Fits: it fits");
    Path nightly = workloads("nightly.yaml", cronJob("parallelism: 4"));
    assertThat(run("try", "-f", nightly.toString()).out()).contains("FitsPartly: 3 of 4 fit");
  }

  @Test
  void try_warnsOfFieldsThatDoNotExist() throws Exception {
    PluginRun misspelled =
        run("try", "-f", workloads("misspelled.yaml", deploymentOf("replica: 2")).toString());

    assertThat(misspelled.err()).contains("unknown field").contains("spec.workload.spec.replica");
    assertThat(misspelled.code()).as(misspelled.out()).isZero();
    assertThat(run("try", "-f", deployment("1").toString()).err()).isEmpty();
  }

  @Test
  void try_ofSeveralObjects_saysThatEachIsAskedAboutAlone() throws Exception {
    Path file =
        workloads(
            "several.yaml",
            deploymentOf("replicas: 2"),
            job("parallelism: 2"),
            deploymentOf("replicas: 0"));

    PluginRun each = run("try", "-f", file.toString());
    assertThat(each.out())
        .startsWith("each of the 3 objects is asked about alone, as if the others did not exist\n")
        .contains("Deployment large:\nFits: all 2 fit", "Job run-:\nFits: all 2 fit")
        .contains("Deployment large asks for no pods now");
    assertThat(each.code()).as(each.err()).isZero();

    PluginRun json = run("try", "-f", file.toString(), "-o", "json");
    assertThat(json.err()).contains("each of the 3 objects is asked about alone");
    assertThat(JSON.readTree(json.out()).at("/status/placed").asInt()).isEqualTo(2);
  }

  private static Path policy(String name, String spec) throws IOException {
    return Files.writeString(
        directory.resolve("policy-" + name + ".yaml"),
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: packing}
        spec: %s
        """
            .formatted(spec));
  }

  @Test
  void diff_saysWhatAPolicyWouldChange_byItsExitCodeToo() throws Exception {
    String same =
        "{priorities: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}]}";
    PluginRun unchanged = run("diff", "-f", policy("same", same).toString());
    assertThat(unchanged.out()).contains("NoEffect: of ", "nothing would change");
    assertThat(unchanged.code()).as(unchanged.err()).isZero();

    Path other = policy("other", "{allowedNamespaces: {names: [elsewhere]}}");
    PluginRun denied = run("diff", "-f", other.toString(), "-n", "default");
    assertThat(denied.out())
        .contains("PodsRejected: of ", "would be denied")
        .contains("Denied         default/placed on node-a-")
        .doesNotContain("<no value>");
    assertThat(denied.code()).as(denied.err()).isEqualTo(3);
    assertThat(
            JSON.readTree(run("diff", "-f", other.toString(), "-o", "json").out())
                .at("/status/denied")
                .asInt())
        .isPositive();
    assertThat(run("diff", "-f", deployment("1").toString()).code()).isEqualTo(1);
    assertThat(run("diff").code()).isEqualTo(2);
  }

  private static Path bindings(String config) throws IOException {
    return Files.writeString(
        directory.resolve("bindings.yaml"),
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: NodeSchedulerConfig
        metadata: {name: pool-a}
        spec:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchExpressions: [{key: cloud.ctrip.com/pool, operator: In, values: [%s]}]
        ---
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulerConfigBinding
        metadata: {name: none, namespace: default}
        spec:
          podSelector: {matchLabels: {app: none}}
          nodeConfigs: [{name: pool-a}]
        """
            .formatted(config));
  }

  @Test
  void diff_reviewsConfigsAndBindings_eachAlone() throws Exception {
    ground.apply(
        """
        apiVersion: apps/v1
        kind: ReplicaSet
        metadata: {name: replicated, namespace: default}
        spec:
          replicas: 1
          selector: {matchLabels: {app: replicated}}
          template:
            metadata:
              labels: {app: replicated}
              annotations:
                sched.cloud.ctrip.com/policy: packing
                scb.sched.cloud.ctrip.com/nsc: pool-a
            spec: {containers: [{name: main, image: busybox}]}
        """);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                ground
                    .admin()
                    .pods()
                    .inNamespace("default")
                    .withLabel("app", "replicated")
                    .list()
                    .getItems()
                    .stream()
                    .anyMatch(pod -> pod.getSpec().getNodeName() != null));

    PluginRun nowhere = run("diff", "-f", bindings("nowhere").toString());
    assertThat(nowhere.out())
        .contains("PodsRejected: of 2 pods: 1 would fit nowhere, 1 were not tried")
        .contains("FitsNowhere    default/replicated-", "NoEffect: of 0 pods: nothing would change")
        .doesNotContain("<no value>");
    assertThat(nowhere.code()).as(nowhere.err()).isEqualTo(3);
    PluginRun moved = run("diff", "-f", bindings("B").toString(), "-n", "default");
    assertThat(moved.out()).contains("PodsMove: of 2 pods: 1 would go to another node");
    assertThat(moved.out()).contains("GoesElsewhere  default/replicated-", "would go to node-b-");
    assertThat(moved.code()).as("of one pod, it is not known: " + moved.err()).isEqualTo(3);
  }

  @Test
  void why_ofOneNode_showsEveryFilter_andTheScoresBesideTheBest() throws Exception {
    PluginRun other = run("why", "placed", "--node", "node-b-0");

    assertThat(other.out())
        .contains("Result    DoesNotFit", "rejects  NodeAffinity", "passes   NodeResourcesFit")
        .contains("asks for ", "the best one, node-a-");
    assertThat(other.code()).as(other.err()).isZero();
    assertThat(
            JSON.readTree(run("why", "placed", "--node", "node-a-0", "-o", "json").out())
                .at("/status/result")
                .asText())
        .isEqualTo("Fits");
    assertThat(run("why", "placed", "--node", "nowhere").code()).isEqualTo(1);
  }

  @Test
  void top_showsThePools() throws Exception {
    PluginRun top = run("top");

    assertThat(top.out()).contains("NAME", "LARGEST-CPU", "cloud.ctrip.com/pool");
    assertThat(top.out().lines().map(line -> line.split(" ", 2)[0])).contains("A", "B");
    assertThat(top.code()).as(top.err()).isZero();
    assertThat(JSON.readTree(run("top", "-o", "json").out()).at("/items/0/status/nodes").asInt())
        .isPositive();
  }

  @Test
  void pending_groupsThePodsThatWait() throws Exception {
    assertThat(run("pending").code()).isZero();
    ground.createPod("default", "lost", "annotations: {sched.cloud.ctrip.com/policy: nowhere}");

    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(run("pending").out()).contains("PolicyNotFound"));
  }
}
