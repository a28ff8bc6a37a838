package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ownership of pods: controllers own exactly the pods that their selectors match. */
class WorkloadOwnershipTest {
  private final RunningCluster cluster = new RunningCluster();
  private final KubernetesClient client = cluster.client;

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void replicationController_keepsItsReplicas_andReportsThem() {
    create(CONTROLLER);

    eventually().untilAsserted(() -> assertThat(pods()).hasSize(2));
    assertThat(pods())
        .allSatisfy(pod -> assertThat(owners(pod)).containsExactly("ReplicationController/web"));
    eventually()
        .untilAsserted(() -> assertThat(controller().getStatus().getReplicas()).isEqualTo(2));

    client.replicationControllers().inNamespace("default").withName("web").scale(1);
    eventually().untilAsserted(() -> assertThat(pods()).hasSize(1));
    client.replicationControllers().inNamespace("default").withName("web").delete();
    eventually().untilAsserted(() -> assertThat(pods()).isEmpty());
  }

  @Test
  void replicationController_orphansItsPods_unlessTheDeleteSaysOtherwise() {
    create(CONTROLLER);
    eventually().untilAsserted(() -> assertThat(pods()).hasSize(2));

    client.raw(
        "/api/v1/namespaces/default/replicationcontrollers/web", "DELETE", new DeleteOptions());

    eventually().untilAsserted(() -> assertThat(controllers()).isEmpty());
    assertThat(pods()).hasSize(2).allSatisfy(pod -> assertThat(owners(pod)).isEmpty());
  }

  @Test
  void podWithAnotherOwner_staysWhenOneIsDeletedInTheForeground() {
    create(CONTROLLER);
    eventually().untilAsserted(() -> assertThat(pods()).hasSize(2));
    create(OTHER_OWNER);
    String uid =
        client.configMaps().inNamespace("default").withName("other").get().getMetadata().getUid();
    String kept = pods().getFirst().getMetadata().getName();
    client
        .pods()
        .inNamespace("default")
        .withName(kept)
        .edit(
            pod -> {
              pod.getMetadata()
                  .getOwnerReferences()
                  .add(
                      new OwnerReferenceBuilder()
                          .withApiVersion("v1")
                          .withKind("ConfigMap")
                          .withName("other")
                          .withUid(uid)
                          .build());
              return pod;
            });

    client
        .replicationControllers()
        .inNamespace("default")
        .withName("web")
        .withPropagationPolicy(DeletionPropagation.FOREGROUND)
        .delete();

    eventually().untilAsserted(() -> assertThat(controllers()).isEmpty());
    assertThat(pods())
        .singleElement()
        .satisfies(
            pod -> {
              assertThat(pod.getMetadata().getName()).isEqualTo(kept);
              assertThat(pod.getMetadata().getOwnerReferences())
                  .extracting(OwnerReference::getKind)
                  .containsExactly("ConfigMap");
            });
  }

  @Test
  void circleOfOwners_isDeletedInTheForeground() {
    for (String name : List.of("one", "two", "three")) {
      create(POD.replace("name: alone, ", "name: " + name + ", "));
    }
    ownedBy("one", "three");
    ownedBy("two", "one");
    ownedBy("three", "two");

    client
        .pods()
        .inNamespace("default")
        .withName("one")
        .withPropagationPolicy(DeletionPropagation.FOREGROUND)
        .delete();

    eventually().untilAsserted(() -> assertThat(pods()).isEmpty());
  }

  private void ownedBy(String name, String owner) {
    String uid = client.pods().inNamespace("default").withName(owner).get().getMetadata().getUid();
    client
        .pods()
        .inNamespace("default")
        .withName(name)
        .edit(
            pod -> {
              pod.getMetadata()
                  .setOwnerReferences(
                      List.of(
                          new OwnerReferenceBuilder()
                              .withApiVersion("v1")
                              .withKind("Pod")
                              .withName(owner)
                              .withUid(uid)
                              .withController(true)
                              .withBlockOwnerDeletion(true)
                              .build()));
              return pod;
            });
  }

