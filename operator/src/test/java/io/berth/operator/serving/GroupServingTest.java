package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of pods whose objects other operators create, and the status of these objects. */
class GroupServingTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  private BerthOnSandbox cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = new BerthOnSandbox(2);
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: standard}
        spec: {default: true}
        """);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void define(String group, String version, String subresources) {
    cluster.apply(
        """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: podgroups.%1$s}
        spec:
          group: %1$s
          names: {kind: PodGroup, plural: podgroups, singular: podgroup, listKind: PodGroupList}
          scope: Namespaced
          versions:
          - name: %2$s
            served: true
            storage: true
            subresources: %3$s
            schema:
              openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
        """
            .formatted(group, version, subresources));
  }

  private Map<String, Object> podGroup(String group, String version) {
    GenericKubernetesResource object =
        cluster
            .admin()
            .genericKubernetesResources(
                new ResourceDefinitionContext.Builder()
                    .withGroup(group)
                    .withVersion(version)
                    .withKind("PodGroup")
                    .withPlural("podgroups")
                    .withNamespaced(true)
                    .build())
            .inNamespace("default")
            .withName("train")
            .get();
    return object.getAdditionalProperties();
  }

  private void awaitStatus(String group, String version, String... parts) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(String.valueOf(podGroup(group, version).get("status"))).contains(parts));
  }

  private Berth replica(String... schedulerNames) throws IOException, InterruptedException {
    return Berth.start(
        BerthOptions.local("one").withHttp(0, true).withSchedulerNames(schedulerNames),
        cluster.admin());
  }

  private Pod pod(String name, String scheduler) {
    return new PodBuilder(cluster.unboundPod(name, "standard", "3"))
        .editSpec()
        .withSchedulerName(scheduler)
        .endSpec()
        .build();
  }

  private void createVolcanoPod(String name, String scheduler) {
    cluster
        .admin()
        .resource(
            new PodBuilder(pod(name, scheduler))
                .editMetadata()
                .addToAnnotations("scheduling.k8s.io/group-name", "train")
                .endMetadata()
                .build())
        .create();
  }

  private List<Event> eventsOf(String kind, String reason) {
    return cluster.admin().events().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> event.getRegarding().getKind().equals(kind))
        .filter(event -> event.getReason().equals(reason))
        .toList();
  }

  /** Some versions of Volcano's definition have no status subresource. */
  @ParameterizedTest
  @ValueSource(strings = {"{}", "{status: {}}"})
  void inPlaceOfVolcanosScheduler_groupsAreAdmitted_refusedAndRun(String subresources)
      throws Exception {
    define("scheduling.volcano.sh", "v1beta1", subresources);
    cluster.apply(
        """
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: PodGroup
        metadata: {name: train, namespace: default}
        spec: {minMember: 3}
        """);
    try (Berth berth = replica("berth", "volcano")) {
      awaitStatus("scheduling.volcano.sh", "v1beta1", "phase=Inqueue");

      List.of("a", "b", "c").forEach(name -> createVolcanoPod(name, "volcano"));
      awaitStatus(
          "scheduling.volcano.sh", "v1beta1", "type=Unschedulable", "reason=NotEnoughResources");
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                assertThat(eventsOf("PodGroup", "Unschedulable")).hasSize(1);
                assertThat(eventsOf("Pod", "FailedScheduling"))
                    .isNotEmpty()
                    .allSatisfy(
                        event -> assertThat(event.getReportingController()).isEqualTo("volcano"));
              });

      cluster.addNodes("B", 1, "4");
      awaitStatus(
          "scheduling.volcano.sh", "v1beta1", "phase=Running", "type=Scheduled", "running=3");
      assertThat(String.valueOf(podGroup("scheduling.volcano.sh", "v1beta1").get("status")))
          .doesNotContain("Unschedulable");
      assertThat(berth.isLeading()).isTrue();
    }
  }

  @Test
  void besideVolcanosScheduler_itsGroupsAreLeftAlone() throws Exception {
    define("scheduling.volcano.sh", "v1beta1", "{}");
    cluster.apply(
        """
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: PodGroup
        metadata: {name: train, namespace: default}
        spec: {minMember: 2}
        """);
    try (Berth berth = replica("berth")) {
      List.of("a", "b").forEach(name -> createVolcanoPod(name, "berth"));

      await().atMost(SOON).until(() -> cluster.pod("b").getSpec().getNodeName() != null);
      await().atMost(SOON).until(() -> eventsOf("Pod", "Scheduled").size() == 2);
      assertThat(podGroup("scheduling.volcano.sh", "v1beta1")).doesNotContainKey("status");
      assertThat(berth.isLeading()).isTrue();
    }
  }

  /** Kubernetes 1.36 serves v1alpha2, and 1.37 serves v1beta1. */
  @ParameterizedTest
  @CsvSource({"v1alpha2, PodGroupScheduled", "v1beta1, PodGroupInitiallyScheduled"})
  void kubernetesGroups_areGivenTheConditionOfKubeScheduler(String version, String condition)
      throws Exception {
    define("scheduling.k8s.io", version, "{status: {}}");
    cluster.apply(
        """
        apiVersion: scheduling.k8s.io/%s
        kind: PodGroup
        metadata: {name: train, namespace: default}
        spec: {schedulingPolicy: {gang: {minCount: 3}}}
        """
            .formatted(version));
    try (Berth berth = replica("berth")) {
      for (String name : List.of("a", "b", "c")) {
        Pod pod = pod(name, "berth");
        pod.getSpec().setAdditionalProperty("schedulingGroup", Map.of("podGroupName", "train"));
        cluster.admin().resource(pod).create();
      }
      awaitStatus(
          "scheduling.k8s.io",
          version,
          "type=" + condition,
          "status=False",
          "reason=Unschedulable",
          "room for 2");

      cluster.addNodes("B", 1, "4");
      awaitStatus("scheduling.k8s.io", version, "status=True", "reason=Scheduled");
      assertThat(berth.isLeading()).isTrue();
    }
  }
}
