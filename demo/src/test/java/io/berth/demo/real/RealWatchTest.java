package io.berth.demo.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.story.PoolNodes;
import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.Feature;
import io.berth.operator.leader.LeaseTimes;
import io.berth.operator.query.QueryApi;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * The API group of queries with two replicas and kubectl, through a real API server: a replica that
 * does not lead answers watches, and reviews for the leader.
 */
@Tag("real")
@EnabledIf(
    value = "kubectlIsThere",
    disabledReason =
        "set KUBE_API_TEST_DIR to a folder with kube-apiserver, etcd, and kubectl, and not"
            + " KUBECONFIG")
class RealWatchTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;
  private RealApiServer server;
  private BerthInstallation leader;
  private KubernetesClient berths;
  private Berth standby;
  private RealKubectl kubectl;

  static boolean kubectlIsThere() {
    return RealKubectl.binary().isPresent() && System.getenv("KUBECONFIG") == null;
  }

  @BeforeEach
  void start() throws Exception {
    server = RealApiServer.open();
    KubernetesClient admin = server.admin();
    leader = BerthInstallation.start(admin, Checkout.find(), options("leader"));
    berths = BerthInstallation.clientOfBerth(admin);
    standby = Berth.start(options("standby"), berths);
    QueryEndpoint.lead(admin, standby.queryPort().orElseThrow());
    kubectl = RealKubectl.of(admin, folder);
    PoolNodes.add(
        admin,
        "pool-node",
        "A",
        Map.of(
            "cpu", new Quantity("4"), "memory", new Quantity("16Gi"), "pods", new Quantity("110")));
    for (String namespace : List.of("team-a", "team-b")) {
      apply(
          """
          apiVersion: v1
          kind: Namespace
          metadata: {name: %1$s}
          ---
          apiVersion: v1
          kind: ServiceAccount
          metadata: {name: default, namespace: %1$s}
          ---
          apiVersion: rbac.authorization.k8s.io/v1
          kind: RoleBinding
          metadata: {name: tenant, namespace: %1$s}
          roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: berth-query-view}
          subjects: [{kind: User, name: of-%1$s, apiGroup: rbac.authorization.k8s.io}]
          """
              .formatted(namespace));
    }
    create("team-a", "first", "1");
    awaitDecision("team-a", "first");
  }

  private static BerthOptions options(String identity) {
    return BerthOptions.local(identity)
        .withHttp(0, true)
        .withFeatures(Feature.QUERY_API)
        .withLeaderElection(LeaseTimes.defaults());
  }

  private void apply(String yaml) throws IOException {
    try (var in = new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))) {
      server.admin().load(in).create();
    }
  }

  private void create(String namespace, String pod, String cpu) throws IOException {
    apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: %s, namespace: %s}
        spec:
          schedulerName: berth
          containers: [{name: main, image: busybox, resources: {requests: {cpu: %s}}}]
        """
            .formatted(pod, namespace, cpu));
  }

  private void awaitDecision(String namespace, String pod) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(server.admin().raw(path(namespace) + "/" + pod))
                    .contains("\"outcome\":\"bound\""));
  }

  private static String path(String namespace) {
    return "/apis/%s/namespaces/%s/decisions".formatted(QueryApi.API_VERSION, namespace);
  }

  @AfterEach
  void stop() throws IOException {
    if (kubectl != null) {
      kubectl.close();
    }
    if (standby != null) {
      standby.close();
    }
    if (berths != null) {
      berths.close();
    }
    if (leader != null) {
      leader.close();
    }
    if (server != null) {
      server.close();
    }
  }

  /** Returns the first words of the lines, without those that repeat the line before. */
  private static List<String> firstWords(List<String> lines) {
    List<String> words = new ArrayList<>();
    for (String line : lines) {
      String word = line.split("\\s+", 2)[0];
      if (words.isEmpty() || !words.getLast().equals(word)) {
        words.add(word);
      }
    }
    return words;
  }

  private static List<String> cells(String line) {
    return Arrays.asList(line.split("\\s{2,}"));
  }

  @Test
  void kubectl_watchesDecisions_asTablesAndAsObjects() throws Exception {
    RealKubectl.Running rows = kubectl.start("get", "decisions", "-n", "team-a", "-w");
    RealKubectl.Running one = kubectl.start("get", "decisions", "first", "-n", "team-a", "-w");
    RealKubectl.Running pending =
        kubectl.start(
            "get",
            "decisions",
            "-A",
            "--watch",
            "--output-watch-events",
            "--field-selector",
            "status.result=Unschedulable");
    RealKubectl.Running names =
        kubectl.start("get", "decisions", "-n", "team-a", "-w", "-o", "name", "--as", "of-team-a");
    RealKubectl.Running pools = kubectl.start("get", "pools", "-w");
    RealKubectl.Running reasons = kubectl.start("get", "pendingreasons", "-w");
    rows.await(lines -> firstWords(lines).equals(List.of("NAME", "first")));
    names.await(lines -> lines.contains("decision.query.sched.cloud.ctrip.com/first"));
    one.await(lines -> firstWords(lines).equals(List.of("NAME", "first")));
    pools.await(lines -> firstWords(lines).equals(List.of("NAME", "A")));

    create("team-b", "large", "3500m");
    pending.await(lines -> lines.stream().anyMatch(line -> line.contains("large")));
    reasons.await(lines -> lines.stream().anyMatch(line -> line.startsWith("insufficient-cpu")));
    create("team-a", "second", "1");

    rows.await(lines -> firstWords(lines).equals(List.of("NAME", "first", "second")));
    assertThat(cells(rows.lines().getLast()).subList(0, 4))
        .containsExactly("second", "Placed", "pool-node", "1");
    assertThat(firstWords(one.lines()))
        .as("one decision alone")
        .isEqualTo(List.of("NAME", "first"));
    names.await(lines -> lines.contains("decision.query.sched.cloud.ctrip.com/second"));
    assertThat(names.lines()).noneMatch(line -> line.contains("large"));
    pools.await(lines -> lines.stream().anyMatch(line -> cells(line).contains("2")));

    server.admin().pods().inNamespace("team-a").withName("first").withGracePeriod(0).delete();
    server.admin().pods().inNamespace("team-a").withName("second").withGracePeriod(0).delete();
    pending.await(
        lines -> lines.stream().anyMatch(line -> line.matches("DELETED\\s+team-b\\s+large.*")));
    reasons.await(lines -> lines.size() >= 2);
  }

  @Test
  void tenant_watchesItsNamespaceAlone() throws Exception {
    RealKubectl.Running other =
        kubectl.start("get", "decisions", "-n", "team-b", "-w", "--as", "of-team-a");
    RealKubectl.Running all = kubectl.start("get", "decisions", "-A", "-w", "--as", "of-team-a");
    RealKubectl.Running pools = kubectl.start("get", "pools", "-w", "--as", "of-team-a");
    for (RealKubectl.Running refused : List.of(other, all, pools)) {
      assertThat(refused.end()).isEqualTo(1);
      assertThat(refused.lines()).singleElement().asString().contains("Forbidden");
    }
  }

  @Test
  void watch_endsWithTheLeader_andTheListOfTheNextOneBeginsAgain() throws Exception {
    RealKubectl.Running rows = kubectl.start("get", "decisions", "-n", "team-a", "-w");
    rows.await(lines -> firstWords(lines).equals(List.of("NAME", "first")));

    leader.close();
    leader = null;

    rows.end();
    assertThat(rows.lines()).anyMatch(line -> line.contains("of another leader"));
    await().atMost(PATIENCE).until(standby::isLeading);
    RealKubectl.Running next = kubectl.start("get", "decisions", "-n", "team-a", "-w");
    create("team-a", "third", "1");
    next.await(lines -> firstWords(lines).equals(List.of("NAME", "third")));
  }

  @Test
  void standby_answersReviewsOfSeveralPods_thatReachTheLeader() throws Exception {
    QueryEndpoint.lead(server.admin(), leader.berth().queryPort().orElseThrow());
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(placedOf(3)).containsExactly("3");
              assertThat(metrics())
                  .containsPattern(
                      "berth_query_reviews_forwarded_total\\{result=\"answered\"} [1-9]");
            });

    standby.close();
    standby = null;
    assertThat(placedOf(2)).as("the leader answers").containsExactly("2");
  }

  /** Returns what kubectl prints about how many pods of a review would be placed. */
  private List<String> placedOf(int replicas) throws IOException, InterruptedException {
    RealKubectl.Running review =
        kubectl.start(
            "create",
            "-f",
            review(replicas).toString(),
            "-o",
            "jsonpath={.status.placed}",
            "--as",
            "of-team-a");
    assertThat(review.end()).as(review.lines().toString()).isZero();
    return review.lines();
  }

  /** Writes a review of pods that fit. */
  private Path review(int replicas) throws IOException {
    return Files.writeString(
        folder.resolve("review.yaml"),
        """
        apiVersion: %s
        kind: PlacementReview
        metadata: {namespace: team-a}
        spec:
          replicas: %d
          pod:
            spec:
              schedulerName: berth
              containers: [{name: main, image: busybox, resources: {requests: {cpu: 500m}}}]
        """
            .formatted(QueryApi.API_VERSION, replicas));
  }

  private String metrics() throws IOException {
    try (InputStream page =
        URI.create("http://127.0.0.1:" + leader.berth().httpPort() + "/metrics")
            .toURL()
            .openStream()) {
      return new String(page.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void informer_followsDecisions() throws Exception {
    try (SharedIndexInformer<GenericKubernetesResource> informer =
        server
            .admin()
            .genericKubernetesResources(
                new ResourceDefinitionContext.Builder()
                    .withGroup(QueryApi.GROUP)
                    .withVersion(QueryApi.VERSION)
                    .withKind("Decision")
                    .withPlural("decisions")
                    .withNamespaced(true)
                    .build())
            .inNamespace("team-a")
            .inform()) {
      assertThat(informer.getStore().listKeys()).containsExactly("team-a/first");
      create("team-a", "second", "1");
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  informer.getStore().listKeys().size() == 2
                      && informer.getStore().getByKey("team-a/second") != null);
      assertThat(informer.lastSyncResourceVersion()).isNotEmpty();
    }
  }

  @Test
  void watch_honoursItsOptions() throws Exception {
    RealKubectl.Running initial =
        kubectl.start(
            "get",
            "--raw",
            path("team-a")
                + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                + "&allowWatchBookmarks=true&timeoutSeconds=2");
    assertThat(initial.end()).isZero();
    List<JsonNode> events = new ArrayList<>();
    for (String line : initial.lines()) {
      events.add(JSON.readTree(line));
    }
    assertThat(events)
        .extracting(event -> event.path("type").asText())
        .containsExactly("ADDED", "BOOKMARK", "BOOKMARK");
    assertThat(events.get(1).at("/object/metadata/annotations/k8s.io~1initial-events-end").asText())
        .isEqualTo("true");
    assertThat(events.get(2).at("/object/metadata/annotations").isMissingNode()).isTrue();

    RealKubectl.Running old =
        kubectl.start("get", "--raw", path("team-a") + "?watch=1&resourceVersion=1");
    assertThat(old.end()).isEqualTo(1);
    assertThat(old.lines().getLast()).contains("too old");
  }
}
