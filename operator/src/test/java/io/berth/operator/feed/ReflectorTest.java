package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A watch resumes after any failure, and missed changes are recovered. */
class ReflectorTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Path DEFINITIONS = Path.of("..", "deploy", "manifests", "00-crds.yaml");
  private static final WatchTimes FAST =
      new WatchTimes(
          Duration.ofSeconds(2),
          Duration.ofSeconds(1),
          Duration.ofSeconds(5),
          Duration.ofMillis(100),
          Duration.ofMillis(400),
          Duration.ofSeconds(1),
          Duration.ofSeconds(4));

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<WatchFailure> failures = new CopyOnWriteArrayList<>();
  private Sandbox sandbox;
  private KubernetesClient admin;

  private void clusterWithHistory(int changes) {
    sandbox = Sandbox.start(SandboxOptions.defaults().withHistory(changes));
    opened.add(sandbox);
    admin = client(Config.fromKubeconfig(sandbox.kubeconfig()));
  }

  private Config config() {
    return new ConfigBuilder(Config.fromKubeconfig(sandbox.kubeconfig()))
        .withRequestRetryBackoffLimit(0)
        .build();
  }

  private KubernetesClient client(Config config) {
    KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build();
    opened.add(client);
    return client;
  }

  private FaultyConnection faultyConnection() throws IOException {
    URI server = URI.create(config().getMasterUrl());
    FaultyConnection proxy = FaultyConnection.to(server.getPort());
    opened.add(proxy);
    return proxy;
  }

  private KubernetesClient through(FaultyConnection proxy) {
    return client(
        new ConfigBuilder(config())
            .withMasterUrl("https://127.0.0.1:" + proxy.port() + "/")
            .build());
  }

  private <T extends HasMetadata> KindCache<T, T> cache(String kind) {
    ClusterEvent nothing = new ClusterEvent.Ignored(kind);
    return KindCache.ofObjects(put -> nothing, gone -> nothing);
  }

  private <T extends HasMetadata> Reflector<T> reflect(
      KubernetesClient client, Class<T> type, KindCache<T, T> cache) {
    KindPath<T> path = KindPath.everywhere(type);
    WatchStatus watchStatus =
        new WatchStatus(path.resource(), true, failures::add, System::nanoTime);
    Reflector<T> reflector = new Reflector<>(client, path, cache, watchStatus, FAST);
    opened.add(reflector::stop);
    var _ = reflector.start();
    return reflector;
  }

  @Test
  void kindThatIsDefinedLater_isWatchedWithinSeconds_onceAnObjectNamesIt() throws IOException {
    clusterWithHistory(100);
    WatchTimes rarely =
        new WatchTimes(
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            Duration.ofHours(1),
            Duration.ofHours(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(4));
    KindPath<SchedulingPolicy> path = KindPath.everywhere(SchedulingPolicy.class);
    KindCache<SchedulingPolicy, SchedulingPolicy> seen = cache("SchedulingPolicy");
    WatchStatus watchStatus =
        new WatchStatus(path.resource(), true, failures::add, System::nanoTime);
    Reflector<SchedulingPolicy> reflector =
        new Reflector<>(client(config()), path, seen, watchStatus, rarely);
    opened.add(reflector::stop);
    var _ = reflector.start();
    await().atMost(SOON).until(() -> !failures.isEmpty());
    assertThat(failures.getFirst().reason()).isEqualTo(WatchFailure.NOT_FOUND);

    try (InputStream yaml = Files.newInputStream(DEFINITIONS)) {
      admin.load(yaml).serverSideApply();
    }

    admin
        .resource(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingPolicy
            metadata: {name: late}
            spec: {}
            """)
        .create();
    await()
        .atMost(SOON)
        .until(
            () -> {
              reflector.named(); // as each pod that names such an object does
              return seen.find("", "late").isPresent();
            });
  }

  private void createNamespace(String name) {
    admin
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
  }

  /** Waits for a change that no list can have reported, so that a watch must have reported it. */
  private void awaitWatching(KindCache<Namespace, Namespace> seen) {
    await().atMost(SOON).until(() -> seen.find("", "default").isPresent());
    createNamespace("comes-by-watch");
    await().atMost(SOON).until(() -> seen.find("", "comes-by-watch").isPresent());
  }

  private void deleteNamespace(String name) {
    admin.namespaces().withName(name).delete();
    await().atMost(SOON).until(() -> admin.namespaces().withName(name).get() == null);
  }

  private void grant(String user) {
    admin
        .resource(
            new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(user)
                .endMetadata()
                .addNewRule()
                .addToApiGroups("")
                .addToResources("namespaces")
                .addToVerbs("list", "watch")
                .endRule()
                .build())
        .create();
    admin
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(user)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", user)
                .addNewSubject("rbac.authorization.k8s.io", "User", user, null)
                .build())
        .create();
  }

  private void revoke(String user) {
    admin.rbac().clusterRoleBindings().withName(user).delete();
    admin.rbac().clusterRoles().withName(user).delete();
  }

  private void applyDefinitions() throws IOException {
    try (InputStream yaml = Files.newInputStream(DEFINITIONS)) {
      admin.load(yaml).serverSideApply();
    }
  }

  private void createPolicy(String name) {
    SchedulingPolicy policy = new SchedulingPolicy();
    policy.setMetadata(new ObjectMetaBuilder().withName(name).build());
    policy.setSpec(SchedulingPolicySpec.defaults());
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(admin.resource(policy).serverSideApply()).isNotNull());
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
  }

  private static List<String> reasons(List<WatchFailure> failures) {
    return failures.stream().map(WatchFailure::reason).distinct().toList();
  }

  @Test
  void watchThatHasLastedItsTime_isFollowedByAnother_andIsNoFailure() {
    clusterWithHistory(1000);
    KindCache<Namespace, Namespace> seen = cache("Namespace");
    Reflector<Namespace> reflector = reflect(client(config()), Namespace.class, seen);
    long began = System.nanoTime();

    // Three times the duration of the longest watch.
    for (int i = 0; System.nanoTime() - began < Duration.ofSeconds(8).toNanos(); i++) {
      String name = "team-" + i;
      createNamespace(name);
      await().atMost(SOON).until(() -> seen.find("", name).isPresent());
    }

    assertThat(failures).isEmpty();
    assertThat(reflector.watchStatus().watchOutage()).isEmpty();
  }

  @Test
  void rightThatIsTakenAway_isNoticedAtTheNextWatch_andTheWatchContinuesWithIt() {
    clusterWithHistory(1000);
    grant("watcher");
    KubernetesClient limited =
        client(new ConfigBuilder(config()).withImpersonateUsername("watcher").build());
    KindCache<Namespace, Namespace> seen = cache("Namespace");
    Reflector<Namespace> reflector = reflect(limited, Namespace.class, seen);
    await().atMost(SOON).until(() -> seen.find("", "default").isPresent());

    revoke("watcher");
    await().atMost(SOON).until(() -> reflector.watchStatus().watchOutage().isPresent());
    createNamespace("unseen");

    assertThat(reflector.watchStatus().watchOutage().orElseThrow().text())
        .startsWith("cannot watch namespaces: namespaces is forbidden: User \"watcher\"");
    await().atMost(SOON).until(() -> failures.size() >= 3);
    assertThat(reasons(failures)).containsExactly("403");
    assertThat(seen.find("", "unseen")).isEmpty();

    grant("watcher");
    await().atMost(SOON).until(() -> seen.find("", "unseen").isPresent());
    assertThat(reflector.watchStatus().watchOutage()).isEmpty();
  }

  @Test
  void connectionThatDiesWithoutAWord_isFoundOut_andWhatWasMissedComes() throws Exception {
    clusterWithHistory(1000);
    FaultyConnection connection = faultyConnection();
    KindCache<Namespace, Namespace> seen = cache("Namespace");
    Reflector<Namespace> reflector = reflect(through(connection), Namespace.class, seen);
    awaitWatching(seen);

    connection.silenceOpenConnections();
    createNamespace("missed");

    await().atMost(SOON).until(() -> seen.find("", "missed").isPresent());
    assertThat(reasons(failures)).contains(WatchFailure.SILENT);
    assertThat(reflector.watchStatus().watchOutage()).isEmpty();
  }

  @Test
  void networkThatIsDead_leavesTheKindUnseen_forAsLongAsItLasts() throws Exception {
    clusterWithHistory(1000);
    FaultyConnection connection = faultyConnection();
    KindCache<Namespace, Namespace> seen = cache("Namespace");
    Reflector<Namespace> reflector = reflect(through(connection), Namespace.class, seen);
    awaitWatching(seen);

    connection.goSilent();
    createNamespace("missed");

    await()
        .atMost(SOON)
        .until(
            () ->
                reflector
                    .watchStatus()
                    .watchOutage()
                    .filter(blind -> blind.lasting().compareTo(FAST.termLimit()) > 0)
                    .isPresent());
    connection.heal();
    await().atMost(SOON).until(() -> seen.find("", "missed").isPresent());
    assertThat(reflector.watchStatus().watchOutage()).isEmpty();
  }

  @Test
  void versionThatIsTooOld_isListedAgain_andWhatIsGoneMeanwhileGoes() throws Exception {
    clusterWithHistory(5);
    createNamespace("goes");
    createNamespace("is-made-again");
    FaultyConnection connection = faultyConnection();
    KindCache<Namespace, Namespace> seen = cache("Namespace");
    reflect(through(connection), Namespace.class, seen);
    await().atMost(SOON).until(() -> seen.find("", "goes").isPresent());
    String before = seen.find("", "is-made-again").orElseThrow().getMetadata().getUid();

    connection.goSilent();
    deleteNamespace("goes");
    deleteNamespace("is-made-again");
    createNamespace("is-made-again");
    for (int i = 0; i < 10; i++) {
      createNamespace("filler-" + i);
    }
    connection.heal();

    await().atMost(SOON).until(() -> seen.find("", "filler-9").isPresent());
    await().atMost(SOON).until(() -> seen.find("", "goes").isEmpty());
    assertThat(seen.find("", "is-made-again").orElseThrow().getMetadata().getUid())
        .isNotEqualTo(before);
  }

  @Test
  void kindThatIsNotServed_isAbsent_andIsSeenWhenItsDefinitionComes_goes_andComesBack()
      throws Exception {
    clusterWithHistory(1000);
    KindCache<SchedulingPolicy, SchedulingPolicy> seen = cache("SchedulingPolicy");
    Reflector<SchedulingPolicy> reflector = reflect(client(config()), SchedulingPolicy.class, seen);
    await().atMost(SOON).until(() -> failures.size() >= 2);
    assertThat(reflector.watchStatus().watchOutage()).isEmpty();

    applyDefinitions();
    createPolicy("first");
    await().atMost(SOON).until(() -> seen.find("", "first").isPresent());

    admin
        .resources(CustomResourceDefinition.class)
        .withName("schedulingpolicies.sched.cloud.ctrip.com")
        .delete();
    await().atMost(SOON).until(() -> reflector.watchStatus().watchOutage().isPresent());
    assertThat(reflector.watchStatus().watchOutage().orElseThrow().failure().reason())
        .isEqualTo("404");

    applyDefinitions();
    createPolicy("second");
    await().atMost(SOON).until(() -> seen.find("", "second").isPresent());
    assertThat(seen.find("", "first")).isEmpty();
    assertThat(reflector.watchStatus().watchOutage()).isEmpty();
  }
}
