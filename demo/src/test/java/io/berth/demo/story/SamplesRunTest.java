package io.berth.demo.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.cluster.Manifests;
import io.berth.operator.BerthOptions;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every sample does what its README says. The one of the README's story is PoolStory's. */
class SamplesRunTest {
  private static final int NODES = 9;
  private static final int ROOM_IN_A = 12;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String AVX512 = "feature.node.kubernetes.io/cpu-cpuid.AVX512F";

  private final Checkout checkout = Checkout.find();
  private LocalCluster cluster;
  private BerthInstallation berth;
  private KubernetesClient admin;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    cluster = LocalCluster.start(0, NODES, KubeletOptions.immediate());
    admin = cluster.admin();
    berth =
        BerthInstallation.start(admin, checkout, BerthOptions.local("samples").withHttp(0, true));
  }

  @AfterEach
  void stop() {
    berth.close();
    cluster.close();
  }

  private Stage apply(String sample, String namespace) {
    new Manifests(admin).apply(checkout.sample(sample), object -> true);
    return new Stage(admin, namespace, true);
  }

  private static void awaitBound(Stage stage, String workload, int pods) {
    await().atMost(PATIENCE).until(() -> stage.bound(workload).size() == pods);
  }

  private static Set<String> nodesOf(Stage stage, String workload) {
    Set<String> nodes = new HashSet<>();
    stage.bound(workload).forEach(pod -> nodes.add(pod.getSpec().getNodeName()));
    return nodes;
  }

  @Test
  void avx512_waitsForAMachineThatIsLabelled() {
    Stage stage = apply("avx512", "default");
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                stage.pods("encoder").size() == 2
                    && stage.pods("encoder").stream()
                        .allMatch(pod -> stage.refusal(pod.getMetadata().getName()).isPresent()));

    admin
        .nodes()
        .withName("node-public-1")
        .edit(
            node ->
                new NodeBuilder(node)
                    .editMetadata()
                    .addToLabels(AVX512, "true")
                    .endMetadata()
                    .build());
    awaitBound(stage, "encoder", 2);

    assertThat(nodesOf(stage, "encoder")).containsExactly("node-public-1");
  }

  @Test
  void stayAway_sharesNoMachine() {
    Stage stage = apply("stay-away", "default");
    awaitBound(stage, "noisy", 2);
    awaitBound(stage, "latency", 3);

    assertThat(nodesOf(stage, "latency")).doesNotContainAnyElementsOf(nodesOf(stage, "noisy"));
  }

  @Test
  void privateThenPublic_fillsPoolAThenPublic_andLeavesThePodsManifestsAlone() {
    Stage stage = apply("private-then-public", "team-data");
    awaitBound(stage, "spark", 6);
    assertThat(stage.byPool(stage.bound("spark"))).isEqualTo(Map.of("A", 6));

    stage.scale("spark", ROOM_IN_A + 3);
    awaitBound(stage, "spark", ROOM_IN_A + 3);

    assertThat(stage.byPool(stage.bound("spark"))).isEqualTo(Map.of("A", ROOM_IN_A, "public", 3));
    assertThat(
            admin
                .apps()
                .deployments()
                .inNamespace("team-data")
                .withName("spark")
                .get()
                .getSpec()
                .getTemplate()
                .getMetadata()
                .getAnnotations())
        .isNullOrEmpty();
  }
}
