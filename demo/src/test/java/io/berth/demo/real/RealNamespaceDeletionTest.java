package io.berth.demo.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Manifests;
import io.berth.demo.cluster.RealApiServer;
import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.Feature;
import io.berth.operator.query.QueryApi;
import io.fabric8.kubernetes.api.model.APIService;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * The deletion of namespaces by Kubernetes' own controller, on a cluster where the API group of
 * queries is registered: the controller asks every group for its resources first.
 */
@Tag("real")
@EnabledIf(
    value = "controllerIsThere",
    disabledReason =
        "set KUBE_API_TEST_DIR to a folder with kube-apiserver, etcd, and kube-controller-manager,"
            + " and not KUBECONFIG")
class RealNamespaceDeletionTest {
  /** Longer than the controller's longest pause between two attempts, which is a minute. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Enough for several attempts of the controller. */
  private static final Duration WAITS = Duration.ofSeconds(20);

  @TempDir private Path folder;
  private RealApiServer server;
  private KubernetesClient admin;
  private KubernetesClient berths;
  private NamespaceController controller;
  private final List<Berth> replicas = new ArrayList<>();

  static boolean controllerIsThere() {
    return NamespaceController.binary().isPresent() && System.getenv("KUBECONFIG") == null;
  }

  @BeforeEach
  void start() throws Exception {
    server = RealApiServer.open();
    admin = server.admin();
    Checkout checkout = Checkout.find();
    BerthInstallation.install(admin, checkout);
    new Manifests(admin)
        .apply(
            List.of(checkout.feature(Feature.QUERY_API)),
            object -> !BerthInstallation.needsNodes(object));
    berths = BerthInstallation.clientOfBerth(admin);
    controller = NamespaceController.start(admin, folder);
    Berth leader = startReplica("leader");
    await().atMost(PATIENCE).until(leader::isLeading);
    QueryEndpoint.lead(admin, port(leader));
  }

  private Berth startReplica(String name) throws IOException, InterruptedException {
    Berth replica = Berth.start(BerthOptions.local(name).withFeatures(Feature.QUERY_API), berths);
    replicas.add(replica);
    return replica;
  }

  private static int port(Berth replica) {
    return replica.queryPort().orElseThrow();
  }

  @AfterEach
  void stop() throws IOException {
    replicas.forEach(Berth::close);
    if (controller != null) {
      controller.close();
    }
    if (berths != null) {
      berths.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private void stopReplica(Berth replica) {
    replicas.remove(replica);
    replica.close();
  }

  /** Creates a namespace with an object in it, and deletes the namespace. */
  private void createAndDelete(String namespace) {
    admin
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    admin
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName("content")
                .withNamespace(namespace)
                .endMetadata()
                .build())
        .create();
    admin.namespaces().withName(namespace).delete();
  }

  private void awaitGone(String namespace) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(admin.namespaces().withName(namespace).get()).isNull());
  }

  @Test
  void namespace_isDeleted_withAllReplicas_andWithTheLeaderDown() throws Exception {
    createAndDelete("with-the-leader");
    awaitGone("with-the-leader");

    Berth standby = startReplica("standby");
    stopReplica(replicas.getFirst());
    QueryEndpoint.lead(admin, port(standby)); // as the endpoints of the Service change

    createAndDelete("without-the-leader");
    awaitGone("without-the-leader");
  }

  @Test
  void namespace_waits_whileNoReplicaAnswers_andIsDeletedWhenOneIsBack() throws Exception {
    stopReplica(replicas.getFirst());
    await().atMost(PATIENCE).until(() -> !QueryEndpoint.isAvailable(admin));

    createAndDelete("without-replicas");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(discoveryFailure("without-replicas")).contains(QueryApi.API_VERSION));
    await()
        .during(WAITS)
        .atMost(WAITS.plusSeconds(10))
        .until(() -> admin.namespaces().withName("without-replicas").get() != null);

    QueryEndpoint.lead(admin, port(startReplica("back")));
    awaitGone("without-replicas");
  }

  /** Returns why the controller does not finish the namespace; empty if it does not say. */
  private String discoveryFailure(String name) {
    Namespace namespace = admin.namespaces().withName(name).get();
    return namespace.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("NamespaceDeletionDiscoveryFailure"))
        .filter(condition -> condition.getStatus().equals("True"))
        .map(condition -> condition.getMessage())
        .findFirst()
        .orElse("");
  }

  @Test
  void namespace_isDeletedWithoutReplicas_onceTheApiServiceIsDeleted() {
    stopReplica(replicas.getFirst());
    await().atMost(PATIENCE).until(() -> !QueryEndpoint.isAvailable(admin));
    createAndDelete("without-the-group");

    admin.resources(APIService.class).withName(QueryApi.API_SERVICE).delete();

    awaitGone("without-the-group");
  }
}
