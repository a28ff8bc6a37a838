package io.berth.operator.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.SchedulerConfigBinding;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.record.BerthMetrics;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.webhook.admission.CatalogSource.UpToDateCatalog;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reviews that come in the same breath as what decides about their pods. */
class CaughtUpCatalogTest {
  private static final Path MANIFESTS = Path.of("..", "deploy", "manifests");
  private static final String OPERATOR = "berth-system";
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int BREATHS = 60;

  private static Sandbox sandbox;
  private static KubernetesClient client;

  private final LiveCatalog catalog = new LiveCatalog(OPERATOR);
  private final BerthMetrics metrics = new BerthMetrics("berth");
  private CaughtUpCatalog current;

  @BeforeAll
  static void start() throws IOException {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
            .build();
    for (String file : new String[] {"00-crds.yaml", "10-namespace.yaml"}) {
      try (InputStream yaml = Files.newInputStream(MANIFESTS.resolve(file))) {
        client.load(yaml).serverSideApply();
      }
    }
    client.resource(namespace("team", Map.of())).create();
  }

  @AfterAll
  static void stop() {
    client.close();
    sandbox.close();
  }

  @BeforeEach
  void clear() {
    client.resources(SchedulerConfigBinding.class).inAnyNamespace().delete();
    current = new CaughtUpCatalog(catalog, new ConfigReading(client, OPERATOR)::read, metrics);
  }

  private ClusterFeed follow() throws Exception {
    ClusterFeed feed = new ClusterFeed(client, OPERATOR, WatchTimes.defaults(), failure -> {});
    feed.start().get(20, TimeUnit.SECONDS);
    WebhookEndpoint.follow(feed, catalog);
    BindingKey watched = new BindingKey("team", "watched");
    binding("team", "watched", "p");
    await().atMost(SOON).until(() -> catalog.get().bindingKeys().contains(watched));
    return feed;
  }

  private static Namespace namespace(String name, Map<String, String> labels) {
    return new NamespaceBuilder()
        .withNewMetadata()
        .withName(name)
        .withLabels(labels)
        .endMetadata()
        .build();
  }

  private static void binding(String namespace, String name, String policy) {
    client
        .resource(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulerConfigBinding
            metadata: {namespace: %s, name: %s}
            spec: {schedulingPolicy: %s}
            """
                .formatted(namespace, name, policy))
        .serverSideApply();
  }

  @Test
  void whatWasWrittenJustBefore_isKnown_orTheReviewSaysThatItMayNotBe() throws Exception {
    try (ClusterFeed feed = follow()) {
      for (int i = 0; i < BREATHS; i++) {
        binding("team", "b" + i, "p");
        UpToDateCatalog known = current.asOfNow("team");
        assertThat(
                known.catalog().bindingKeys().contains(new BindingKey("team", "b" + i))
                    || known.doubt().isPresent())
            .as("binding %d", i)
            .isTrue();
      }
      assertThat(feed.bindings()).isNotEmpty();
      assertThat(metrics.page()).containsAnyOf("result=\"current\"", "result=\"awaited\"");
    }
  }

  @Test
  void namespaceLabels_thatWereWrittenJustBefore_areKnown() throws Exception {
    try (ClusterFeed feed = follow()) {
      client.resource(namespace("fresh", Map.of("tier", "gold"))).create();

      UpToDateCatalog known = current.asOfNow("fresh");

      assertThat(feed.namespaces()).isNotEmpty();
      assertThat(
              "gold".equals(known.catalog().namespaceLabels("fresh").get("tier"))
                  || known.doubt().isPresent())
          .isTrue();
    }
  }

  @Test
  void catalog_thatNothingFollows_isInDoubt_andItIsCounted() {
    binding("team", "unheard", "p");

    UpToDateCatalog known = current.asOfNow("team");

    assertThat(known.doubt()).isPresent();
    assertThat(known.catalog().bindingKeys()).isEmpty();
    assertThat(metrics.page())
        .contains("berth_webhook_catalog_checks_total{")
        .contains("result=\"behind\"");
  }

  @Test
  void readingThatNeverAnswers_isNotWaitedForLonger() {
    CaughtUpCatalog waiting =
        new CaughtUpCatalog(catalog, namespaces -> new CompletableFuture<>(), metrics);

    assertThat(waiting.asOfNow("team").doubt()).contains("the API server did not answer in time");
  }

  @Test
  void readingThatFails_saysWhy() {
    CaughtUpCatalog refused =
        new CaughtUpCatalog(
            catalog,
            namespaces -> CompletableFuture.failedFuture(new IOException("no such host")),
            metrics);

    assertThat(refused.asOfNow("team").doubt()).contains("no such host");
  }
}
