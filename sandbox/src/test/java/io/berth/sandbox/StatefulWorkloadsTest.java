package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** StatefulSets, DaemonSets, and generic ephemeral volumes. */
class StatefulWorkloadsTest {
  private static final Map<String, String> LABELS = Map.of("app", "db");

  private final Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
  private final SimulatedCluster cluster =
      SimulatedCluster.start(sandbox.api(), KubeletOptions.immediate(), Clock.systemUTC());
  private final KubernetesClient client =
      new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(sandbox.kubeconfig())).build();

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
    sandbox.close();
  }

  @Test
  void aStatefulSet_createsItsPodsInOrder_eachWithItsClaim_andRemovesTheLastFirst() {
    node("n1");
    client.resource(statefulSet("OrderedReady", "image:1")).create();

    eventually().untilAsserted(() -> assertThat(podNames()).containsExactly("db-0"));
    Pod first = client.pods().inNamespace("default").withName("db-0").get();
    assertThat(first.getMetadata().getLabels()).containsEntry("apps.kubernetes.io/pod-index", "0");
    assertThat(first.getSpec().getHostname()).isEqualTo("db-0");
    assertThat(first.getSpec().getSubdomain()).isEqualTo("db");
    assertThat(first.getSpec().getVolumes())
        .filteredOn(volume -> volume.getName().equals("data"))
        .extracting(volume -> volume.getPersistentVolumeClaim().getClaimName())
        .containsExactly("data-db-0");
    assertThat(claimNames()).containsExactly("data-db-0");

    bind("db-0");
    eventually().untilAsserted(() -> assertThat(podNames()).containsExactly("db-0", "db-1"));
    bind("db-1");
    eventually().untilAsserted(() -> assertThat(ready()).isEqualTo(2));

    client.apps().statefulSets().inNamespace("default").withName("db").scale(1);
    eventually().untilAsserted(() -> assertThat(podNames()).containsExactly("db-0"));
    assertThat(claimNames()).containsExactly("data-db-0", "data-db-1");
  }

  @Test
  void podsOfAParallelStatefulSet_areCreatedAtOnce_andReplacedFromTheLast() {
    node("n1");
    client.resource(statefulSet("Parallel", "image:1")).create();
    eventually().untilAsserted(() -> assertThat(podNames()).containsExactly("db-0", "db-1"));
    bind("db-0");
    bind("db-1");
    eventually().untilAsserted(() -> assertThat(ready()).isEqualTo(2));

    client
        .apps()
        .statefulSets()
        .inNamespace("default")
        .withName("db")
        .edit(
            set -> {
              set.getSpec().getTemplate().getSpec().getContainers().getFirst().setImage("image:2");
              return set;
            });

    eventually().untilAsserted(() -> assertThat(image("db-1")).isEqualTo("image:2"));
    assertThat(image("db-0")).isEqualTo("image:1");
    bind("db-1");
    eventually().untilAsserted(() -> assertThat(image("db-0")).isEqualTo("image:2"));
  }

  @Test
  void aDaemonSet_hasAPodForEachNodeThatItSelectsAndTolerates() {
    node("n1");
    node("n2");
    client
        .nodes()
        .withName("n2")
        .edit(
            node -> {
              node.getSpec()
                  .setTaints(
                      List.of(
                          new TaintBuilder().withKey("closed").withEffect("NoSchedule").build()));
              return node;
            });
    client
        .resource(
            new DaemonSetBuilder()
                .withNewMetadata()
                .withName("agent")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .withMatchLabels(LABELS)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .withLabels(LABELS)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("agent:1")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build())
        .create();

    eventually().untilAsserted(() -> assertThat(nodesOfDaemons()).containsExactly("n1"));
    node("n3");
    eventually()
        .untilAsserted(() -> assertThat(nodesOfDaemons()).containsExactlyInAnyOrder("n1", "n3"));
    client.nodes().withName("n1").delete();
    eventually().untilAsserted(() -> assertThat(nodesOfDaemons()).containsExactly("n3"));
  }

  @Test
  void aGenericEphemeralVolume_getsAClaimThatBelongsToThePod() {
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName("scratch")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("image:1")
                .endContainer()
                .addNewVolume()
                .withName("v")
                .withNewEphemeral()
                .withNewVolumeClaimTemplate()
                .withNewMetadata()
                .withLabels(Map.of("kind", "scratch"))
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withNewResources()
                .withRequests(Map.of("storage", new Quantity("1Gi")))
                .endResources()
                .endSpec()
                .endVolumeClaimTemplate()
                .endEphemeral()
                .endVolume()
                .endSpec()
                .build())
        .create();

    eventually().untilAsserted(() -> assertThat(claimNames()).containsExactly("scratch-v"));
    var claim = client.persistentVolumeClaims().inNamespace("default").withName("scratch-v").get();
    assertThat(claim.getMetadata().getOwnerReferences().getFirst().getName()).isEqualTo("scratch");
    assertThat(claim.getMetadata().getLabels()).containsEntry("kind", "scratch");
    assertThat(claim.getSpec().getVolumeMode()).isEqualTo("Filesystem");

    client.pods().inNamespace("default").withName("scratch").delete();
    eventually().untilAsserted(() -> assertThat(claimNames()).isEmpty());
  }

  private static StatefulSet statefulSet(String management, String image) {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName("db")
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .withReplicas(2)
        .withServiceName("db")
        .withPodManagementPolicy(management)
        .withNewSelector()
        .withMatchLabels(LABELS)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(LABELS)
        .endMetadata()
        .withNewSpec()
        .withTerminationGracePeriodSeconds(0L)
        .addNewContainer()
        .withName("main")
        .withImage(image)
        .endContainer()
        .endSpec()
        .endTemplate()
        .addNewVolumeClaimTemplate()
        .withNewMetadata()
        .withName("data")
        .endMetadata()
        .withNewSpec()
        .withAccessModes("ReadWriteOnce")
        .withNewResources()
        .withRequests(Map.of("storage", new Quantity("1Gi")))
        .endResources()
        .endSpec()
        .endVolumeClaimTemplate()
        .endSpec()
        .build();
  }

  private void node(String name) {
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build())
        .create();
    client
        .nodes()
        .withName(name)
        .edit(
            node -> {
              node.getSpec().setTaints(List.of()); // as the controllers do when it is ready
              return node;
            });
  }

  private void bind(String pod) {
    client.raw(
        "/api/v1/namespaces/default/pods/" + pod + "/binding",
        "POST",
        Yaml.tree(
            """
            apiVersion: v1
            kind: Binding
            metadata: {name: %s}
            target: {apiVersion: v1, kind: Node, name: n1}
            """
                .formatted(pod)));
  }

  private String image(String pod) {
    Pod found = client.pods().inNamespace("default").withName(pod).get();
    return found == null ? "" : found.getSpec().getContainers().getFirst().getImage();
  }

  private int ready() {
    Integer ready =
        client
            .apps()
            .statefulSets()
            .inNamespace("default")
            .withName("db")
            .get()
            .getStatus()
            .getReadyReplicas();
    return ready == null ? 0 : ready;
  }

  private List<String> podNames() {
    return client.pods().inNamespace("default").list().getItems().stream()
        .map(pod -> pod.getMetadata().getName())
        .sorted()
        .toList();
  }

  private List<String> claimNames() {
    return client.persistentVolumeClaims().inNamespace("default").list().getItems().stream()
        .map(claim -> claim.getMetadata().getName())
        .sorted()
        .toList();
  }

  private List<String> nodesOfDaemons() {
    return client.pods().inNamespace("default").list().getItems().stream()
        .map(
            pod ->
                pod.getSpec()
                    .getAffinity()
                    .getNodeAffinity()
                    .getRequiredDuringSchedulingIgnoredDuringExecution()
                    .getNodeSelectorTerms()
                    .getFirst()
                    .getMatchFields()
                    .getFirst()
                    .getValues()
                    .getFirst())
        .toList();
  }

  private static ConditionFactory eventually() {
    return await().atMost(Duration.ofSeconds(20));
  }
}
