package io.berth.demo.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.story.PoolNodes;
import io.berth.operator.BerthOptions;
import io.berth.operator.Feature;
import io.berth.operator.query.QueryApi;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The API group of queries behind a real API server: it trusts the server's front-proxy
 * certificate, and answers each user as far as the user's rights go.
 */
@Tag("real")
@EnabledIf(
    value = "serverIsStarted",
    disabledReason =
        "set KUBE_API_TEST_DIR to a folder with kube-apiserver and etcd, and not KUBECONFIG")
class RealQueryTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String POOL_SIZE = "4";

  private static RealApiServer server;
  private static BerthInstallation berth;
  private static KubernetesClient tenant;

  static boolean serverIsStarted() {
    return RealApiServer.isGiven() && System.getenv("KUBECONFIG") == null;
  }

  @BeforeAll
  static void start() throws Exception {
    server = RealApiServer.open();
    berth =
        BerthInstallation.start(
            server.admin(),
            Checkout.find(),
            BerthOptions.local("queries").withFeatures(Feature.QUERY_API));
    KubernetesClient admin = server.admin();
    QueryEndpoint.lead(admin, berth.berth().queryPort().orElseThrow());
    for (int i = 0; i < 3; i++) {
      PoolNodes.add(
          admin,
          "pool-node-" + i,
          "A",
          Map.of(
              "cpu", new Quantity(POOL_SIZE),
              "memory", new Quantity("16Gi"),
              "pods", new Quantity("110")));
    }
    apply(
        """
        apiVersion: v1
        kind: Namespace
        metadata: {name: team-a}
        ---
        apiVersion: v1
        kind: Namespace
        metadata: {name: team-b}
        ---
        apiVersion: v1
        kind: ServiceAccount
        metadata: {name: default, namespace: team-a}
        ---
        apiVersion: v1
        kind: ServiceAccount
        metadata: {name: default, namespace: team-b}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: tenant, namespace: team-a}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: berth-query-view}
        subjects: [{kind: User, name: tenant, apiGroup: rbac.authorization.k8s.io}]
        ---
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: urgent}
        value: 1000
        ---
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: usual}
        spec: {default: true}
        """);
    for (String namespace : List.of("team-a", "team-b")) {
      apply(
          """
          apiVersion: v1
          kind: Pod
          metadata: {name: %s-pod, namespace: %s}
          spec:
            schedulerName: berth
            containers: [{name: main, image: busybox, resources: {requests: {cpu: 3}}}]
          """
              .formatted(namespace, namespace));
    }
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                admin.pods().inAnyNamespace().list().getItems().stream()
                    .allMatch(pod -> pod.getSpec().getNodeName() != null));
    tenant =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(admin.getConfiguration())
                    .withImpersonateUsername("tenant")
                    .build())
            .build();
  }

  private static void apply(String yaml) throws IOException {
    try (var in = new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))) {
      server.admin().load(in).create();
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (tenant != null) {
      tenant.close();
    }
    if (berth != null) {
      berth.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private static String path(String namespace, String resource) {
    return "/apis/%s/namespaces/%s/%s".formatted(QueryApi.API_VERSION, namespace, resource);
  }

  private static JsonNode get(KubernetesClient client, String path) throws IOException {
    return JSON.readTree(client.raw(path));
  }

  private static JsonNode review(KubernetesClient client, String namespace, String spec)
      throws IOException {
    return create(client, path(namespace, "placementreviews"), "PlacementReview", spec);
  }

  private static JsonNode create(KubernetesClient client, String path, String kind, String spec)
      throws IOException {
    return JSON.readTree(
            client.raw(
                path,
                "POST",
                JSON.readTree(
                    "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"spec\":%s}"
                        .formatted(QueryApi.API_VERSION, kind, spec))))
        .path("status");
  }

  private static String pod(String cpu, String more) {
    return """
    {"pod": {"metadata": {"name": "asked"}, "spec": {"schedulerName": "berth" %s,
     "containers": [{"name": "main", "image": "busybox", "resources": {"requests": {"cpu": "%s"}}}]}}}
    """
        .formatted(more, cpu);
  }

  @Test
  void discovery_listsTheResources() throws IOException {
    JsonNode resources = get(server.admin(), "/apis/" + QueryApi.API_VERSION);

    assertThat(resources.path("resources").findValuesAsText("name"))
        .contains("decisions", "pools", "pendingreasons", "placementreviews", "policyreviews");
    assertThat(
            get(server.admin(), "/apis/" + QueryApi.GROUP)
                .path("preferredVersion")
                .path("version")
                .asText())
        .isEqualTo(QueryApi.VERSION);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(
                        get(server.admin(), "/openapi/v3")
                            .path("paths")
                            .has("apis/" + QueryApi.API_VERSION))
                    .isTrue());
  }

  @Test
  void administrator_seesDecisionsWithNodes() throws IOException {
    JsonNode list = get(server.admin(), "/apis/" + QueryApi.API_VERSION + "/decisions");

    assertThat(list.path("items").findValuesAsText("name")).contains("team-a-pod", "team-b-pod");
    JsonNode decision = get(server.admin(), path("team-a", "decisions/team-a-pod"));
    assertThat(decision.at("/status/result").asText()).isEqualTo("Placed");
    assertThat(decision.at("/status/bestNodes").findValuesAsText("node")).hasSize(3);
  }

  @Test
  void tenant_seesTheDecisionsOfItsNamespace_andNoOtherNodes() throws IOException {
    JsonNode decision = get(tenant, path("team-a", "decisions/team-a-pod"));

    assertThat(decision.at("/status/bestNodes").findValuesAsText("node"))
        .containsExactly(decision.at("/status/node").asText());
    assertThat(get(tenant, path("team-a", "decisions")).path("items")).hasSize(1);
    assertForbidden(() -> get(tenant, path("team-b", "decisions/team-b-pod")));
    assertForbidden(() -> get(tenant, path("team-b", "decisions")));
    assertForbidden(() -> get(tenant, "/apis/" + QueryApi.API_VERSION + "/decisions"));
    assertForbidden(() -> review(tenant, "team-b", pod("1", "")));
  }

  private static void assertForbidden(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(403));
  }

  @Test
  void review_saysWhereAPodWouldGo_andCreatesNothing() throws IOException {
    JsonNode status = review(server.admin(), "team-a", pod("2", ""));

    assertThat(status.path("result").asText()).as(status.toPrettyString()).isEqualTo("Fits");
    assertThat(status.at("/nodes/0/name").asText()).startsWith("pool-node-");
    assertThat(server.admin().pods().inNamespace("team-a").list().getItems()).hasSize(1);
  }

  @Test
  void review_saysWhatIsMissing_andWhatWouldHelp() throws IOException {
    JsonNode status = review(server.admin(), "team-a", pod("6", ""));

    assertThat(status.path("result").asText()).isEqualTo("DoesNotFit");
    JsonNode reason = status.at("/notPlacedBecause/reasons/0");
    assertThat(reason.path("code").asText()).isEqualTo("InsufficientResource");
    assertThat(reason.path("wanted").asText()).isEqualTo("6");
    assertThat(reason.path("free").asText()).isEqualTo(POOL_SIZE);
    assertThat(status.path("changes").findValuesAsText("to")).contains(POOL_SIZE);
  }

  /** Every text of every answer to a tenant is free of what the tenant may not see. */
  @Test
  void answersToATenant_nameNoNodes_andNoPodsOfOtherNamespaces() throws IOException {
    String urgent = ", \"priorityClassName\": \"urgent\"";
    for (JsonNode status :
        List.of(
            review(tenant, "team-a", pod("1", "")),
            review(tenant, "team-a", pod("4", "")),
            review(tenant, "team-a", pod("6", "")),
            review(tenant, "team-a", "{\"podName\": \"team-a-pod\"}"),
            review(tenant, "team-a", pod("4", urgent).replace("}}\n", "}, \"replicas\": 3}\n")),
            review(
                tenant, "team-a", pod("1", "").replace("}}\n", "}, \"replicas\": \"Max\"}\n")))) {
      assertThat(status.toString()).doesNotContain("pool-node", "team-b");
    }
    JsonNode evicting =
        review(tenant, "team-a", pod("4", urgent).replace("}}\n", "}, \"replicas\": 3}\n"));
    assertThat(evicting.at("/evictions/pods").asInt()).as(evicting.toPrettyString()).isEqualTo(2);
    assertThat(evicting.at("/evictions/ofOtherNamespaces").asInt()).isEqualTo(1);
    assertThat(evicting.at("/evictions/names/0").asText()).isEqualTo("team-a-pod");
    assertForbidden(
        () ->
            review(
                tenant,
                "team-a",
                pod("1", "").replace("}}\n", "}, \"nodes\": {\"drain\": [\"pool-node-0\"]}}\n")));
  }

  @Test
  void policyReview_saysWhatAPolicyWouldChange_asFarAsTheUserMaySee() throws IOException {
    String notAllowed =
        """
        {"policy": {"name": "usual", "spec": {"default": true,
         "allowedNamespaces": {"names": ["elsewhere"]}}}}
        """;
    String all = "/apis/" + QueryApi.API_VERSION + "/policyreviews";
    JsonNode status = create(server.admin(), all, "PolicyReview", notAllowed);
    assertThat(status.path("denied").asInt()).as(status.toPrettyString()).isEqualTo(2);

    JsonNode own =
        create(tenant, path("team-a", "localpolicyreviews"), "LocalPolicyReview", notAllowed);
    assertThat(own.path("result").asText()).isEqualTo("PodsRejected");
    assertThat(own.at("/changes/0/name").asText()).isEqualTo("team-a-pod");
    assertThat(own.toString()).doesNotContain("team-b");
    assertForbidden(() -> create(tenant, all, "PolicyReview", notAllowed));
    assertForbidden(
        () ->
            create(tenant, path("team-b", "localpolicyreviews"), "LocalPolicyReview", notAllowed));
  }

  @Test
  void reviewOfABinding_rendersThePodsFromTheirTemplates() throws IOException {
    apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: NodeSchedulerConfig
        metadata: {name: pool-b}
        spec:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchExpressions: [{key: cloud.ctrip.com/pool, operator: In, values: [B]}]
        ---
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: db, namespace: team-a}
        spec:
          replicas: 1
          serviceName: db
          selector: {matchLabels: {app: db}}
          template:
            metadata: {labels: {app: db}}
            spec: {schedulerName: berth, containers: [{name: main, image: busybox}]}
        """);
    String uid =
        server
            .admin()
            .apps()
            .statefulSets()
            .inNamespace("team-a")
            .withName("db")
            .get()
            .getMetadata()
            .getUid();
    apply(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: db-0
          namespace: team-a
          labels: {app: db}
          ownerReferences:
          - {apiVersion: apps/v1, kind: StatefulSet, name: db, uid: %s, controller: true}
        spec: {schedulerName: berth, containers: [{name: main, image: busybox}]}
        """
            .formatted(uid));
    try {
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                JsonNode status =
                    create(
                        tenant,
                        path("team-a", "localpolicyreviews"),
                        "LocalPolicyReview",
                        """
                        {"schedulerConfigBinding": {"name": "all", "spec": {
                          "nodeConfigs": [{"name": "pool-b"}]}}}
                        """);
                assertThat(status.path("fitNowhere").asInt())
                    .as(status.toPrettyString())
                    .isEqualTo(2);
                assertThat(status.path("changes").findValuesAsText("name"))
                    .containsExactly("db-0", "team-a-pod");
                assertThat(status.has("unknownOrigin")).isFalse();
              });
    } finally {
      server.admin().pods().inNamespace("team-a").withName("db-0").withGracePeriod(0).delete();
      await()
          .atMost(PATIENCE)
          .until(() -> server.admin().pods().inNamespace("team-a").withName("db-0").get() == null);
    }
  }

  @Test
  void verdictAboutANode_isForThePodsOwnNode_unlessTheUserMayListNodes() throws IOException {
    String own = get(tenant, path("team-a", "decisions/team-a-pod")).at("/status/node").asText();
    String verdict = path("team-a", "decisions/team-a-pod/nodes/");

    assertThat(get(tenant, verdict + own).at("/status/result").asText()).isEqualTo("Fits");
    for (int i = 0; i < 3; i++) {
      String node = "pool-node-" + i;
      assertThat(get(server.admin(), verdict + node).at("/status/filters")).isNotEmpty();
      if (!node.equals(own)) {
        assertForbidden(() -> get(tenant, verdict + node));
      }
    }
  }

  @Test
  void poolsAndPendingReasons_areForUsersWhoMaySeeTheCluster() throws IOException {
    JsonNode pools = get(server.admin(), "/apis/" + QueryApi.API_VERSION + "/pools");

    assertThat(pools.at("/items/0/metadata/name").asText()).isEqualTo("A");
    assertThat(pools.at("/items/0/status/nodes").asInt()).isEqualTo(3);
    assertThat(pools.at("/items/0/status/largestShape/cpu").asText()).isEqualTo(POOL_SIZE);
    assertForbidden(() -> get(tenant, "/apis/" + QueryApi.API_VERSION + "/pools"));
    assertForbidden(() -> get(tenant, "/apis/" + QueryApi.API_VERSION + "/pendingreasons"));
  }

  @Test
  void drainedNode_placesItsPodsElsewhere() throws IOException {
    String node =
        server
            .admin()
            .pods()
            .inNamespace("team-a")
            .withName("team-a-pod")
            .get()
            .getSpec()
            .getNodeName();
    JsonNode status =
        review(
            server.admin(),
            "team-a",
            pod("100m", "").replace("}}\n", "}, \"nodes\": {\"drain\": [\"" + node + "\"]}}\n"));

    assertThat(status.at("/displacedPods/pods").asInt()).as(status.toPrettyString()).isEqualTo(1);
    assertThat(status.at("/displacedPods/placed").asInt()).isEqualTo(1);
    assertThat(status.path("nodes").findValuesAsText("name")).doesNotContain(node);
  }
}
