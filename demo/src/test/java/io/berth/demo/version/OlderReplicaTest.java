package io.berth.demo.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.Installation;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.ground.BerthGround;
import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.leader.LeaseTimes;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A replica of this version next to one of the first version, which is simulated by the test: it
 * holds the Lease for 15 s, renews it every 2 s, and publishes no address.
 */
class OlderReplicaTest {

  private static final int LEASE_SECONDS = 15;
  private static final int RETRY_SECONDS = 2;

  /** Number of renewals that takes longer than the Lease duration of this version, which is 7 s. */
  private static final int RENEWALS = 4;

  @Test
  void itServesTheWebhook_butLeadsOnlyWhenTheOlderReplicaHasStopped() throws Exception {
    try (LocalCluster cluster = LocalCluster.start(0, 3, KubeletOptions.immediate());
        ScheduledExecutorService older = Executors.newSingleThreadScheduledExecutor()) {
      BerthInstallation.install(cluster.admin(), Checkout.find());
      AtomicInteger renewals = new AtomicInteger();
      lease(cluster.admin(), "older").create();
      ScheduledFuture<?> renewing =
          older.scheduleAtFixedRate(
              () -> {
                lease(cluster.admin(), "older").update();
                renewals.incrementAndGet();
              },
              0,
              RETRY_SECONDS,
              TimeUnit.SECONDS);
      try (Berth replica = Berth.start(options(), cluster.admin())) {
        await().atMost(BerthGround.SOON).until(replica::isRegistered);
        sendReviewsTo(replica, cluster.admin());
        Pod pod = create(cluster.admin());
        assertThat(pod.getSpec().getSchedulerName()).as("reviewed by this one").isEqualTo("berth");
        int before = renewals.get();
        await().atMost(BerthGround.SOON).until(() -> renewals.get() > before + RENEWALS);
        assertThat(replica.isLeading()).isFalse();
        assertThat(replica.problems()).isEmpty();
        assertThat(node(cluster.admin())).isEmpty();

        renewing.cancel(false);
        older.shutdown();
        assertThat(older.awaitTermination(RETRY_SECONDS, TimeUnit.SECONDS)).isTrue();
        lease(cluster.admin(), "").update();

        await().atMost(BerthGround.SOON).until(() -> node(cluster.admin()).isPresent());
        assertThat(replica.isLeading()).isTrue();
      }
    }
  }

  private static BerthOptions options() {
    return BerthOptions.local("newer")
        .withHttp(0, true)
        .withLeaderElection(LeaseTimes.defaults())
        .withWebhook(new BerthOptions.Webhook(0, Optional.of(URI.create("https://127.0.0.1"))));
  }

  /**
   * Points the webhooks to a replica, in place of the Service that distributes reviews to all
   * replicas.
   */
  private static void sendReviewsTo(Berth replica, KubernetesClient client) {
    String url = "https://127.0.0.1:" + replica.webhookPort().orElseThrow();
    var webhooks = client.admissionRegistration().v1();
    webhooks
        .mutatingWebhookConfigurations()
        .withName("berth")
        .edit(
            configuration -> {
              configuration.getWebhooks().forEach(each -> reach(each.getClientConfig(), url));
              return configuration;
            });
    webhooks
        .validatingWebhookConfigurations()
        .withName("berth")
        .edit(
            configuration -> {
              configuration.getWebhooks().forEach(each -> reach(each.getClientConfig(), url));
              return configuration;
            });
  }

  private static void reach(WebhookClientConfig where, String url) {
    if (where.getService() != null) {
      where.setUrl(url + where.getService().getPath());
      where.setService(null);
    }
  }

  private static Resource<Lease> lease(KubernetesClient client, String holder) {
    return client.resource(
        new LeaseBuilder()
            .withNewMetadata()
            .withNamespace(Installation.NAMESPACE)
            .withName(Installation.LEASE)
            .endMetadata()
            .withNewSpec()
            .withHolderIdentity(holder)
            .withLeaseDurationSeconds(holder.isEmpty() ? 1 : LEASE_SECONDS)
            .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
            .withLeaseTransitions(1)
            .endSpec()
            .build());
  }

  private static Pod create(KubernetesClient client) {
    client
        .load(
            new ByteArrayInputStream(
                """
                apiVersion: sched.cloud.ctrip.com/v1
                kind: SchedulingPolicy
                metadata: {name: batch}
                spec: {}
                """
                    .getBytes(StandardCharsets.UTF_8)))
        .create();
    return client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("web")
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

  private static Optional<String> node(KubernetesClient client) {
    return Optional.ofNullable(
        client.pods().inNamespace("default").withName("web").get().getSpec().getNodeName());
  }
}