  @Test
  void orphan_isAdopted_insteadOfCreatingAnotherPod() {
    create(POD);

    create(CONTROLLER);

    eventually()
        .untilAsserted(
            () ->
                assertThat(pods())
                    .hasSize(2)
                    .allSatisfy(
                        pod ->
                            assertThat(owners(pod)).containsExactly("ReplicationController/web")));
    assertThat(client.pods().inNamespace("default").withName("alone").get()).isNotNull();
  }

  @Test
  void orphanThatComesLater_isAdopted_andTheOneTooManyIsDeleted() {
    create(REPLICA_SET);
    eventually().untilAsserted(() -> assertThat(pods()).hasSize(2));

    create(POD);

    eventually()
        .untilAsserted(
            () ->
                assertThat(pods())
                    .hasSize(2)
                    .allSatisfy(pod -> assertThat(owners(pod)).containsExactly("ReplicaSet/web")));
  }

  @Test
  void podWhoseLabelsNoLongerMatch_isReleasedAndReplaced() {
    create(REPLICA_SET);
    eventually().untilAsserted(() -> assertThat(pods()).hasSize(2));
    String name = pods().getFirst().getMetadata().getName();

    client
        .pods()
        .inNamespace("default")
        .withName(name)
        .edit(
            pod -> {
              pod.getMetadata().getLabels().put("app", "other");
              return pod;
            });

    eventually()
        .untilAsserted(
            () -> {
              Pod released = client.pods().inNamespace("default").withName(name).get();
              assertThat(released.getMetadata().getOwnerReferences()).isEmpty();
              assertThat(pods()).hasSize(3);
            });
  }

  @Test
  void orphanedReplicaSet_isAdoptedByTheDeploymentThatSelectsIt() {
    create(DEPLOYMENT);
    eventually().untilAsserted(() -> assertThat(sets()).hasSize(1));
    String name = sets().getFirst().getMetadata().getName();
    client
        .apps()
        .deployments()
        .inNamespace("default")
        .withName("web")
        .withPropagationPolicy(DeletionPropagation.ORPHAN)
        .delete();
    eventually().untilAsserted(() -> assertThat(owners(sets().getFirst())).isEmpty());

    create(DEPLOYMENT);

    eventually()
        .untilAsserted(
            () -> {
              assertThat(sets())
                  .extracting(set -> set.getMetadata().getName())
                  .containsExactly(name);
              assertThat(owners(sets().getFirst())).containsExactly("Deployment/web");
            });
  }

  private static final String TEMPLATE =
      """
        template:
          metadata: {labels: {app: web}}
          spec: {containers: [{name: c, image: 'c:1'}]}
      """;
  private static final String CONTROLLER =
      """
      apiVersion: v1
      kind: ReplicationController
      metadata: {name: web, namespace: default}
      spec:
        replicas: 2
        selector: {app: web}
      """
          + TEMPLATE;
  private static final String REPLICA_SET =
      """
      apiVersion: apps/v1
      kind: ReplicaSet
      metadata: {name: web, namespace: default}
      spec:
        replicas: 2
        selector: {matchLabels: {app: web}}
      """
          + TEMPLATE;
  private static final String DEPLOYMENT =
      """
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web, namespace: default}
      spec:
        replicas: 2
        selector: {matchLabels: {app: web}}
      """
          + TEMPLATE;
  private static final String OTHER_OWNER =
      """
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: other, namespace: default}
      """;
  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: alone, namespace: default, labels: {app: web}}
      spec: {containers: [{name: c, image: 'c:1'}]}
      """;

  private void create(String yaml) {
    client.resource(yaml).create();
  }

  private ReplicationController controller() {
    return client.replicationControllers().inNamespace("default").withName("web").get();
  }

  private List<ReplicationController> controllers() {
    return client.replicationControllers().inNamespace("default").list().getItems();
  }

  private List<Pod> pods() {
    return client.pods().inNamespace("default").list().getItems();
  }

  private List<ReplicaSet> sets() {
    return client.apps().replicaSets().inNamespace("default").list().getItems();
  }

  private static List<String> owners(HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .map(owner -> owner.getKind() + "/" + owner.getName())
        .toList();
  }

  private static ConditionFactory eventually() {
    return await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(50));
  }
}
