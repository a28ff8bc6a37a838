package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** StatefulSets, DaemonSets, and generic ephemeral volumes. */
class StatefulWorkloadsTest {
  private final RunningCluster cluster = new RunningCluster();
  private final KubernetesClient client = cluster.client;

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void aStatefulSet_createsItsPodsInOrder_eachWithItsClaim_andRemovesTheLastFirst() {
    node("n1");
    client.resource(statefulSet("OrderedReady")).create();

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
    client.resource(statefulSet("Parallel")).create();
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
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"spec": {"taints": [{"key": "closed", "effect": "NoSchedule"}]}}
            """);
    client
        .resource(
            """
            apiVersion: apps/v1
            kind: DaemonSet
            metadata: {name: agent, namespace: default}
            spec:
              selector: {matchLabels: {app: agent}}
              template:
                metadata: {labels: {app: agent}}
                spec: {containers: [{name: main, image: "agent:1"}]}
            """)
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
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: scratch, namespace: default}
            spec:
              containers: [{name: main, image: "image:1"}]
              volumes:
              - name: v
                ephemeral:
                  volumeClaimTemplate:
                    metadata: {labels: {kind: scratch}}
                    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
            """)
        .create();

    eventually().untilAsserted(() -> assertThat(claimNames()).containsExactly("scratch-v"));
    var claim = client.persistentVolumeClaims().inNamespace("default").withName("scratch-v").get();
    assertThat(claim.getMetadata().getOwnerReferences().getFirst().getName()).isEqualTo("scratch");
    assertThat(claim.getMetadata().getLabels()).containsEntry("kind", "scratch");
    assertThat(claim.getSpec().getVolumeMode()).isEqualTo("Filesystem");

    client.pods().inNamespace("default").withName("scratch").delete();
    eventually().untilAsserted(() -> assertThat(claimNames()).isEmpty());
  }

  private static String statefulSet(String management) {
    return """
    apiVersion: apps/v1
    kind: StatefulSet
    metadata: {name: db, namespace: default}
    spec:
      replicas: 2
      serviceName: db
      podManagementPolicy: %s
      selector: {matchLabels: {app: db}}
      template:
        metadata: {labels: {app: db}}
        spec:
          terminationGracePeriodSeconds: 0
          containers: [{name: main, image: "image:1"}]
      volumeClaimTemplates:
      - metadata: {name: data}
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
    """
        .formatted(management);
  }

  private void node(String name) {
    client
        .resource(
            """
            apiVersion: v1
            kind: Node
            metadata: {name: %s}
            spec: {}
            """
                .formatted(name))
        .create();
    client // as the controllers do when it is ready, which may have been before
        .nodes()
        .withName(name)
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"taints\":null}}");
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
