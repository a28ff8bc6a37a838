package io.berth.operator.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.record.BerthMetrics;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.webhook.admission.CatalogSource.UpToDateCatalog;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.CatalogPart;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.ListedState;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.binding.PodSubject;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reviews that arrive at the same time as the configuration that decides their pods. */
class CaughtUpCatalogTest {
  private static final Path MANIFESTS = Path.of("..", "deploy", "manifests");
  private static final String OPERATOR = "berth-system";
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int BREATHS = 60;

  private static Sandbox sandbox;
  private static KubernetesClient client;

  private final LiveCatalog catalog = new LiveCatalog(OPERATOR);
  private final BerthMetrics metrics = new BerthMetrics(List.of("berth"));
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
    current = new CaughtUpCatalog(catalog, reading(0, 0)::read, metrics);
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
        UpToDateCatalog known = current.asOfNow("team", CaughtUpCatalogTest::everything);
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

      UpToDateCatalog known = current.asOfNow("fresh", CaughtUpCatalogTest::everything);

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

    UpToDateCatalog known = current.asOfNow("team", CaughtUpCatalogTest::everything);

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

    assertThat(waiting.asOfNow("team", CaughtUpCatalogTest::everything).doubt())
        .contains("the API server did not answer in time");
  }

  @Test
  void readingThatFails_saysWhy() {
    CaughtUpCatalog refused =
        new CaughtUpCatalog(
            catalog,
            namespaces -> CompletableFuture.failedFuture(new IOException("no such host")),
            metrics);

    assertThat(refused.asOfNow("team", CaughtUpCatalogTest::everything).doubt())
        .contains("no such host");
  }

  @Test
  void review_thatNothingMoreIsNeededFor_readsOnce_andOnlyWhatDecides() {
    List<Set<Topic>> rounds = new CopyOnWriteArrayList<>();
    CaughtUpCatalog counted =
        new CaughtUpCatalog(
            catalog,
            topics -> {
              rounds.add(topics);
              return CompletableFuture.completedFuture(List.of());
            },
            metrics);

    assertThat(counted.asOfNow("team", known -> Set.of(CatalogPart.BINDINGS)).doubt()).isEmpty();

    assertThat(rounds).containsExactly(Set.of(new Topic(CatalogPart.BINDINGS, "team")));
  }

  @Test
  void whatABindingTurnsOutToName_isReadToo_beforeThePodIsJudged() throws Exception {
    try (ClusterFeed feed = follow()) {
      PodSubject pod =
          PodSubject.of("team", Serialization.unmarshal("metadata: {name: p}", JsonNode.class));
      List<Set<Topic>> rounds = new CopyOnWriteArrayList<>();
      ConfigReading reading = reading(0, 0);
      CaughtUpCatalog recorded =
          new CaughtUpCatalog(
              catalog,
              topics -> {
                rounds.add(topics);
                return reading.read(topics);
              },
              metrics);
      client.resources(SchedulerConfigBinding.class).inAnyNamespace().delete();
      recorded.asOfNow("team", known -> known.deciding(pod));
      rounds.clear();

      binding("team", "fresh", "p");
      UpToDateCatalog known = recorded.asOfNow("team", catalog -> catalog.deciding(pod));

      assertThat(feed.bindings()).hasSizeLessThan(2);
      if (known.doubt().isEmpty()) {
        assertThat(rounds.getFirst()).contains(new Topic(CatalogPart.BINDINGS, "team"));
        assertThat(rounds.stream().flatMap(Set::stream))
            .contains(new Topic(CatalogPart.POLICIES, ""));
      }
    }
  }

  @Test
  void manyBindings_areListedByNamespace_fewAllAtOnce() throws Exception {
    client.resource(namespace("other", Map.of())).serverSideApply();
    binding("team", "one", "p");
    binding("other", "two", "p");
    Set<Topic> ofTeam = Set.of(new Topic(CatalogPart.BINDINGS, "team"));

    List<ListedState> few = reading(2, 0).read(ofTeam).get(20, TimeUnit.SECONDS);
    List<ListedState> many = reading(1001, 0).read(ofTeam).get(20, TimeUnit.SECONDS);

    assertThat(few).singleElement().satisfies(all -> assertThat(all.objects()).hasSize(2));
    assertThat(many)
        .extracting(ListedState::namespace)
        .containsExactly(Optional.of(OPERATOR), Optional.of("team"));
  }

  @Test
  void requestsOfARound_areBoundedByTheCluster_notByTheNamespacesThatReviewsName()
      throws Exception {
    Set<Topic> ofMany =
        IntStream.range(0, 1000)
            .mapToObj(i -> "made-up-" + i)
            .flatMap(
                namespace ->
                    Stream.of(
                        new Topic(CatalogPart.BINDINGS, namespace),
                        new Topic(CatalogPart.NAMESPACE, namespace)))
            .collect(Collectors.toSet());

    List<ListedState> lists = reading(2600, 900).read(ofMany).get(20, TimeUnit.SECONDS);
    List<ListedState> ofOne =
        reading(2600, 900)
            .read(
                Set.of(
                    new Topic(CatalogPart.BINDINGS, "team"),
                    new Topic(CatalogPart.NAMESPACE, "team")))
            .get(20, TimeUnit.SECONDS);

    assertThat(lists)
        .extracting(ListedState::kind)
        .containsExactly("SchedulerConfigBinding", "Namespace");
    assertThat(ofOne)
        .extracting(list -> list.namespace().or(list::name))
        .containsExactly(Optional.of(OPERATOR), Optional.of("team"), Optional.of("team"));
  }

  private static ConfigReading reading(int bindings, int namespaces) {
    return new ConfigReading(
        client, OPERATOR, () -> new ConfigReading.Sizes(bindings, namespaces), true);
  }

  @Test
  void legacyPoliciesThatAreSwitchedOff_areNotRead() throws Exception {
    Set<Topic> ofPolicies = Set.of(new Topic(CatalogPart.POLICIES, ""));

    List<ListedState> on =
        new ConfigReading(client, OPERATOR, () -> new ConfigReading.Sizes(0, 0), true)
            .read(ofPolicies)
            .get(20, TimeUnit.SECONDS);
    List<ListedState> off =
        new ConfigReading(client, OPERATOR, () -> new ConfigReading.Sizes(0, 0), false)
            .read(ofPolicies)
            .get(20, TimeUnit.SECONDS);

    assertThat(on).extracting(ListedState::kind).contains("ConfigMap");
    assertThat(off).extracting(ListedState::kind).containsExactly("SchedulingPolicy");
  }

  private static Set<CatalogPart> everything(ConfigCatalog catalog) {
    return EnumSet.allOf(CatalogPart.class);
  }
}
