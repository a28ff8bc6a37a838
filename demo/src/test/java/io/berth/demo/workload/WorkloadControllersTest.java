package io.berth.demo.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The controllers of batch and serving workloads, with the pods and group objects that they create:
 * the table of docs/workloads.md. Each file in {@code workloads} is one row.
 */
class WorkloadControllersTest {
  private static BerthGround ground;

  private String namespace = "";

  @BeforeAll
  static void startWithTheDefinitions() throws Exception {
    ground =
        BerthGround.start(
            BerthGround.options()
                .withSchedulerNames(
                    "berth", "volcano", "scheduler-plugins-scheduler", "koordinator"));
    ground.stopBerth();
    define("scheduling.volcano.sh", "podgroups", "PodGroup", "v1beta1");
    define("scheduling.x-k8s.io", "podgroups", "PodGroup", "v1alpha1");
    define("scheduling.k8s.io", "podgroups", "PodGroup", "v1alpha2");
    define("jobset.x-k8s.io", "jobsets", "JobSet", "v1alpha2");
    define("ray.io", "rayclusters", "RayCluster", "v1");
    define("sparkoperator.k8s.io", "sparkapplications", "SparkApplication", "v1beta2");
    define("kubeflow.org", "mpijobs", "MPIJob", "v2beta1");
    define("kubeflow.org", "pytorchjobs", "PyTorchJob", "v1");
    ground.startBerth();
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: batch}
        spec: {}
        """);
    ground.awaitPolicy("batch", "Serving");
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  private static void define(String group, String plural, String kind, String version) {
    ground.apply(
        """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata:
          name: %2$s.%1$s
          annotations: {api-approved.kubernetes.io: "https://example.com/definitions-of-a-test"}
        spec:
          group: %1$s
          scope: Namespaced
          names: {plural: %2$s, singular: %3$s, kind: %4$s}
          versions:
          - name: %5$s
            served: true
            storage: true
            subresources: {status: {}}
            schema:
              openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
        """
            .formatted(group, plural, plural.substring(0, plural.length() - 1), kind, version));
  }

  @ParameterizedTest
  @CsvSource({
    "job-owner, 4, ''",
    "job-annotations, 4, ''",
    "job-podgroup, 3, ''",
    "jobset-owner, 3, ''",
    "jobset-annotations, 4, ''",
    "leaderworkerset-volcano, 3, ''",
    "raycluster-owner, 3, ''",
    "raycluster-volcano, 3, ''",
    "raycluster-scheduler-plugins, 3, ''",
    "raycluster-koordinator, 3, ''",
    "sparkapplication-owner, 3, pi-driver",
    "mpijob-volcano, 3, ''",
    "mpijob-scheduler-plugins, 3, ''",
    "pytorchjob-volcano, 3, ''",
    "pytorchjob-scheduler-plugins, 3, ''",
    "pytorchjob-owner, 3, ''",
    "trainjob-scheduler-plugins, 3, ''",
  })
  void podsOfTheWorkload_arePlacedTogether_orNotAtAll(String file, int together, String alone)
      throws IOException {
    int before = alone.isEmpty() ? 0 : 1;
    offer(together - 1 + before);
    create(file);
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () -> {
              assertThat(bound(file)).isEqualTo(alone.isEmpty() ? Set.of() : Set.of(alone));
              assertThat(waiting(file))
                  .hasSize(together)
                  .allMatch(why -> why.contains("group") || why.contains("PodGroup"));
            });

    offer(together + before);

    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () -> {
              assertThat(waiting(file)).isEmpty();
              assertThat(bound(file)).hasSize(together + before);
            });
  }

  @Test
  void workersOfAnMpiJob_areAGroup_andItsLauncherIsPlacedByItself() throws IOException {
    offer(1);
    create("mpijob-owner");
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () -> {
              assertThat(bound("mpijob-owner"))
                  .singleElement()
                  .asString()
                  .startsWith("mpi-launcher");
              assertThat(waiting("mpijob-owner")).hasSize(2).allMatch(why -> why.contains("group"));
            });

    offer(2);

    await().atMost(BerthGround.SOON).until(() -> bound("mpijob-owner").size() == 3);
  }

  @Test
  void podsOfALeaderWorkerSetWithoutGangScheduling_arePlacedOneAfterTheOther() throws IOException {
    offer(2);
    create("leaderworkerset-alone");

    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () -> {
              assertThat(bound("leaderworkerset-alone")).hasSize(2);
              assertThat(waiting("leaderworkerset-alone"))
                  .singleElement()
                  .asString()
                  .contains("Insufficient cpu");
            });
  }

  /** The PodGroup of the Spark operator has one member, and asks for the resources of all pods. */
  @ParameterizedTest
  @CsvSource("sparkapplication-volcano")
  void driver_waitsForTheResourcesOfItsExecutors(String file) throws IOException {
    offer(2);
    create(file);
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(waiting(file))
                    .singleElement()
                    .asString()
                    .contains("its minResources request 9 of cpu, but 8 is free"));

    offer(3);

    await().atMost(BerthGround.SOON).until(() -> bound(file).contains("pi-driver"));
  }

  @AfterEach
  void deleteTheWorkload() {
    ground.admin().namespaces().withName(namespace).delete();
    await().atMost(BerthGround.SOON).until(() -> pods(namespace).isEmpty());
  }

  /** Cordons all nodes but some. */
  private static void offer(int count) {
    KubernetesClient admin = ground.admin();
    List<Node> nodes = new ArrayList<>(admin.nodes().list().getItems());
    for (int i = 0; i < nodes.size(); i++) {
      boolean cordoned = i >= count;
      admin
          .nodes()
          .withName(nodes.get(i).getMetadata().getName())
          .edit(
              node -> {
                node.getSpec().setUnschedulable(cordoned);
                return node;
              });
    }
  }

  /** Creates the objects of a row in a namespace of their own, as their controllers would. */
  private void create(String file) throws IOException {
    namespace = file;
    ground.createNamespace(file, Map.of());
    String text;
    try (InputStream resource =
        WorkloadControllersTest.class.getResourceAsStream("/workloads/" + file + ".yaml")) {
      text = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    }
    List<String> left = new ArrayList<>(List.of(text.replace("NAMESPACE", file).split("\n---\n")));
    while (!left.isEmpty()) {
      HasMetadata made = ground.admin().resource(left.removeFirst()).inNamespace(file).create();
      String name = made.getMetadata().getName();
      left.replaceAll(
          each -> each.replace("UID of " + name + '"', made.getMetadata().getUid() + '"'));
      if (made.getKind().equals("SchedulerConfigBinding")) {
        ground.awaitBinding(file, name, "");
      }
    }
  }

  private static Set<String> bound(String namespace) {
    return Set.copyOf(
        pods(namespace).stream()
            .filter(pod -> pod.getSpec().getNodeName() != null)
            .map(pod -> pod.getMetadata().getName())
            .toList());
  }

  private static List<String> waiting(String namespace) {
    return pods(namespace).stream()
        .filter(pod -> pod.getSpec().getNodeName() == null)
        .map(BerthGround::waitsBecause)
        .toList();
  }

  private static List<Pod> pods(String namespace) {
    return ground.admin().pods().inNamespace(namespace).list().getItems();
  }
}
