package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The pod lifecycle over plain HTTP: creation, binding, eviction, and deletion. */
class PodLifecycleTest {
  private static final String PODS = "/api/v1/namespaces/default/pods";

  private static Sandbox sandbox;
  private static TestClient client;

  @BeforeAll
  static void start() {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    client = new TestClient(sandbox);
    client.post(
        "/api/v1/nodes",
        """
        {"metadata":{"name":"n1","labels":{"topology.kubernetes.io/zone":"z1","other":"x"}},
         "status":{"capacity":{"cpu":"4"}}}\
        """);
  }

  @AfterAll
  static void stop() {
    sandbox.close();
  }

  private static JsonNode create(String name, String spec) {
    TestClient.Reply reply =
        client.post(
            PODS,
            """
            {"metadata":{"name":"%s","labels":{"app":"%s"}},"spec":{%s"containers":[{"name":"c","image":"i"}]}}\
            """
                .formatted(name, name, spec));
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(201);
    return reply.body();
  }

  private static TestClient.Reply bind(String pod, String metadata) {
    return client.post(
        PODS + "/" + pod + "/binding",
        """
        {"metadata":{"name":"%s"%s},"target":{"kind":"Node","name":"n1"}}\
        """
            .formatted(pod, metadata));
  }

  @Test
  void aNewPodIsDefaultedAndPending() {
    JsonNode pod = create("fresh", "");

    assertThat(pod.at("/status/phase").asText()).isEqualTo("Pending");
    assertThat(pod.at("/spec/schedulerName").asText()).isEqualTo("default-scheduler");
    assertThat(pod.at("/spec/priority").isNumber()).isTrue();
    assertThat(pod.at("/metadata/uid").asText()).isNotEmpty();
    assertThat(pod.at("/metadata/generation").asInt()).isEqualTo(1);
  }

  @Test
  void generateName_isCompletedByTheServer() {
    TestClient.Reply reply =
        client.post(
            PODS,
            """
            {"metadata":{"generateName":"many-"},"spec":{"containers":[{"name":"c","image":"i"}]}}\
            """);

    assertThat(reply.body().at("/metadata/name").asText()).matches("many-[a-z0-9]{5}");
  }

  @Test
  void binding_copiesAnnotationsLabelsAndTopology() {
    create("bound", "");

    TestClient.Reply reply =
        bind("bound", ",\"annotations\":{\"gpu\":\"0\"},\"labels\":{\"l\":\"v\"}");

    assertThat(reply.code()).isEqualTo(201);
    JsonNode pod = client.get(PODS + "/bound").body();
    assertThat(pod.at("/spec/nodeName").asText()).isEqualTo("n1");
    assertThat(pod.at("/metadata/annotations/gpu").asText()).isEqualTo("0");
    assertThat(pod.at("/metadata/labels/l").asText()).isEqualTo("v");
    assertThat(pod.path("metadata").path("labels").path("topology.kubernetes.io/zone").asText())
        .isEqualTo("z1");
    assertThat(pod.path("metadata").path("labels").has("other")).isFalse();
    assertThat(pod.at("/status/conditions/0/type").asText()).isEqualTo("PodScheduled");
  }

  @Test
  void binding_twiceIsAConflict() {
    create("twice", "");
    bind("twice", "");

    TestClient.Reply again = bind("twice", "");

    assertThat(again.code()).isEqualTo(409);
    assertThat(again.body().path("message").asText())
        .isEqualTo(
            "Operation cannot be fulfilled on pods/binding \"twice\": pod twice is already assigned"
                + " to node \"n1\"");
  }

  @Test
  void binding_ofAnotherUidIsAConflict() {
    create("uid", "");

    TestClient.Reply reply = bind("uid", ",\"uid\":\"other\"");

    assertThat(reply.code()).isEqualTo(409);
    assertThat(reply.body().path("message").asText())
        .contains("Precondition failed: UID in precondition: other");
  }

  @Test
  void binding_ofAGatedPodIsAConflict() {
    create("gated", "\"schedulingGates\":[{\"name\":\"example.com/wait\"}],");

    TestClient.Reply reply = bind("gated", "");

    assertThat(reply.code()).isEqualTo(409);
    assertThat(reply.body().path("message").asText())
        .endsWith("pod gated has non-empty .spec.schedulingGates");
  }

  @Test
  void binding_ofAMissingPodIsNotFound() {
    assertThat(bind("nobody", "").code()).isEqualTo(404);
  }

