package io.berth.demo.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.SchedulingPolicy;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.GpuDriver;
import io.berth.demo.ground.BerthGround;
import io.berth.operator.Feature;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Executes the README of every sample command by command and checks the described result after
 * each. The nodes are those of {@code make run}.
 */
class SampleStoriesTest {

  /** The node to use for the placeholder NODE. */
  private static final String NODE = "node-b-1";

  private static final AtomicReference<Optional<LicenseExtender>> EXTENDER =
      new AtomicReference<>(Optional.empty());

  private static BerthGround ground;
  private static GpuDriver driver;

  @BeforeAll
  static void start() throws Exception {
    ground = BerthGround.start(BerthGround.options().withFeatures(Feature.QUERY_API));
    driver = GpuDriver.start(ground.admin(), 8);
  }

  @AfterAll
  static void stop() {
    driver.close();
    ground.close();
  }

  /** Stops the extender even if its story failed. */
  @AfterEach
  void stopExtender() {
    stopIfRunning();
  }

  @AfterEach
  void removeWorkloads() {
    ground.admin().apps().deployments().inAnyNamespace().delete();
    ground.admin().batch().v1().jobs().inAnyNamespace().delete();
    await()
        .atMost(BerthGround.SOON)
        .until(() -> ground.admin().pods().inAnyNamespace().list().getItems().isEmpty());
  }

  static Stream<Story> stories() throws IOException {
    return Stream.of(
        resourcePool(),
        avx512(),
        stayAway(),
        privateThenPublic(),
        preemption(),
        extenders(),
        ScoreStories.gpuBalance(),
        QueueStories.gpus(), // before other stories add GPUs
        GpuStories.training(),
        GpuStories.serving(),
        GpuStories.mixed(),
        DeviceStories.claim(),
        DeviceStories.partition(),
        DeviceStories.pair(),
        DeviceStories.shared(),
        DeviceStories.extendedResource(),
        ScoreStories.waterLevel(),
        ScoreStories.measuredLoad(NODE),
        ScoreStories.imageLocality(),
        GroupStories.training(),
        GroupStories.spark(),
        GroupStories.mpi(),
        GroupStories.owner(),
        GroupStories.kueue(),
        GroupStories.jobSet(),
        QueueStories.teams(),
        QueueStories.research());
  }

  @Test
  void everySample_hasAStory() throws IOException {
    Path samples = Checkout.find().root().resolve("samples");
    Set<String> folders;
    try (Stream<Path> entries = Files.list(samples)) {
      folders =
          entries
              .filter(Files::isDirectory)
              .map(folder -> folder.getFileName().toString())
              .collect(Collectors.toSet());
    }

    assertThat(stories().map(Story::name)).containsExactlyInAnyOrderElementsOf(folders);
  }

  @ParameterizedTest
  @MethodSource("stories")
  void sample_doesWhatItsReadmeSays(Story story) throws IOException {
    story.tell(Page.sample(Checkout.find(), story.name()), ground, NODE);
  }

