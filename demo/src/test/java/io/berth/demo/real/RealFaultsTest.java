package io.berth.demo.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.berth.crds.Annotations;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.ground.OnRealApiServer;
import io.berth.operator.BerthOptions;
import io.berth.operator.Feature;
import io.berth.operator.feed.WatchTimes;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Operational faults and mistakes of tenants, on a real API server. */
@OnRealApiServer
class RealFaultsTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String WEBHOOKS = "berth";
  private static final List<String> FILLERS = List.of("filler-0", "filler-1", "filler-2");

  /** The API server's limit for the total size of all annotations, keys and values, in bytes. */
  private static final int MOST_ANNOTATION_BYTES = 262_144;

  private static final WatchTimes SHORT_WATCHES =
      new WatchTimes(
          Duration.ofSeconds(2),
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofMillis(200),
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          Duration.ofMinutes(10));

  private static RealApiServer server;
  private static StoryGround ground;
  private static BerthInstallation berth;

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

  @BeforeAll
  static void start() throws Exception {
    server = RealApiServer.open();
    ground = StoryGround.prepare(server.admin(), Checkout.find());
    berth =
        BerthInstallation.start(
            server.admin(),
            Checkout.find(),
            BerthOptions.local("faults")
                .withHttp(0, true)
                .withWatchTimes(SHORT_WATCHES)
                .withFeatures(Feature.WEBHOOK_RESTORE));
    server
        .admin()
        .resource(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingPolicy
            metadata: {name: faults}
            spec: {}
            """)
        .create();
  }

  @AfterAll
  static void stop() throws Exception {
    berth.close();
    ground.close();
    server.close();
  }

  @BeforeEach
  void listen() {
    log.start();
    root.addAppender(log);
  }

  @AfterEach
  void stopListening() {
    root.detachAppender(log);
    server.admin().pods().inNamespace(ground.namespace()).list().getItems().forEach(this::remove);
  }

  private void remove(Pod pod) {
    var found = server.admin().pods().inNamespace(ground.namespace()).withName(name(pod));
    found.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\": {\"finalizers\": null}}");
    found.withGracePeriod(0).delete();
  }

  private static String name(Pod pod) {
    return pod.getMetadata().getName();
  }

  private static PodBuilder pod(String name, String cpu) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(ground.namespace())
        .withName(name)
        .addToAnnotations(Annotations.POLICY, "faults")
        .endMetadata()
        .withNewSpec()
        .addToNodeSelector("cloud.ctrip.com/pool", "A")
        .withTerminationGracePeriodSeconds(0L)
        .addNewContainer()
        .withName("main")
        .withImage("busybox:1.37")
        .withNewResources()
        .addToRequests(Map.of("cpu", new Quantity(cpu)))
        .endResources()
        .endContainer()
        .endSpec();
  }

  private static Pod create(PodBuilder pod) {
    return server.admin().resource(pod.build()).create();
  }

  private static Pod get(String name) {
    return server.admin().pods().inNamespace(ground.namespace()).withName(name).get();
  }

  private static boolean isBound(String name) {
    return get(name).getSpec().getNodeName() != null;
  }

  /** Removes rules from Berth's ClusterRole and returns an action that restores them. */
  private static Runnable withhold(Predicate<PolicyRule> taken) {
    var roles = server.admin().rbac().clusterRoles().withName("berth");
    ClusterRole before = roles.get();
    List<PolicyRule> left = new ArrayList<>(before.getRules());
    assertThat(left.removeIf(taken)).as("the permission was granted before").isTrue();
    setRules(left);
    return () -> setRules(before.getRules());
  }

  private static void setRules(List<PolicyRule> rules) {
    server
        .admin()
        .rbac()
        .clusterRoles()
        .withName("berth")
        .edit(
            role -> {
              role.setRules(rules);
              return role;
            });
  }

  private List<String> logged(String words) {
    return List.copyOf(log.list).stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(message -> message.contains(words))
        .toList();
  }

  @Test
  void configurationThatIsDeletedOrAppliedAgain_isBackWithItsBundle() {
    String bundle = bundle();
    assertThat(bundle).isNotEmpty();
    MutatingWebhookConfiguration applied = configuration();
    applied.getMetadata().setResourceVersion(null);
    applied.getMetadata().setUid(null);
    applied.getWebhooks().forEach(hook -> hook.getClientConfig().setCaBundle(null));

    for (int i = 0; i < 3; i++) {
      long deleted = System.nanoTime();
      server.admin().resource(applied).delete();
      awaitBundle(bundle);
      report("deleted", deleted);

      long replaced = System.nanoTime();
      server.admin().resource(applied).delete();
      server.admin().resource(applied).create();
      awaitBundle(bundle);
      report("deleted and applied again", replaced);
    }
    assertThat(berth.berth().problems()).as("Berth stays ready").isEmpty();
  }

  private static void report(String what, long since) {
    System.out.printf(
        "A webhook configuration that was %s had its caBundle restored after %d ms%n",
        what, Duration.ofNanos(System.nanoTime() - since).toMillis());
  }

  private static MutatingWebhookConfiguration configuration() {
    return server.admin().resources(MutatingWebhookConfiguration.class).withName(WEBHOOKS).get();
  }

  private static String bundle() {
    MutatingWebhookConfiguration found = configuration();
    return found == null
        ? ""
        : String.valueOf(found.getWebhooks().getFirst().getClientConfig().getCaBundle());
  }

  private static void awaitBundle(String bundle) {
    await().atMost(SOON).pollInterval(Duration.ofMillis(50)).until(() -> bundle().equals(bundle));
  }

  @Test
  void rightToWatchThatIsTakenAway_showsInReadinessAndLog() {
    Runnable giveBack = withhold(rule -> rule.getResources().contains("nodes"));
    try {
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(berth.berth().problems().values())
                      .anyMatch(problem -> problem.contains("cannot watch nodes")));
      assertThat(logged("nodes is forbidden")).isNotEmpty();
    } finally {
      giveBack.run();
    }
    await().atMost(SOON).until(() -> berth.berth().problems().isEmpty());
  }

  @Test
  void rightToBindThatIsTakenAway_isSaidOnce_andPodsAreBoundWhenItIsBack() {
    Runnable giveBack = withhold(rule -> rule.getResources().contains("pods/binding"));
    try {
      for (int i = 0; i < 10; i++) {
        create(pod("unbound-" + i, "100m"));
      }
      await().atMost(SOON).until(() -> !logged("pods/binding").isEmpty());
      await()
          .atMost(SOON)
          .until(
              () ->
                  server
                          .admin()
                          .v1()
                          .events()
                          .inNamespace(ground.namespace())
                          .withField("reason", "FailedScheduling")
                          .list()
                          .getItems()
                          .stream()
                          .map(event -> event.getInvolvedObject().getName())
                          .filter(name -> name.startsWith("unbound-"))
                          .distinct()
                          .count()
                      == 10);
      assertThat(logged("pods/binding")).hasSize(1);
    } finally {
      giveBack.run();
    }
    for (int i = 0; i < 10; i++) {
      String name = "unbound-" + i;
      await().atMost(SOON).until(() -> isBound(name));
    }
  }

  @Test
  void policyThatIsNoName_isDenied() {
    PodBuilder forged =
        pod("forged", "1")
            .editMetadata()
            .addToAnnotations(Annotations.POLICY, "?watch=true")
            .endMetadata();

    assertThatThrownBy(() -> create(forged))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("BERTH-1612");
  }

  @Test
  void podWithNearlyAllTheAnnotationsThatThereMayBe_isCreatedAndBound() {
    PodBuilder small = pod("large", "1");
    int already =
        small.buildMetadata().getAnnotations().entrySet().stream()
            .mapToInt(entry -> entry.getKey().length() + entry.getValue().length())
            .sum();
    String key = "example.com/notes";
    String value = "x".repeat(MOST_ANNOTATION_BYTES - already - key.length() - 20);

    create(small.editMetadata().addToAnnotations(key, value).endMetadata());

    await().atMost(SOON).until(() -> isBound("large"));
    assertThat(get("large").getMetadata().getAnnotations()).doesNotContainKey(Annotations.APPLIED);
  }

  @Test
  void preemptorWhoseVictimIsHeldByAFinalizer_takesRoomThatBecomesFreeElsewhere() {
    withImportantClass(
        important -> {
          fill(filler -> filler.editMetadata().addToFinalizers("example.com/held").endMetadata());
          create(pod("important", "4").editSpec().withPriorityClassName(important).endSpec());
          await().atMost(SOON).until(() -> FILLERS.stream().anyMatch(RealFaultsTest::isEnding));

          Pod other =
              get(FILLERS.stream().filter(name -> !isEnding(name)).findFirst().orElseThrow());
          remove(other);

          awaitOn("important", other.getSpec().getNodeName());
          assertThat(FILLERS.stream().filter(name -> get(name) != null && isEnding(name)))
              .as("the victim is still held by its finalizer")
              .hasSize(1);
        });
  }

  @Test
  void preemptorWhoseVictimMayNotBeDeleted_takesRoomThatBecomesFreeElsewhere() {
    withImportantClass(
        important -> {
          try (AutoCloseable _ = refuseDeletions()) {
            fill(filler -> filler.editMetadata().addToLabels("keep", "yes").endMetadata());
            awaitThatDeletions(false, get(FILLERS.getFirst()));
            create(pod("important", "4").editSpec().withPriorityClassName(important).endSpec());
            // Before the preemptor has tried all of them, it may choose the one that is freed. The
            // refusals of a minute are one line of the log.
            await()
                .pollDelay(Duration.ofSeconds(1))
                .atMost(SOON)
                .until(() -> FILLERS.stream().noneMatch(name -> logged(name + "] on ").isEmpty()));
            assertThat(logged("keep=yes pods are kept")).hasSize(1);

            Pod freed = get(FILLERS.getLast());
            allowDeletion(freed);
            remove(freed);

            awaitOn("important", freed.getSpec().getNodeName());
            assertThat(FILLERS.subList(0, 2)).noneMatch(RealFaultsTest::isEnding);
          }
          awaitThatDeletions(true, get(FILLERS.getFirst()));
        });
  }

  private interface Step {
    void with(String priorityClass) throws Exception;
  }

  private static void withImportantClass(Step step) {
    String important = ground.namespace() + "-important";
    server
        .admin()
        .resource(
            new PriorityClassBuilder()
                .withNewMetadata()
                .withName(important)
                .endMetadata()
                .withValue(1000)
                .build())
        .create();
    try {
      step.with(important);
    } catch (Exception e) {
      throw new AssertionError(e);
    } finally {
      server.admin().scheduling().v1().priorityClasses().withName(important).delete();
    }
  }

  /** Fills each of the three nodes with one pod. */
  private static void fill(UnaryOperator<PodBuilder> change) {
    for (String name : FILLERS) {
      create(change.apply(pod(name, "4")));
      await().atMost(SOON).until(() -> isBound(name));
    }
  }

  private static void awaitOn(String pod, String node) {
    await().atMost(SOON).until(() -> isBound(pod));
    assertThat(get(pod).getSpec().getNodeName()).isEqualTo(node);
  }

  /**
   * Makes the API server reject deletions of pods with the label {@code keep=yes} until the result
   * is closed.
   */
  private static AutoCloseable refuseDeletions() {
    var kept =
        server
            .admin()
            .load(
                new ByteArrayInputStream(
                    """
                    apiVersion: admissionregistration.k8s.io/v1
                    kind: ValidatingAdmissionPolicy
                    metadata: {name: %1$s-kept}
                    spec:
                      matchConstraints:
                        resourceRules:
                        - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [DELETE]}
                        objectSelector: {matchLabels: {keep: "yes"}}
                      validations:
                      - {expression: "false", message: keep=yes pods are kept}
                    ---
                    apiVersion: admissionregistration.k8s.io/v1
                    kind: ValidatingAdmissionPolicyBinding
                    metadata: {name: %1$s-kept}
                    spec: {policyName: %1$s-kept, validationActions: [Deny]}
                    """
                        .formatted(ground.namespace())
                        .getBytes(StandardCharsets.UTF_8)));
    kept.serverSideApply();
    return kept::delete;
  }

  /**
   * Waits until deletions are allowed or rejected. The API server starts and stops enforcing a
   * policy only after its own watch has observed the change.
   */
  private static void awaitThatDeletions(boolean mayBe, Pod pod) {
    await()
        .atMost(SOON)
        .until(
            () -> {
              try {
                server.admin().pods().resource(pod).dryRun().withGracePeriod(0).delete();
                return mayBe;
              } catch (KubernetesClientException refused) {
                return !mayBe && refused.getMessage().contains("are kept");
              }
            });
  }

  private static void allowDeletion(Pod pod) {
    server
        .admin()
        .pods()
        .inNamespace(ground.namespace())
        .withName(name(pod))
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"keep\": null}}}");
  }

  private static boolean isEnding(String name) {
    return get(name).getMetadata().getDeletionTimestamp() != null;
  }
}