  @Test
  void deletion_ofABoundPodWaitsForItsGracePeriod() {
    create("graceful", "");
    bind("graceful", "");

    client.delete(PODS + "/graceful");

    JsonNode pod = client.get(PODS + "/graceful").body();
    assertThat(pod.at("/metadata/deletionTimestamp").asText()).isNotEmpty();
    assertThat(pod.at("/metadata/deletionGracePeriodSeconds").asLong()).isEqualTo(30);
    assertThat(client.delete(PODS + "/graceful", "{\"gracePeriodSeconds\":0}").code())
        .isEqualTo(200);
    assertThat(client.get(PODS + "/graceful").code()).isEqualTo(404);
  }

  @Test
  void deletion_ofAPendingPodIsImmediate() {
    create("pending", "");

    client.delete(PODS + "/pending");

    assertThat(client.get(PODS + "/pending").code()).isEqualTo(404);
  }

  @Test
  void deletion_withAnotherUidIsAConflict() {
    create("guarded", "");

    TestClient.Reply reply =
        client.delete(PODS + "/guarded", "{\"preconditions\":{\"uid\":\"other\"}}");

    assertThat(reply.code()).isEqualTo(409);
  }

  @Test
  void deletion_waitsForFinalizers() {
    JsonNode pod = create("held", "");
    client.patch(
        PODS + "/held",
        "application/merge-patch+json",
        "{\"metadata\":{\"finalizers\":[\"example.com/hold\"]}}");

    client.delete(PODS + "/held");

    assertThat(client.get(PODS + "/held").body().at("/metadata/uid"))
        .isEqualTo(pod.at("/metadata/uid"));
    client.patch(
        PODS + "/held", "application/merge-patch+json", "{\"metadata\":{\"finalizers\":null}}");
    assertThat(client.get(PODS + "/held").code()).isEqualTo(404);
  }

  @Test
  void eviction_againstAnExhaustedBudgetIsRefusedWithItsCause() {
    create("budgeted", "");
    bind("budgeted", "");
    client.patch(
        PODS + "/budgeted/status",
        "application/merge-patch+json",
        """
        {"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}\
        """);
    String budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    client.post(
        budgets,
        """
        {"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"budgeted"}}}}\
        """);
    client.patch(
        budgets + "/b/status",
        "application/merge-patch+json",
        """
        {"status":{"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1}}\
        """);

    TestClient.Reply reply =
        client.post(
            PODS + "/budgeted/eviction",
            "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"budgeted\"}}");

    assertThat(reply.code()).isEqualTo(429);
    assertThat(reply.body().path("message").asText())
        .isEqualTo("Cannot evict pod as it would violate the pod's disruption budget.");
    assertThat(reply.body().at("/details/causes/0/reason").asText()).isEqualTo("DisruptionBudget");
    assertThat(reply.body().at("/details/causes/0/message").asText())
        .isEqualTo("The disruption budget b needs 1 healthy pods and has 1 currently");
  }

  @Test
  void spec_cannotBeChanged() {
    create("fixed", "");

    TestClient.Reply reply =
        client.patch(
            PODS + "/fixed",
            "application/merge-patch+json",
            "{\"spec\":{\"schedulerName\":\"other\"}}");

    assertThat(reply.code()).isEqualTo(422);
    assertThat(reply.body().path("message").asText())
        .contains("spec: Forbidden: pod updates may not change fields");
  }

  @Test
  void invalidAffinity_isRefusedWithTheRealServersWords() {
    TestClient.Reply reply =
        client.post(
            PODS,
            """
            {"metadata":{"name":"bad"},"spec":{"containers":[{"name":"c","image":"i"}],
             "affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[
               {"weight":101,"preference":{"matchExpressions":[{"key":"a","operator":"Is","values":["b"]}]}}]},
              "podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{}}]}},
             "topologySpreadConstraints":[
               {"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"},
               {"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"}]}}\
            """);

    assertThat(reply.code()).isEqualTo(422);
    assertThat(reply.body().path("message").asText())
        .contains("[0].weight: Invalid value: 101: must be in the range 1-100")
        .contains("[0].operator: Invalid value: \"Is\": not a valid selector operator")
        .contains("[0].topologyKey: Required value: can not be empty")
        .contains(
            "spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value:"
                + " \"{z, DoNotSchedule}\"");
  }

  @Test
  void namespace_thatIsMissingIsNotFound() {
    TestClient.Reply reply =
        client.post(
            "/api/v1/namespaces/nowhere/pods",
            "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");

    assertThat(reply.code()).isEqualTo(404);
    assertThat(reply.body().path("message").asText()).isEqualTo("namespaces \"nowhere\" not found");
  }
}