  private static Story resourcePool() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/resource-pool",
            g -> assertThat(g.pods("default", "web")).hasSize(6))
        .then(
            "kubectl get nsc,spol",
            g -> {
              g.awaitPolicy("pool-first", "Serving");
              assertThat(
                      BerthGround.ready(
                          g.admin()
                              .resources(NodeSchedulerConfig.class)
                              .withName("resource-pool-example")
                              .get()
                              .getStatus()
                              .conditions()))
                  .startsWith("InUse");
            })
        .then(
            "kubectl get pods -o wide",
            g -> assertThat(g.byPool(g.pods("default", "web"))).isEqualTo(Map.of("A", 6)))
        .then(
            "kubectl get pods -o yaml | grep -A30 nodeAffinity: | head -40",
            g ->
                assertThat(requiredPools(g.pods("default", "web").getFirst()))
                    .containsExactly("A", "B"))
        .then(
            "kubectl scale deployment web --replicas=40",
            g -> {
              List<Pod> pods = g.pods("default", "web");
              assertThat(g.byPool(pods)).isEqualTo(Map.of("A", 12, "B", 12, "none", 16));
              assertThat(waiting(pods))
                  .allSatisfy(
                      why ->
                          assertThat(why)
                              .contains("3 node(s) didn't match Pod's node affinity/selector")
                              .contains("6 Insufficient cpu"));
              assertThat(why(g, pods, "A"))
                  .as("the explanation of a placement in pool A")
                  .contains("NodeAffinity");
            })
        .then(
            "kubectl edit spol pool-first",
            g -> {
              g.admin()
                  .resources(SchedulingPolicy.class)
                  .withName("pool-first")
                  .patch(
                      PatchContext.of(PatchType.JSON_MERGE),
                      "{\"spec\":{\"priorities\":[{\"name\":\"NodeAffinity\",\"weight\":31}]}}");
              assertThat(g.policy("pool-first").servingRevision()).isEqualTo("2");
            })
        .of("resource-pool");
  }

  private static Story avx512() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/avx512",
            g -> assertThat(g.pods("default", "encoder")).hasSize(2))
        .then(
            "kubectl get pods -l app=encoder",
            g -> assertThat(g.byPool(g.pods("default", "encoder"))).isEqualTo(Map.of("none", 2)))
        .then(
            "kubectl describe pods -l app=encoder",
            g ->
                assertThat(
                        g.events(
                            "default",
                            g.pods("default", "encoder").getFirst().getMetadata().getName(),
                            "FailedScheduling"))
                    .anySatisfy(
                        event ->
                            assertThat(event)
                                .contains("9 node(s) didn't match Pod's node affinity/selector")))
        .then(
            "kubectl get nodes",
            g -> assertThat(g.admin().nodes().withName(NODE).get()).isNotNull())
        .then("kubectl label node NODE feature.node.kubernetes.io/cpu-cpuid.AVX512F=true", g -> {})
        .then(
            "kubectl get pods -l app=encoder -o wide",
            g -> assertThat(nodes(g.pods("default", "encoder"))).containsOnly(NODE))
        .of("avx512");
  }

  private static Story stayAway() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/stay-away",
            g -> assertThat(g.pods("default", "latency")).hasSize(3))
        .then(
            "kubectl get pods -l 'app in (noisy,latency)' -o wide",
            g -> {
              List<String> latency = nodes(g.pods("default", "latency"));
              List<String> noisy = nodes(g.pods("default", "noisy"));
              assertThat(latency).hasSize(3).doesNotContainNull();
              assertThat(noisy).hasSize(2).doesNotContainNull();
              Set<String> shared = new HashSet<>(latency);
              shared.retainAll(noisy);
              assertThat(shared).isEmpty();
            })
        .of("stay-away");
  }

  private static Story privateThenPublic() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/private-then-public",
            g -> {
              assertThat(g.pods("team-data", "spark")).hasSize(6);
              assertThat(templateAnnotations(g))
                  .as("the pod manifests are unchanged")
                  .isNullOrEmpty();
            })
        .then(
            "kubectl -n team-data get scb",
            g -> assertThat(g.binding("team-data", "spark-to-our-pool").matchedPods()).isEqualTo(6))
        .then(
            "kubectl -n team-data get pods -o wide",
            g -> {
              assertThat(g.byPool(g.pods("team-data", "spark"))).isEqualTo(Map.of("A", 6));
              assertThat(g.pods("team-data", "spark"))
                  .allSatisfy(
                      pod -> assertThat(pod.getSpec().getSchedulerName()).isEqualTo("berth"));
            })
        .then(
            "kubectl -n team-data scale deployment spark --replicas=40",
            g ->
                assertThat(g.byPool(g.pods("team-data", "spark")))
                    .isEqualTo(Map.of("A", 12, "public", 12, "none", 16)))
        .then(
            "kubectl -n team-data get pods -o wide",
            g -> assertThat(g.byPool(g.pods("team-data", "spark"))).doesNotContainKey("B"))
        .of("private-then-public");
  }

  private static Story preemption() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/preemption",
            g -> assertThat(g.pods("default", "batch")).hasSize(32))
        .then(
            "kubectl get pods -l 'app in (batch,training)' -o wide",
            g -> {
              assertThat(nodes(g.pods("default", "batch"))).hasSize(32).doesNotContainNull();
              assertThat(nodes(g.pods("default", "training"))).hasSize(4).doesNotContainNull();
            })
        .then("kubectl scale deployment online --replicas=4", g -> {})
        .then(
            "kubectl describe pods -l app=online",
            g ->
                assertThat(waiting(g.pods("default", "online")))
                    .hasSize(4)
                    .allSatisfy(
                        why ->
                            assertThat(why)
                                .contains("preemption (dry run)")
                                .contains("would have room without default/batch-")))
        .then(
            "kubectl get events --field-selector reason=PreemptionDryRun",
            g -> {
              assertThat(g.pods("default", "batch"))
                  .anySatisfy(
                      pod ->
                          assertThat(
                                  g.events(
                                      "default", pod.getMetadata().getName(), "PreemptionDryRun"))
                              .isNotEmpty());
              assertThat(g.pods("default", "batch"))
                  .allSatisfy(pod -> assertThat(pod.isMarkedForDeletion()).isFalse());
            })
        .then(
            "kubectl patch spol careful --type merge -p"
                + " '{\"spec\":{\"preemption\":{\"mode\":\"Enforce\"}}}'",
            g -> {})
        .then(
            "kubectl get pods -l app=online -o wide",
            g -> assertThat(nodes(g.pods("default", "online"))).hasSize(4).doesNotContainNull())
        .then(
            "kubectl get pods -l app=training",
            g -> assertThat(nodes(g.pods("default", "training"))).hasSize(4).doesNotContainNull())
        .of("preemption");
  }

  private static void stopIfRunning() {
    EXTENDER.getAndSet(Optional.empty()).ifPresent(LicenseExtender::close);
  }

  private static Story extenders() {
    return new Story.Steps()
        .then(
            "kubectl apply -f samples/extenders",
            g -> EXTENDER.set(Optional.of(LicenseExtender.start())))
        .then(
            "kubectl get pods -l app=render -o wide",
            g -> {
              assertThat(nodes(g.pods("default", "render")))
                  .containsExactly("node-b-1", "node-b-1");
              assertThat(why(g, g.pods("default", "render"), "B"))
                  .contains("machine(s) without a license")
                  .contains("http://127.0.0.1:18899/licenses");
            })
        .then(
            "kubectl get pods -l app=web -o wide",
            g -> {
              assertThat(nodes(g.pods("default", "web"))).hasSize(3).doesNotContainNull();
              stopIfRunning();
            })
        .then("kubectl scale deployment render --replicas=4", g -> {})
        .then(
            "kubectl describe pods -l app=render",
            g ->
                assertThat(waiting(g.pods("default", "render")))
                    .hasSize(2)
                    .allSatisfy(
                        why ->
                            assertThat(why)
                                .startsWith(
                                    "extender http://127.0.0.1:18899/licenses of SchedulingPolicy"
                                        + " \"licensed\", asked to filter nodes (POST"
                                        + " http://127.0.0.1:18899/licenses/filter), cannot be"
                                        + " reached")))
        .then("kubectl scale deployment web --replicas=6", g -> {})
        .then(
            "kubectl get pods -l app=web",
            g -> assertThat(nodes(g.pods("default", "web"))).hasSize(6).doesNotContainNull())
        .of("extenders");
  }

  private static @Nullable Map<String, String> templateAnnotations(BerthGround ground) {
    return ground
        .admin()
        .apps()
        .deployments()
        .inNamespace("team-data")
        .withName("spark")
        .get()
        .getSpec()
        .getTemplate()
        .getMetadata()
        .getAnnotations();
  }

  private static List<String> nodes(List<Pod> pods) {
    return pods.stream().map(pod -> pod.getSpec().getNodeName()).toList();
  }

  private static List<String> waiting(List<Pod> pods) {
    return pods.stream()
        .filter(pod -> pod.getSpec().getNodeName() == null)
        .map(BerthGround::waitsBecause)
        .toList();
  }

  private static List<String> requiredPools(Pod pod) {
    return pod
        .getSpec()
        .getAffinity()
        .getNodeAffinity()
        .getRequiredDuringSchedulingIgnoredDuringExecution()
        .getNodeSelectorTerms()
        .stream()
        .flatMap(term -> term.getMatchExpressions().stream())
        .flatMap(expression -> expression.getValues().stream())
        .toList();
  }

  /** Returns the decision record of one of the pods in a pool. */
  private static String why(BerthGround ground, List<Pod> pods, String pool) {
    Pod pod =
        pods.stream()
            .filter(each -> ground.byPool(List.of(each)).containsKey(pool))
            .findFirst()
            .orElseThrow();
    JsonNode record = ground.explain("default", pod.getMetadata().getName());
    return record.toString();
  }
}
