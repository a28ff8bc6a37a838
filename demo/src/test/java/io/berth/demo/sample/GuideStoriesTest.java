package io.berth.demo.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulerConfigBindingStatus;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.policy.ShadowStatus;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.ground.BerthGround;
import io.berth.operator.Feature;
import io.berth.operator.fixtures.ExpectedLog;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Executes every guide command by command and checks the described result after each. The nodes are
 * those of {@code make run}.
 */
class GuideStoriesTest {

  /** Guides and index pages without commands. */
  private static final Set<String> WITHOUT_COMMANDS = Set.of("README", "faq");

  /** The nodes of the pool in the guide about pools. */
  private static final List<String> ONLINE = List.of("node-a-0", "node-a-1");

  private static BerthGround ground;

  private static String rollout(BerthGround ground) {
    RolloutStatus status = ground.policy("online").rollout();
    return status == null ? "" : status.phase().text() + " " + status.progress();
  }

  @BeforeAll
  static void start() throws Exception {
    ground = BerthGround.start(BerthGround.options().withFeatures(Feature.QUERY_API));
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  @AfterEach
  void removeWhatTheGuideLeft() {
    KubernetesClient admin = ground.admin();
    admin.resources(SchedulerConfigBinding.class).inAnyNamespace().delete();
    admin.apps().deployments().inAnyNamespace().delete();
    admin.pods().inAnyNamespace().delete();
    await()
        .atMost(BerthGround.SOON)
        .until(() -> admin.pods().inAnyNamespace().list().getItems().isEmpty());
    admin.resources(SchedulingPolicy.class).delete();
    admin.resources(NodeSchedulerConfig.class).delete();
    admin
        .nodes()
        .list()
        .getItems()
        .forEach(
            node ->
                admin
                    .nodes()
                    .withName(node.getMetadata().getName())
                    .edit(
                        found ->
                            new NodeBuilder(found)
                                .editSpec()
                                .removeMatchingFromTaints(
                                    taint -> taint.getKey().startsWith("example.com/"))
                                .endSpec()
                                .build()));
  }

  static Stream<Story> stories() {
    return Stream.of(
        pools(),
        rollOutAPolicy(),
        debugPendingPods(),
        debugPlacement(),
        askAsATenant(),
        besideAnotherScheduler(),
        migrateSchedulerProfiles(),
        migrateLegacyPolicy(),
        QueueStories.resourceQuotaToQueues(),
        sizing(),
        upgrades(),
        security());
  }

  @Test
  void everyGuide_hasAStory_orNoCommand() throws IOException {
    Path guides = Checkout.find().root().resolve("docs/guides");
    Set<String> names;
    try (Stream<Path> entries = Files.list(guides)) {
      names =
          entries
              .map(file -> file.getFileName().toString().replace(".md", ""))
              .filter(name -> !WITHOUT_COMMANDS.contains(name))
              .collect(Collectors.toSet());
    }

    assertThat(stories().map(Story::name)).containsExactlyInAnyOrderElementsOf(names);
    for (String name : WITHOUT_COMMANDS) {
      assertThat(Page.guide(Checkout.find(), name).commands()).as(name).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("stories")
  @ExpectedLog("WorkQueue WARN replicaset-controller: maps/render.*exceeded quota")
  void guide_leadsToWhatItDescribes(Story story) throws IOException {
    story.tell(Page.guide(Checkout.find(), story.name()), ground, "node-b-1");
  }

  private static Story pools() {
    return new Story.Steps()
        .then("kubectl label node node-a-0 node-a-1 example.com/pool=online", g -> {})
        .then("kubectl label node node-b-0 node-b-1 example.com/pool=batch", g -> {})
        .then(
            "kubectl get nodes -L example.com/pool",
            g ->
                assertThat(
                        g.admin().nodes().withLabel("example.com/pool", "online").list().getItems())
                    .hasSize(2))
        .then("kubectl apply -f pool.yaml", g -> g.awaitPolicy("pool-online", "Serving"))
        .then(
            "kubectl get nsc,spol",
            g ->
                assertThat(
                        BerthGround.isReady(
                            g.admin()
                                .resources(NodeSchedulerConfig.class)
                                .withName("pool")
                                .get()
                                .getStatus()
                                .conditions()))
                    .isTrue())
        .then("kubectl apply -f first.yaml", g -> g.awaitNode("default", "first"))
        .then(
            "kubectl get pod first -o wide",
            g -> assertThat(g.awaitNode("default", "first")).isIn("node-a-0", "node-a-1"))
        .then("kubectl apply -f api.yaml", g -> assertThat(g.pods("team-a", "api")).hasSize(3))
        .then("kubectl apply -f binding.yaml", g -> g.awaitBinding("team-a", "api-to-online", ""))
        .then(
            "kubectl -n team-a get scb api-to-online -o jsonpath='{.status}'",
            g -> {
              SchedulerConfigBindingStatus status = g.binding("team-a", "api-to-online");
              assertThat(status.matchedPods()).isEqualTo(3);
              assertThat(status.wouldChange()).isEqualTo(3);
            })
        .then(
            "kubectl -n team-a patch scb api-to-online --type merge -p"
                + " '{\"spec\":{\"enforcement\":\"Enforce\"}}'",
            g -> g.awaitBinding("team-a", "api-to-online", "InUse"))
        .then("kubectl -n team-a rollout restart deployment api", g -> {})
        .then(
            "kubectl -n team-a get pods -o wide",
            g -> assertThat(nodes(g.pods("team-a", "api"))).hasSize(3).isSubsetOf(ONLINE))
        .then("kubectl taint node node-a-0 node-a-1 example.com/pool=online:NoSchedule", g -> {})
        .then("kubectl -n team-a scale deployment api --replicas=6", g -> {})
        .then(
            "kubectl -n team-a get pods -o wide",
            g -> assertThat(nodes(g.pods("team-a", "api"))).hasSize(6).isSubsetOf(ONLINE))
        .of("pools");
  }

  private static Story rollOutAPolicy() {
    return new Story.Steps()
        .then("kubectl apply -f online.yaml", g -> g.awaitPolicy("online", "Serving"))
        .then("kubectl -n shop rollout restart deployment cart", g -> {})
        .then(
            "kubectl get spol online",
            g -> {
              assertThat(g.policy("online").servingRevision()).isEqualTo("1");
              assertThat(policies(g)).hasSize(4).containsOnly("online");
            })
        .refused("kubectl apply --dry-run=server -f mistake.yaml", "BERTH-1804")
        .then(
            "kubectl apply --dry-run=server -f online-packing.yaml",
            g ->
                assertThat(
                        g.admin()
                            .resources(SchedulingPolicy.class)
                            .withName("online-packing")
                            .get())
                    .isNull())
        .then(
            "kubectl apply -f online-packing.yaml", g -> g.awaitPolicy("online-packing", "Serving"))
        .then("kubectl apply -f online-shadow.yaml", g -> g.awaitPolicy("online", "Serving"))
        .then("kubectl -n shop rollout restart deployment cart", g -> {})
        .then(
            "kubectl get spol online -o jsonpath='{.status.shadow}'",
            g -> {
              ShadowStatus shadow = g.policy("online").shadow();
              assertThat(shadow).isNotNull();
              assertThat(shadow.policy()).isEqualTo("online-packing");
              assertThat(shadow.compared()).isGreaterThanOrEqualTo(4);
              assertThat(shadow.fitNowhere() + shadow.evicting() + shadow.failed()).isZero();
            })
        .then("kubectl apply -f try-packing.yaml", g -> g.awaitBinding("shop", "try-packing", ""))
        .then(
            "kubectl -n shop get scb try-packing -o jsonpath='{.status}'",
            g -> assertThat(g.binding("shop", "try-packing").wouldChange()).isEqualTo(4))
        .then(
            "kubectl -n shop patch scb try-packing --type merge -p"
                + " '{\"spec\":{\"enforcement\":\"Enforce\",\"rollout\":{\"percent\":10}}}'",
            g -> g.awaitBinding("shop", "try-packing", ""))
        .then(
            "kubectl -n shop get scb",
            g ->
                assertThat(BerthGround.isReady(g.binding("shop", "try-packing").conditions()))
                    .isTrue())
        .then(
            "kubectl -n shop patch scb try-packing --type merge -p"
                + " '{\"spec\":{\"rollout\":{\"percent\":100}}}'",
            g -> assertThat(g.binding("shop", "try-packing").matchedPods()).isEqualTo(4))
        .then("kubectl -n shop rollout restart deployment cart", g -> {})
        .then(
            "kubectl -n shop get pods -o wide",
            g -> assertThat(policies(g)).hasSize(4).containsOnly("online-packing"))
        .then("kubectl -n shop scale deployment cart --replicas=8", g -> {})
        .then(
            "kubectl -n shop get pods -o wide",
            g -> {
              assertThat(policies(g)).hasSize(8).containsOnly("online-packing");
              assertThat(Set.copyOf(nodes(g.pods("shop", "cart")))).hasSizeLessThanOrEqualTo(4);
            })
        .then(
            "kubectl -n shop delete scb try-packing",
            g ->
                assertThat(
                        g.admin()
                            .resources(SchedulerConfigBinding.class)
                            .inNamespace("shop")
                            .withName("try-packing")
                            .get())
                    .isNull())
        .then("kubectl -n shop rollout restart deployment cart", g -> {})
        .then(
            "kubectl -n shop get pods -o wide",
            g -> assertThat(policies(g)).hasSize(8).containsOnly("online"))
        .plugin(
            "kubectl berth diff -f online-edited.yaml",
            "of 8 pods: nothing would change",
            g -> assertThat(g.policy("online").servingRevision()).isEqualTo("2"))
        .then("kubectl apply -f online-edited.yaml", g -> {})
        .then(
            "kubectl get spol online",
            g -> assertThat(g.policy("online").servingRevision()).isEqualTo("3"))
        .then("kubectl apply -f online.yaml", g -> {})
        .then(
            "kubectl get spol online",
            g -> assertThat(g.policy("online").servingRevision()).isEqualTo("4"))
        .then(
            "kubectl apply -f online-steps.yaml",
            g -> assertThat(rollout(g)).isEqualTo("Progressing 1/2 (10%)"))
        .then(
            "kubectl get spol online",
            g -> assertThat(g.policy("online").servingRevision()).isEqualTo("4"))
        .then(
            "kubectl patch spol online --type merge -p"
                + " '{\"spec\":{\"rollout\":{\"paused\":true}}}'",
            g -> assertThat(rollout(g)).isEqualTo("Paused 1/2 (10%)"))
        .then("kubectl get spol online -o jsonpath='{.status.rollout}'", g -> {})
        .plugin(
            "kubectl berth rollout undo policy/online",
            "policy/online is back at the spec of revision 4",
            g -> {
              assertThat(g.policy("online").servingRevision()).isEqualTo("7");
              assertThat(rollout(g)).startsWith("Complete");
            })
        .then("kubectl get spol online", g -> {})
        .then("kubectl apply -f online.yaml", g -> {})
        .then("kubectl get spol online", g -> assertThat(g.policy("online").rollout()).isNull())
        .of("roll-out-a-policy");
  }

  private static Story debugPendingPods() {
    return new Story.Steps()
        .then("kubectl apply -f too-big.yaml", g -> {})
        .then(
            "kubectl describe pod too-big",
            g ->
                assertThat(g.events("default", "too-big", "FailedScheduling"))
                    .anySatisfy(
                        event ->
                            assertThat(event)
                                .startsWith("0/9 nodes are available: 9 Insufficient cpu.")))
        .then(
            "kubectl get pod too-big -o jsonpath='{.spec.schedulerName}'",
            g ->
                assertThat(g.pod("default", "too-big").getSpec().getSchedulerName())
                    .isEqualTo("berth"))
        .then("kubectl get scb -A", g -> {})
        .then("kubectl get spol", g -> {})
        .then(
            "kubectl -n berth-system get lease",
            g -> assertThat(g.berth().berth().isLeading()).isTrue())
        .then("kubectl -n berth-system get pods", g -> {})
        .answered(
            "kubectl get decision too-big -o yaml",
            (g, output) ->
                assertThat(output.text()).contains("Unschedulable").contains("Insufficient cpu"))
        .then("kubectl apply -f no-such-policy.yaml", g -> {})
        .then(
            "kubectl describe pod lost",
            g ->
                assertThat(g.events("default", "lost", "FailedScheduling"))
                    .anySatisfy(event -> assertThat(event).contains("\"onlin\"")))
        .then("kubectl get spol", g -> {})
        .of("debug-pending-pods");
  }

  private static Story askAsATenant() {
    return new Story.Steps()
        .then(
            "kubectl apply -f shop.yaml",
            g -> {
              g.awaitNode("shop", "cart");
              await()
                  .atMost(BerthGround.SOON)
                  .until(() -> !g.events("shop", "report", "FailedScheduling").isEmpty());
            })
        .answered(
            "kubectl -n shop get decision report -o yaml --as ada",
            (g, output) ->
                assertThat(output.text())
                    .as(output.refusal())
                    .contains("\"result\":\"Unschedulable\"")
                    .contains("0/9 nodes are available: 9 Insufficient cpu."))
        .answered(
            "kubectl create -f why-pending.yaml -o yaml --as ada",
            (g, output) ->
                assertThat(output.text())
                    .as(output.refusal())
                    .contains("\"result\":\"DoesNotFit\"")
                    .contains("RequestLess")
                    .contains("\"wanted\""))
        .answered(
            "kubectl -n shop get decision cart -o yaml --as ada",
            (g, output) ->
                assertThat(output.text())
                    .as(output.refusal())
                    .contains(
                        "\"node\":\"%s\"".formatted(g.pod("shop", "cart").getSpec().getNodeName()))
                    .contains("\"bestNodes\"")
                    .contains("NodeResourcesFit"))
        .answered(
            "kubectl create -f what-if.yaml -o yaml --as ada",
            (g, output) ->
                assertThat(output.text())
                    .as(output.refusal())
                    .contains("\"tried\":2")
                    .contains("\"result\":"))
        .refused("kubectl -n default get decision cart -o yaml --as ada", "ada")
        .refused("kubectl create -f whole-cluster.yaml -o yaml --as ada", "ada")
        .of("ask-as-a-tenant");
  }

  private static Story debugPlacement() {
    String list = "kubectl get pods -l app=web -o wide";
    return new Story.Steps()
        .then("kubectl apply -f samples/resource-pool", g -> {})
        .then(list, g -> assertThat(nodes(g.pods("default", "web"))).hasSize(6))
        .then(
            "kubectl get pods -l app=web -o"
                + " jsonpath='{.items[0].metadata.annotations.sched\\.cloud\\.ctrip\\.com/applied}'",
            g ->
                assertThat(
                        g.pods("default", "web")
                            .getFirst()
                            .getMetadata()
                            .getAnnotations()
                            .get("sched.cloud.ctrip.com/applied"))
                    .contains("resource-pool-example"))
        .answered(
            "kubectl get decision POD -o yaml",
            (g, output) ->
                assertThat(output.text())
                    .contains("\"name\":\"pool-first\"")
                    .contains("\"rejections\"")
                    .contains("\"bestNodes\""))
        .then(
            "kubectl patch spol pool-first --type merge -p"
                + " '{\"spec\":{\"priorities\":[{\"name\":\"NodeAffinity\",\"weight\":60}]}}'",
            g -> {})
        .then(
            "kubectl get spol pool-first",
            g -> assertThat(g.policy("pool-first").servingRevision()).isEqualTo("2"))
        .then("kubectl rollout restart deployment web", g -> {})
        .then(
            list,
            g ->
                assertThat(g.pods("default", "web"))
                    .hasSize(6)
                    .allSatisfy(
                        pod ->
                            assertThat(
                                    g.explain("default", pod.getMetadata().getName())
                                        .path("policyRevision")
                                        .asText())
                                .isEqualTo("2")))
        .of("debug-placement");
  }

  private static Story besideAnotherScheduler() {
    return new Story.Steps()
        .then("kubectl label node node-public-0 node-public-1 example.com/scheduler=berth", g -> {})
        .then(
            "kubectl taint node node-public-0 node-public-1"
                + " example.com/scheduler=berth:NoSchedule",
            g -> {})
        .then("kubectl apply -f berth-nodes.yaml", g -> {})
        .then(
            "kubectl get pod separate -o wide",
            g ->
                assertThat(g.awaitNode("default", "separate"))
                    .isIn("node-public-0", "node-public-1"))
        .then("kubectl apply -f shared.yaml", g -> g.awaitPolicy("shared", "Serving"))
        .then(
            "kubectl get pod sharing -o wide",
            g ->
                assertThat(g.awaitNode("default", "sharing"))
                    .isNotIn("node-public-0", "node-public-1"))
        .then(
            "kubectl get events -A --field-selector reason=NodeOvercommitted",
            g -> assertThat(g.events("default", "sharing", "NodeOvercommitted")).isEmpty())
        .then(
            "kubectl get pods -A -o custom-columns=NAMESPACE:.metadata.namespace,"
                + "NAME:.metadata.name,SCHEDULER:.spec.schedulerName",
            g ->
                assertThat(g.pod("default", "sharing").getSpec().getSchedulerName())
                    .isEqualTo("berth"))
        .of("beside-another-scheduler");
  }

  private static Story migrateSchedulerProfiles() {
    return new Story.Steps()
        .answered(
            "java -jar berth.jar convert scheduler-config.yaml > policies.yaml",
            (g, output) -> {
              assertThat(output.refusal()).isEmpty();
              assertThat(output.text())
                  .contains("name: default-scheduler", "name: packing", "# - leaderElection");
            })
        .then("java -jar berth.jar check -f policies.yaml", g -> {})
        .then("kubectl apply -f policies.yaml", g -> g.awaitPolicy("packing", "Serving"))
        .then("kubectl get spol", g -> g.awaitPolicy("default-scheduler", "Serving"))
        .then("kubectl apply -f packed-pod.yaml", g -> g.awaitNode("default", "migrated"))
        .then(
            "kubectl get pod migrated -o wide",
            g ->
                assertThat(g.explain("default", "migrated").path("policy").asText())
                    .isEqualTo("packing"))
        .of("migrate-scheduler-profiles");
  }

  private static Story migrateLegacyPolicy() {
    String describe = "kubectl -n berth-system describe configmap packing";
    return new Story.Steps()
        .then("kubectl apply -f old-policy.yaml", g -> {})
        .then(
            describe, g -> assertThat(g.events("berth-system", "packing", "Serving")).isNotEmpty())
        .then("kubectl apply -f packed.yaml", g -> {})
        .then(
            "kubectl get pod packed -o wide",
            g -> {
              g.awaitNode("default", "packed");
              assertThat(g.explain("default", "packed").path("policy").asText())
                  .isEqualTo("packing");
            })
        .then("kubectl apply -f new-policy.yaml", g -> {})
        .then("kubectl get spol packing", g -> g.awaitPolicy("packing", "Serving"))
        .then(
            describe,
            g -> assertThat(g.events("berth-system", "packing", "Superseded")).isNotEmpty())
        .then("kubectl -n berth-system delete configmap packing", g -> {})
        .of("migrate-legacy-policy");
  }

  private static Story sizing() {
    return new Story.Steps()
        .then(
            "kubectl get nodes --no-headers",
            g -> assertThat(g.admin().nodes().list().getItems()).hasSize(9))
        .then("kubectl get pods -A --no-headers", g -> {})
        .then("kubectl get scb -A --no-headers", g -> {})
        .of("sizing");
  }

  private static Story upgrades() {
    return new Story.Steps()
        .then("kubectl get sched -A", g -> {})
        .then(
            "kubectl -n berth-system get lease",
            g -> assertThat(g.berth().berth().isLeading()).isTrue())
        .then("kubectl apply -f deploy/manifests/00-crds.yaml", g -> {})
        .then("kubectl apply -f deploy/", g -> assertThat(g.berth().berth().isLeading()).isTrue())
        .then("kubectl -n berth-system get pods", g -> {})
        .then("kubectl get sched -A", g -> {})
        .then("kubectl get events -A --field-selector reason=FailedScheduling", g -> {})
        .of("upgrades");
  }

  private static Story security() {
    return new Story.Steps()
        .answered(
            "kubectl auth can-i create pods -n berth-system --as"
                + " system:serviceaccount:team-a:default",
            (g, output) -> assertThat(output.text()).isEqualTo("no"))
        .then("kubectl apply -f maintenance.yaml", g -> g.awaitPolicy("maintenance", "Serving"))
        .then(
            "kubectl apply -f outsider.yaml",
            g ->
                assertThat(g.events("default", "outsider", "FailedScheduling").toString())
                    .contains("does not allow namespace"))
        .then("kubectl apply -f tenants.yaml", g -> g.awaitPolicy("tenants", "Serving"))
        .then("kubectl apply -f tenant-pod.yaml", g -> {})
        .then(
            "kubectl -n tenant-one get pod stubborn -o yaml",
            g ->
                assertThat(
                        g.pod("tenant-one", "stubborn")
                            .getMetadata()
                            .getAnnotations()
                            .get("sched.cloud.ctrip.com/policy"))
                    .isEqualTo("tenants"))
        .then(
            "kubectl create clusterrolebinding prometheus-reads-berth --clusterrole=berth-reader"
                + " --serviceaccount=monitoring:prometheus",
            g -> {})
        .answered(
            "kubectl auth can-i get /metrics --as system:serviceaccount:monitoring:prometheus",
            (g, output) -> assertThat(output.text()).isEqualTo("yes"))
        .of("security");
  }

  private static List<String> nodes(List<Pod> pods) {
    assertThat(pods).allSatisfy(pod -> assertThat(pod.getSpec().getNodeName()).isNotNull());
    return pods.stream().map(pod -> pod.getSpec().getNodeName()).toList();
  }

  /** Returns the policies with which the pods of the shop were placed. */
  private static List<String> policies(BerthGround ground) {
    List<Pod> pods = ground.pods("shop", "cart");
    assertThat(nodes(pods)).isNotEmpty();
    return pods.stream()
        .map(pod -> ground.explain("shop", pod.getMetadata().getName()).path("policy").asText())
        .toList();
  }
}
