package io.berth.demo.nemesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.Installation;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Guest;
import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.ground.OnRealApiServer;
import io.berth.demo.story.PoolNodes;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A leader that is suspended, or whose connections fail silently. */
@OnRealApiServer
class RealLeaderFaultsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration IDLE = Duration.ofSeconds(2);
  private static final int PODS = 400;
  private static final int AT_WORK = 20;
  private static final Map<String, Quantity> SIZE =
      Map.of(
          "cpu", new Quantity("64"), "memory", new Quantity("256Gi"), "pods", new Quantity("1000"));

  private final String namespace = "leader-faults-" + Long.toString(System.nanoTime(), 36);

  @TempDir Path folder;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void leaderThatSleepsThroughItsTerm_sendsNoBindingWhenItWakes() throws Exception {
    Vertx vertx = Vertx.vertx();
    try (RealApiServer server = RealApiServer.open()) {
      KubernetesClient admin = server.admin();
      Guest guest = new Guest(admin, Checkout.find());
      guest.refuseInstalled("the test of a leader's faults");
      try {
        prepare(admin, guest);
        String token = BerthInstallation.serviceAccountToken(admin);
        try (ExposedBerth one = berth(vertx, admin, token, "one")) {
          awaitLeader(admin, "one");
          try (ExposedBerth two = berth(vertx, admin, token, "two")) {
            CompletableFuture<Void> stream =
                CompletableFuture.runAsync(
                    () -> {
                      for (int i = 0; i < PODS; i++) {
                        createPod(admin, i);
                      }
                    });
            await().atMost(PATIENCE).until(() -> one.bindings() > AT_WORK);
            one.begin(FaultKind.PAUSE);
            stream.join();
            awaitLeader(admin, "two");
            long before = one.bindings();
            assertThat(before).as("it was suspended before it had bound all pods").isLessThan(PODS);

            one.end(FaultKind.PAUSE);

            await().atMost(PATIENCE).until(() -> one.starts() == 2);
            assertThat(one.bindings()).as("Bindings of the resumed replica").isEqualTo(before);
            assertThat(two.bindings()).as("Bindings of its successor").isPositive();
            await().atMost(PATIENCE).until(() -> bound(admin) == PODS);
          }
        }
      } finally {
        guest.remove();
      }
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void leaderWhoseIdleConnectionsDieSilently_goesOnPlacingPods_andWritingStatuses()
      throws Exception {
    Vertx vertx = Vertx.vertx();
    try (RealApiServer server = RealApiServer.open()) {
      KubernetesClient admin = server.admin();
      Guest guest = new Guest(admin, Checkout.find());
      guest.refuseInstalled("the test of a leader's faults");
      SchedulingPolicy policy = policy();
      try {
        prepare(admin, guest);
        String token = BerthInstallation.serviceAccountToken(admin);
        try (ExposedBerth one = berth(vertx, admin, token, "one")) {
          awaitLeader(admin, "one");
          admin.resource(policy).create();
          awaitStatus(admin, 1);
          createPod(admin, 0);
          await().atMost(PATIENCE).until(() -> bound(admin) == 1);

          await().pollDelay(IDLE.multipliedBy(3)).until(() -> true); // its watches are idle now
          one.forgetIdleConnections(IDLE);
          admin.resource(policy).edit(RealLeaderFaultsTest::changed);
          createPod(admin, 1);

          await().atMost(PATIENCE).until(() -> bound(admin) == 2);
          awaitStatus(admin, 2);
          assertThat(one.starts()).as("it kept running as leader").isEqualTo(1);
        }
      } finally {
        admin.resource(policy).delete();
        guest.remove();
      }
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private SchedulingPolicy policy() {
    return Serialization.unmarshal(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: %s}
        spec:
          priorities: [{name: NodeResourcesFit, weight: 1}]
        """
            .formatted(namespace),
        SchedulingPolicy.class);
  }

  private static SchedulingPolicy changed(SchedulingPolicy policy) {
    policy.setSpec(
        Serialization.unmarshal(
            "priorities: [{name: NodeResourcesFit, weight: 2}]", SchedulingPolicySpec.class));
    return policy;
  }

  private void awaitStatus(KubernetesClient admin, long generation) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(
                        admin
                            .resources(SchedulingPolicy.class)
                            .withName(namespace)
                            .get()
                            .getStatus())
                    .isNotNull()
                    .satisfies(
                        status -> assertThat(status.observedGeneration()).isEqualTo(generation)));
  }

  private void prepare(KubernetesClient admin, Guest guest) throws InterruptedException {
    BerthInstallation.install(admin, Checkout.find());
    // These Berth instances do not serve a webhook.
    var registration = admin.admissionRegistration().v1();
    registration
        .mutatingWebhookConfigurations()
        .withName(Installation.WEBHOOK_CONFIGURATION)
        .delete();
    registration
        .validatingWebhookConfigurations()
        .withName(Installation.WEBHOOK_CONFIGURATION)
        .delete();
    guest.createNamespace(namespace);
    guest.add(PoolNodes.add(admin, namespace, "A", SIZE));
  }

  private ExposedBerth berth(Vertx vertx, KubernetesClient admin, String token, String name)
      throws Exception {
    return ExposedBerth.start(
        vertx,
        admin.getConfiguration(),
        token,
        new ExposedBerth.Settings(
            name, "berth", Installation.NAMESPACE, folder, 1, List.of("--no-webhook")));
  }

  private static void awaitLeader(KubernetesClient admin, String name) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              var lease =
                  admin
                      .leases()
                      .inNamespace(Installation.NAMESPACE)
                      .withName(Installation.LEASE)
                      .get();
              return lease != null && name.equals(lease.getSpec().getHolderIdentity());
            });
  }

  private void createPod(KubernetesClient admin, int number) {
    admin
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("pod-" + number)
                .endMetadata()
                .withNewSpec()
                .withSchedulerName("berth")
                .addToNodeSelector("kubernetes.io/hostname", namespace)
                .addNewContainer()
                .withName("main")
                .withImage("busybox:1.37")
                .withNewResources()
                .addToRequests(Map.of("cpu", new Quantity("10m")))
                .endResources()
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  private long bound(KubernetesClient admin) {
    return admin.pods().inNamespace(namespace).list().getItems().stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .count();
  }
}
