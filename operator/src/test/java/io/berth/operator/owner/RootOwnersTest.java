package io.berth.operator.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.WatchTimes;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.Owner;
import io.berth.webhook.binding.OwnerLookup;
import io.fabric8.kubernetes.api.model.HasMetadata;
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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The root owners of pods, in a cluster whose controllers are simulated by the test. */
class RootOwnersTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Path DEFINITIONS = Path.of("..", "deploy", "manifests", "00-crds.yaml");
  private static final String CONTAINERS = "{containers: [{name: main, image: busybox}]}";
  private static final String JOB_SPEC =
      "{template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}}";

  private static Sandbox sandbox;
  private static KubernetesClient client;

  private final AtomicInteger reads = new AtomicInteger();
  private ClusterFeed feed;
  private OwnerLookup owners;

  @BeforeAll
  static void start() throws IOException {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
            .build();
    try (InputStream definitions = Files.newInputStream(DEFINITIONS)) {
      client.load(definitions).serverSideApply();
    }
  }

  @AfterAll
  static void stop() {
    client.close();
    sandbox.close();
  }

  @BeforeEach
  void watch() throws Exception {
    for (String namespace : new String[] {"team", "other"}) {
      client
          .resource(
              new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
          .serverSideApply();
    }
    feed = new ClusterFeed(client, "berth-system", WatchTimes.defaults(), failure -> {});
    feed.start().get(20, TimeUnit.SECONDS);
    OwnerReading reading = new OwnerReading(client);
    owners =
        new RootOwners(
            feed,
            (namespace, controller) -> {
              reads.incrementAndGet();
              return reading.read(namespace, controller);
            },
            reading::readWhole);
  }

  @AfterEach
  void clear() {
    feed.close();
    client.batch().v1().jobs().inAnyNamespace().delete();
    client.batch().v1().cronjobs().inAnyNamespace().delete();
    client.apps().replicaSets().inAnyNamespace().delete();
    client.pods().inAnyNamespace().delete();
  }

  @Test
  void jobsOfOneCronJob_haveOneOwner_whateverTheyAreCalled() {
    Controller nightly = create("batch/v1", "CronJob", "nightly", Optional.empty(), cronJob());
    Controller first =
        create("batch/v1", "Job", "nightly-29384750", Optional.of(nightly), JOB_SPEC);
    Controller second =
        create("batch/v1", "Job", "started-by-hand", Optional.of(nightly), JOB_SPEC);

    assertThat(learnt(first)).isEqualTo(new Owner("CronJob", "nightly"));
    assertThat(learnt(second)).isEqualTo(new Owner("CronJob", "nightly"));
  }

  @Test
  void jobsOfNobody_areAnOwnerEach_thoughTheirNamesLookLikeThoseOfOneCronJob() {
    Controller first = create("batch/v1", "Job", "st-29384750", Optional.empty(), JOB_SPEC);
    Controller second = create("batch/v1", "Job", "st-29384751", Optional.empty(), JOB_SPEC);

    assertThat(learnt(first)).isEqualTo(new Owner("Job", "st-29384750"));
    assertThat(learnt(second)).isEqualTo(new Owner("Job", "st-29384751"));
  }

  @Test
  void replicaSet_leadsToWhatControlsIt_ofAnyKind() {
    Controller rollout = new Controller("argoproj.io/v1alpha1", "Rollout", "web", "rollout-uid");
    Controller set = create("apps/v1", "ReplicaSet", "web-5d4f", Optional.of(rollout), setSpec());

    assertThat(learnt(set)).isEqualTo(new Owner("Rollout", "web"));
  }

  @Test
  void replicaSet_isKnownFromTheWatch_withoutARead() {
    Controller deployment = new Controller("apps/v1", "Deployment", "web", "deployment-uid");
    Controller set =
        create("apps/v1", "ReplicaSet", "web-77c6", Optional.of(deployment), setSpec());
    await().atMost(SOON).until(() -> feed.replicaSet("team", "web-77c6").isPresent());

    assertThat(owners.root("team", set, Map.of())).isEqualTo(new Owner("Deployment", "web"));
    assertThat(reads).hasValue(0);
  }

  @Test
  void podsThatAPodCreates_goWithIt() {
    Controller job = create("batch/v1", "Job", "pi", Optional.empty(), JOB_SPEC);
    Controller driver = create("v1", "Pod", "pi-driver", Optional.of(job), CONTAINERS);
    Controller alone = create("v1", "Pod", "notebook", Optional.empty(), CONTAINERS);

    assertThat(learnt(driver)).isEqualTo(new Owner("Job", "pi"));
    assertThat(learnt(alone)).isEqualTo(new Owner("Pod", "notebook"));
  }

  @Test
  void otherKinds_areTheirOwnRoot_andNobodyIsAsked() {
    for (Controller controller :
        new Controller[] {
          new Controller("apps/v1", "StatefulSet", "db", "uid-1"),
          new Controller("apps/v1", "DaemonSet", "agent", "uid-2"),
          new Controller("batch.volcano.sh/v1alpha1", "Job", "train-29384750", "uid-3"),
          new Controller("batch/v1", "Job", "../../pods/x", "uid-4"),
        }) {
      assertThat(learnt(controller)).isEqualTo(controller.asOwner());
    }
    assertThat(reads).hasValue(0);
  }

  @Test
  void aJobThatIsGone_orOnlyOfThatName_isItsOwnRoot() {
    create("batch/v1", "Job", "again-29384750", Optional.empty(), JOB_SPEC);
    Controller before = new Controller("batch/v1", "Job", "again-29384750", "uid-of-before");
    Controller gone = new Controller("batch/v1", "Job", "gone-29384750", "uid-of-gone");

    assertThat(learnt(before)).isEqualTo(before.asOwner());
    assertThat(learnt(gone)).isEqualTo(gone.asOwner());
  }

  @Test
  void forgedReference_toTheUidOfAnothersJob_changesNothingForThatJob() {
    Controller nightly = create("batch/v1", "CronJob", "nightly", Optional.empty(), cronJob());
    Controller job = create("batch/v1", "Job", "nightly-29384750", Optional.of(nightly), JOB_SPEC);
    Controller forged = new Controller("batch/v1", "Job", "nobodys", job.uid());

    assertThat(owners.learn("other", forged)).isEmpty();
    assertThat(owners.learn("team", forged)).isEmpty();

    assertThat(learnt(job)).isEqualTo(new Owner("CronJob", "nightly"));
  }

  @Test
  void circleOfReferences_ends() {
    Controller circle = new Controller("batch/v1", "Job", "round", "uid-round");
    OwnerLookup circling =
        new RootOwners(
            feed,
            (namespace, at) ->
                CompletableFuture.completedFuture(
                    Optional.of(new Link(at.asOwner(), Optional.of(circle)))),
            path -> new CompletableFuture<>());

    assertThat(circling.learn("team", circle)).isEmpty();
    assertThat(circling.root("team", circle, Map.of())).isEqualTo(new Owner("Job", "round"));
  }

  @Test
  void jobIsReadOnce_forAllItsPods() {
    Controller job = create("batch/v1", "Job", "many-pods", Optional.empty(), JOB_SPEC);

    for (int pod = 0; pod < 50; pod++) {
      learnt(job);
    }

    assertThat(reads).hasValue(1);
  }

  @Test
  void untilTheOwnerIsKnown_theNameDecides_andTheCorrectionIsCounted() {
    Controller job = create("batch/v1", "Job", "st-29384750", Optional.empty(), JOB_SPEC);

    assertThat(owners.root("team", job, Map.of())).isEqualTo(new Owner("CronJob", "st"));

    await().atMost(SOON).until(() -> owners.corrections() == 1);
    assertThat(owners.root("team", job, Map.of())).isEqualTo(new Owner("Job", "st-29384750"));
  }

  @Test
  void apiServerThatFails_isNotAskedForEveryPod_andSoonAskedAgain() {
    AtomicInteger asked = new AtomicInteger();
    OwnerLookup failing =
        new RootOwners(
            feed,
            (namespace, at) ->
                asked.incrementAndGet() == 1
                    ? CompletableFuture.failedFuture(new IOException("no such host"))
                    : CompletableFuture.completedFuture(Optional.of(Link.end(at))),
            path -> new CompletableFuture<>());
    Controller job = new Controller("batch/v1", "Job", "nightly-29384750", "uid-1");

    assertThat(failing.learn("team", job)).contains("Job team/nightly-29384750: no such host");
    assertThat(failing.learn("team", job)).isPresent();
    assertThat(failing.root("team", job, Map.of())).isEqualTo(new Owner("CronJob", "nightly"));
    assertThat(asked).hasValue(1);

    await().atMost(SOON).until(() -> failing.learn("team", job).isEmpty());
    assertThat(failing.root("team", job, Map.of())).isEqualTo(job.asOwner());
  }

  @Test
  void apiServerThatIsSilent_isWaitedForOnlySoLong() {
    OwnerLookup silent =
        new RootOwners(
            feed, (namespace, at) -> new CompletableFuture<>(), path -> new CompletableFuture<>());
    Controller job = new Controller("batch/v1", "Job", "nightly-29384750", "uid-1");

    assertThat(silent.learn("team", job))
        .contains("Job team/nightly-29384750: no answer within 300 ms");
  }

  /** Returns the root after all owners have been read. */
  private Owner learnt(Controller controller) {
    assertThat(owners.learn("team", controller)).isEmpty();
    return owners.root("team", controller, Map.of());
  }

  private static Controller create(
      String apiVersion, String kind, String name, Optional<Controller> owner, String spec) {
    String references =
        owner
            .map(
                each ->
                    "[{apiVersion: %s, kind: %s, name: %s, uid: %s, controller: true}]"
                        .formatted(each.apiVersion(), each.kind(), each.name(), each.uid()))
            .orElse("[]");
    HasMetadata created =
        client
            .resource(
                """
                apiVersion: %s
                kind: %s
                metadata: {namespace: team, name: %s, ownerReferences: %s}
                spec: %s
                """
                    .formatted(apiVersion, kind, name, references, spec))
            .create();
    return new Controller(apiVersion, kind, name, created.getMetadata().getUid());
  }

  private static String cronJob() {
    return "{schedule: '0 1 * * *', jobTemplate: {spec: %s}}".formatted(JOB_SPEC);
  }

  private static String setSpec() {
    return "{replicas: 0, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: %s}}"
        .formatted(CONTAINERS);
  }
}
