package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.leader.LeaseTimes;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Two replicas behind one address during routine maintenance, under a stream of pods. */
class RollingRestartTest {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final LeaseTimes FAST =
      new LeaseTimes(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofMillis(200));

  private static Berth replica(BerthOnSandbox cluster, String identity, Balancer balancer)
      throws Exception {
    URI url = URI.create("https://127.0.0.1:" + balancer.port());
    Berth replica =
        Berth.start(
            BerthOptions.local(identity)
                .withHttp(0, true)
                .withLeaderElection(FAST)
                .withShutdownGrace(Duration.ofSeconds(3))
                .withWebhook(new BerthOptions.Webhook(0, Optional.of(url))),
            cluster.admin());
    balancer.add(replica);
    await().atMost(SOON).until(() -> balancer.sendsTo(replica) && replica.isRegistered());
    return replica;
  }

  private static Pod create(BerthOnSandbox cluster, int number) {
    return cluster
        .admin()
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("web-" + number)
                .addToAnnotations("sched.cloud.ctrip.com/policy", "batch")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("busybox")
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  @Test
  void replicasRestartedInTurn_leaveNoPodUnrendered() throws Exception {
    try (BerthOnSandbox cluster = new BerthOnSandbox(2);
        Balancer balancer = new Balancer()) {
      cluster.apply(
          """
          apiVersion: sched.cloud.ctrip.com/v1
          kind: SchedulingPolicy
          metadata: {name: batch}
          spec: {}
          """);
      cluster.installWebhooks();
      AtomicInteger created = new AtomicInteger();
      List<Berth> replicas = new ArrayList<>();
      replicas.add(replica(cluster, "one", balancer));
      await().atMost(SOON).until(() -> urlIsRegistered(cluster, balancer));
      replicas.add(replica(cluster, "two", balancer));
      await().atMost(SOON).until(() -> rendered(create(cluster, created.incrementAndGet())));

      List<String> unrendered = new CopyOnWriteArrayList<>();
      AtomicBoolean enough = new AtomicBoolean();
      CompletableFuture<Void> stream =
          CompletableFuture.runAsync(
              () -> {
                while (!enough.get()) {
                  Pod pod = create(cluster, created.incrementAndGet());
                  if (!rendered(pod)) {
                    unrendered.add(pod.getMetadata().getName());
                  }
                }
              });
      try {
        for (int i = 0; i < 2; i++) {
          replicas.get(i).close();
          balancer.remove(replicas.get(i));
          replicas.set(i, replica(cluster, "again-" + i, balancer));
        }
      } finally {
        enough.set(true);
        stream.join();
        replicas.forEach(Berth::close);
      }

      assertThat(created.get()).isGreaterThan(20);
      assertThat(unrendered).isEmpty();
    }
  }

  private static boolean urlIsRegistered(BerthOnSandbox cluster, Balancer balancer) {
    return cluster
        .admin()
        .resources(MutatingWebhookConfiguration.class)
        .withName("berth")
        .get()
        .getWebhooks()
        .stream()
        .allMatch(
            hook ->
                String.valueOf(hook.getClientConfig().getUrl())
                    .contains(":" + balancer.port() + "/"));
  }

  private static boolean rendered(Pod pod) {
    return "berth".equals(pod.getSpec().getSchedulerName());
  }
}
