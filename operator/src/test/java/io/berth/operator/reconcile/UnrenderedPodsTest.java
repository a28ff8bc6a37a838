package io.berth.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.operator.admission.WebhookEndpoint;
import io.berth.operator.api.ClusterAccess;
import io.berth.operator.api.HttpApiCalls;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.FedPod;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.record.EventRecorder;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Pods on a cluster whose webhook is unavailable: none is rendered unless the test does so. No
 * controller runs, so all pods are created by the test.
 */
class UnrenderedPodsTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Path MANIFESTS = Path.of("..", "deploy", "manifests");
  private static final BindingKey BINDING = new BindingKey("team", "spark");
  private static final String OPERATOR = "berth-system";
  private static final String RENDERED =
      "sched.cloud.ctrip.com/applied: '{\"schedulingPolicy\":{\"by\":\"binding team/spark@1\"}}'";

  private static Sandbox sandbox;
  private static KubernetesClient client;

  private ClusterFeed feed;
  private LiveCatalog catalog;
  private UnrenderedPods unrendered;
  private EventRecorder events;
  private HttpApiCalls api;

  /** The obstacle to rendering a replacement; empty if the webhook answers. */
  private volatile Optional<String> obstacle = Optional.empty();

  private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @BeforeAll
  static void start() throws IOException {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
            .build();
    for (String file : List.of("00-crds.yaml", "10-namespace.yaml")) {
      try (InputStream yaml = Files.newInputStream(MANIFESTS.resolve(file))) {
        client.load(yaml).serverSideApply();
      }
    }
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName("team").endMetadata().build())
        .create();
    apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: batch}
        spec: {}
        """);
  }

  @AfterAll
  static void stop() {
    client.close();
    sandbox.close();
  }

  @BeforeEach
  void follow() throws Exception {
    feed = new ClusterFeed(client, OPERATOR, WatchTimes.defaults(), failure -> {});
    feed.start().get(20, TimeUnit.SECONDS);
    catalog = new LiveCatalog(OPERATOR);
    WebhookEndpoint.follow(feed, catalog);
    api = new HttpApiCalls(ClusterAccess.of(client.getConfiguration()), Duration.ofSeconds(5));
    events =
        new EventRecorder(api, about -> "berth", "test", Clock.systemUTC(), () -> false, () -> {});
    unrendered = new UnrenderedPods(feed, catalog, events, recreation(true));
  }

  private Recreation recreation(boolean enabled) {
    return new Recreation(
        feed, api, (pod, binding, then) -> then.accept(obstacle), enabled, () -> now);
  }

  @AfterEach
  void clear() throws InterruptedException {
    feed.close();
    assertThat(events.awaitQuiet(SOON)).as("no event of this test comes in the next").isTrue();
    client.pods().inNamespace("team").withGracePeriod(0).delete();
    client.pods().inNamespace("later").withGracePeriod(0).delete();
    client.apps().replicaSets().inNamespace("team").delete();
    client.resources(SchedulerConfigBinding.class).inAnyNamespace().delete();
    client.v1().events().inAnyNamespace().delete();
  }

  private static void apply(String yaml) {
    client.resource(yaml).serverSideApply();
  }

  /** Creates a ready binding for all pods labelled spark, written in an earlier second. */
  private void binding(String spec) {
    bindingJustNow(spec);
    nextSecond();
  }

  private void bindingJustNow(String spec) {
    apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulerConfigBinding
        metadata: {namespace: team, name: spark}
        spec: {podSelector: {matchLabels: {app: spark}}, schedulingPolicy: batch%s}
        """
            .formatted(spec.isEmpty() ? "" : ", " + spec));
    ready("SchedulerConfigBinding", "namespace: team, name: spark");
    await()
        .atMost(SOON)
        .until(
            () ->
                feed.bindings().stream().anyMatch(binding -> binding.getStatus() != null)
                    && catalog.get().bindingKeys().contains(BINDING));
  }

  /** Waits for the next second, because the API server's timestamps have whole seconds. */
  private static void nextSecond() {
    Instant next = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
    await().atMost(SOON).until(() -> !Instant.now().isBefore(next));
  }

  private static void ready(String kind, String metadata) {
    HasMetadata written =
        client
            .resource(
                """
                apiVersion: sched.cloud.ctrip.com/v1
                kind: %s
                metadata: {%s}
                status:
                  conditions:
                  - {type: Ready, status: "True", reason: InUse, message: "", observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z"}
                """
                    .formatted(kind, metadata))
            .item();
    client
        .resource(written)
        .subresource("status")
        .patch(
            new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager("test")
                .withForce(true)
                .build());
  }

  /** Creates a pod with an owner, whose name may be empty. */
  private void pod(String name, String owner, String annotations) {
    pod("team", name, owner, annotations);
  }

  private void pod(String namespace, String name, String owner, String annotations) {
    pod(namespace, name, owner, "uid-" + owner, annotations);
  }

  private void podOf(String name, String owner, String uid) {
    pod("team", name, owner, uid, "");
  }

  private void pod(String namespace, String name, String owner, String uid, String annotations) {
    String owners =
        owner.isEmpty()
            ? ""
            : ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: %s, uid: %s, controller: true}]"
                .formatted(owner, uid);
    client
        .resource(
            """
            apiVersion: v1
            kind: Pod
            metadata: {namespace: %s, name: %s, labels: {app: spark}, annotations: {%s}%s}
            spec: {containers: [{name: main, image: busybox}]}
            """
                .formatted(namespace, name, annotations, owners))
        .create();
    await().atMost(SOON).until(() -> feed.pod(namespace, name).isPresent());
  }

  private static Set<String> pods() {
    return client.pods().inNamespace("team").list().getItems().stream()
        .map(pod -> pod.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  private static List<String> events(String kind, String name) {
    return client.v1().events().inNamespace("team").list().getItems().stream()
        .filter(event -> event.getInvolvedObject().getKind().equals(kind))
        .filter(event -> event.getInvolvedObject().getName().equals(name))
        .filter(event -> event.getReason().equals("Unrendered"))
        .map(Event::getMessage)
        .toList();
  }

  /** Runs checks until the watched pods are these. */
  private void lookUntilPodsAre(String... names) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              unrendered.look();
              assertThat(pods()).containsExactlyInAnyOrder(names);
            });
    await()
        .atMost(SOON)
        .until(
            () ->
                feed.pods()
                    .map(pod -> pod.ref().name())
                    .collect(Collectors.toSet())
                    .equals(Set.of(names)));
  }

  @Test
  void podWithoutItsBinding_isCounted_andReportedOnceOnPodAndOwner() {
    binding("");
    pod("spark-1", "spark-rs", "");
    pod("spark-2", "spark-rs", "");
    pod("rendered", "spark-rs", RENDERED);

    unrendered.look();
    unrendered.look();

    assertThat(unrendered.count(BINDING)).isEqualTo(2);
    assertThat(unrendered.total()).isEqualTo(2);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              assertThat(events("Pod", "spark-1"))
                  .containsExactly(
                      "this pod was admitted without SchedulerConfigBinding team/spark: when"
                          + " created, Berth's webhook was unavailable or did not know it yet, or"
                          + " the labels were changed later");
              assertThat(events("Pod", "rendered")).isEmpty();
              assertThat(events("ReplicaSet", "spark-rs"))
                  .singleElement()
                  .asString()
                  .startsWith("2 of its pods were admitted without");
            });
    assertThat(pods()).as("nobody asked for more").hasSize(3);
  }

  @Test
  void podThatIsOlderThanTheBindingsSpec_isLeftAlone() {
    pod("spark-1", "spark-rs", "");
    nextSecond();
    binding("repair: Recreate");

    unrendered.look();

    assertThat(unrendered.count(BINDING)).isZero();
  }

  @Test
  void podThatIsOlderThanAConfigOfTheBinding_isLeftAlone() {
    binding("repair: Recreate, nodeConfigs: [{name: pool}]");
    pod("spark-1", "spark-rs", "");
    nextSecond();
    apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: NodeSchedulerConfig
        metadata: {name: pool}
        spec: {tolerations: [{key: pool, operator: Exists}]}
        """);
    ready("NodeSchedulerConfig", "name: pool");
    await()
        .atMost(SOON)
        .until(() -> feed.nodeConfigs().stream().anyMatch(c -> c.getStatus() != null));

    unrendered.look();

    assertThat(unrendered.count(BINDING)).isZero();
  }

  @Test
  void podOfTheSameSecond_isFound_whereTheWebhookWasNotSure_andLeftAloneOtherwise() {
    nextSecond();
    bindingJustNow("");
    pod("sure", "spark-rs", "");
    pod("in-doubt", "spark-rs", "sched.cloud.ctrip.com/applied: '{\"inDoubt\":true}'");

    unrendered.look();

    Map<String, Instant> created =
        feed.pods().collect(Collectors.toMap(pod -> pod.ref().name(), FedPod::createdAt));
    Instant written =
        Instant.parse(feed.bindings().getFirst().getMetadata().getCreationTimestamp());
    assertThat(unrendered.total()).isEqualTo(created.get("sure").isAfter(written) ? 2 : 1);
  }

  @Test
  void podOfANamespaceThatWasLabelledLater_isLeftAlone() {
    apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulerConfigBinding
        metadata: {namespace: berth-system, name: gold}
        spec: {namespaceSelector: {matchLabels: {tier: gold}}, schedulingPolicy: batch, repair: Recreate}
        """);
    ready("SchedulerConfigBinding", "namespace: berth-system, name: gold");
    apply(
        """
        apiVersion: v1
        kind: Namespace
        metadata: {name: later}
        """);
    pod("later", "spark-1", "spark-rs", "");
    nextSecond();
    apply(
        """
        apiVersion: v1
        kind: Namespace
        metadata: {name: later, labels: {tier: gold}}
        """);
    await()
        .atMost(SOON)
        .until(
            () ->
                feed.namespaces().stream()
                    .anyMatch(
                        namespace -> namespace.getMetadata().getLabels().containsValue("gold")));

    unrendered.look();

    assertThat(unrendered.total()).isZero();
  }

  @Test
  void podWhoseOwnAnnotationsWereNotHeeded_isReported_andNeverEvicted() {
    ready("SchedulingPolicy", "name: batch");
    nextSecond();
    pod("own", "rs", "sched.cloud.ctrip.com/policy: batch");
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              unrendered.look();
              assertThat(unrendered.total()).isEqualTo(1);
            });

    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(events("Pod", "own"))
                    .containsExactly(
                        "this pod was admitted without what its own annotations request: when"
                            + " created, Berth's webhook was unavailable or did not know it yet,"
                            + " or the annotations were added later"));
    assertThat(pods()).containsExactly("own");
  }

  @Test
  void recreation_takesOnePodOfAnOwner_andTheNextWhenARenderedOneHasCome() {
    binding("repair: Recreate");
    pod("bare", "", "");
    pod("spark-1", "rs", "");
    unrendered.look();
    lookUntilPodsAre("bare");
    unrendered.look(); // the owner has no pods now, and its rendered replacement is still missing

    pod("spark-2", "rs", "");
    pod("spark-3", "rs", "");
    unrendered.look();
    assertThat(unrendered.count(BINDING)).isEqualTo(3);
    assertThat(pods())
        .as("no rendered pod has come in place of the first")
        .containsExactlyInAnyOrder("bare", "spark-2", "spark-3");

    pod("spark-4", "rs", RENDERED);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              unrendered.look();
              assertThat(pods()).hasSize(3).contains("bare", "spark-4");
            });
  }

  @Test
  void recreation_takesNothing_whileTheWebhookDoesNotAnswer_andGoesOnWhenItDoes() {
    obstacle = Optional.of("away");
    binding("repair: Recreate");
    pod("spark-1", "rs", "");
    unrendered.look();
    unrendered.look();
    assertThat(unrendered.count(BINDING)).isEqualTo(1);
    assertThat(pods()).containsExactly("spark-1");

    obstacle = Optional.empty();
    lookUntilPodsAre();
  }

  @Test
  void recreation_thatIsSwitchedOff_evictsNothing_andTheBindingSaysSo() {
    unrendered = new UnrenderedPods(feed, catalog, events, recreation(false));
    binding("repair: Recreate");
    assertThat(unrendered.obstacle(BINDING)).isEmpty();
    pod("spark-1", "rs", "");

    unrendered.look();

    assertThat(unrendered.obstacle(BINDING)).contains(Recreation.DISABLED);
    assertThat(unrendered.count(BINDING)).isEqualTo(1);
    assertThat(pods()).containsExactly("spark-1");
  }

  @Test
  void recreation_goesOnAfterAReplacementThatWasNotRendered_whenTheOwnerHasHadItsPeace() {
    binding("repair: Recreate");
    pod("spark-1", "rs", "");
    lookUntilPodsAre();
    pod("spark-2", "rs", "");
    unrendered.look();
    unrendered.look();
    assertThat(pods()).as("at once would be a loop").containsExactly("spark-2");

    now = now.plus(Recreation.PAUSE.first()).plusSeconds(1);
    lookUntilPodsAre();
  }

  @Test
  void recreation_goesOn_whenTheOwnerWasScaledDownAndNeedsNoReplacement() {
    binding("repair: Recreate");
    String uid = replicaSet("rs", 3);
    for (int i = 1; i <= 3; i++) {
      podOf("spark-" + i, "rs", uid);
    }
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              unrendered.look();
              assertThat(pods()).hasSize(2);
            });
    await().atMost(SOON).until(() -> feed.pods().count() == 2);
    unrendered.look();
    unrendered.look();
    assertThat(pods()).as("the replacement is missing").hasSize(2);

    replicaSet("rs", 2);

    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              unrendered.look();
              assertThat(pods()).hasSize(1);
            });
  }

  /** Creates or scales a ReplicaSet, and returns its UID. */
  private static String replicaSet(String name, int replicas) {
    return client
        .resource(
            """
            apiVersion: apps/v1
            kind: ReplicaSet
            metadata: {namespace: team, name: %s}
            spec:
              replicas: %d
              selector: {matchLabels: {app: spark}}
              template:
                metadata: {labels: {app: spark}}
                spec: {containers: [{name: main, image: busybox}]}
            """
                .formatted(name, replicas))
        .serverSideApply()
        .getMetadata()
        .getUid();
  }

  @Test
  void recreation_takesFewPodsARound() {
    binding("repair: Recreate");
    for (int i = 0; i < 8; i++) {
      pod("spark-" + i, "rs-" + i, "");
    }

    unrendered.look();

    await().atMost(SOON).until(() -> pods().size() == 8 - Recreation.A_ROUND);
    lookUntilPodsAre();
  }

  @Test
  void podThatWasLabelledAfterItHadCome_isNotTakenForUnrendered() throws IOException {
    ObjectMapper json = new ObjectMapper();
    String pod =
        """
        {"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [
          {"time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:metadata": {"f:labels": {}}}},
          {"time": "%s", "fieldsV1": {"f:metadata": {"f:labels": {}}}}]}}
        """;

    assertThat(Recreation.isAsCreated(json.readTree(pod.formatted("2026-01-01T00:00:00Z"))))
        .isTrue();
    assertThat(Recreation.isAsCreated(json.readTree(pod.formatted("2026-01-01T00:05:00Z"))))
        .isFalse();
  }
}
