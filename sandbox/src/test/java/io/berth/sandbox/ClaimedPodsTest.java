package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.kubelet.KubeletOptions;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pods with resource claims: their claims are made from templates, reserved, and released. */
class ClaimedPodsTest {
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
  private static final Duration SOON = Duration.ofSeconds(20);

  private static Sandbox sandbox;
  private static SimulatedCluster cluster;
  private static TestClient client;

  @BeforeAll
  static void start() {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    cluster = SimulatedCluster.start(sandbox.api(), KubeletOptions.immediate(), Clock.systemUTC());
    cluster.addPool("A", 1, Map.of("cpu", "4", "memory", "8Gi", "pods", "10"));
    client = new TestClient(sandbox);
    client.post(
        "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
        """
        {"metadata":{"name":"one"},"spec":{"spec":{"devices":{"requests":[
          {"name":"r","exactly":{"deviceClassName":"c"}}]}}}}\
        """);
  }

  @AfterAll
  static void stop() {
    cluster.close();
    sandbox.close();
  }

  private static JsonNode create(String name, String claim) {
    TestClient.Reply reply =
        client.post(
            PODS,
            """
            {"metadata":{"name":"%s"},"spec":{
              "resourceClaims":[{"name":"gpu",%s}],
              "containers":[{"name":"c","image":"i","resources":{"claims":[{"name":"gpu"}]}}]}}\
            """
                .formatted(name, claim));
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(201);
    return reply.body();
  }

  private static void bind(String pod) {
    client.post(
        PODS + "/" + pod + "/binding",
        """
        {"metadata":{"name":"%s"},"target":{"kind":"Node","name":"node-a-0"}}\
        """
            .formatted(pod));
  }

  private static String phase(String pod) {
    return client.get(PODS + "/" + pod).body().at("/status/phase").asText();
  }

  private static void reserve(String claim, JsonNode pod) {
    TestClient.Reply reply =
        client.patch(
            CLAIMS + "/" + claim + "/status",
            "application/merge-patch+json",
            """
            {"status":{"allocation":{"devices":{"results":[
              {"request":"r","driver":"d","pool":"p","device":"gpu-0"}]}},
             "reservedFor":[{"resource":"pods","name":"%s","uid":"%s"}]}}\
            """
                .formatted(pod.at("/metadata/name").asText(), pod.at("/metadata/uid").asText()));
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(200);
  }

  @Test
  void podOfATemplate_getsItsClaim_andStartsWhenTheClaimIsReservedForIt() {
    JsonNode pod = create("templated", "\"resourceClaimTemplateName\":\"one\"");
    String statuses = "/status/resourceClaimStatuses/0/resourceClaimName";
    await()
        .atMost(SOON)
        .until(() -> client.get(PODS + "/templated").body().at(statuses).isTextual());
    String claim = client.get(PODS + "/templated").body().at(statuses).asText();

    bind("templated");
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(client.get("/api/v1/namespaces/default/events").body().toString())
                    .contains("FailedPrepareDynamicResources")
                    .contains("is not allowed to use ResourceClaim " + claim));
    assertThat(phase("templated")).isEqualTo("Pending");

    reserve(claim, pod);
    await().atMost(SOON).until(() -> phase("templated").equals("Running"));

    client.delete(PODS + "/templated?gracePeriodSeconds=0");
    await().atMost(SOON).until(() -> client.get(CLAIMS + "/" + claim).code() == 404);
  }

  @Test
  void podWhoseStatusSaysThatNoClaimIsNeeded_starts() {
    create("unclaimed", "\"resourceClaimTemplateName\":\"none\"");
    client.patch(
        PODS + "/unclaimed/status",
        "application/merge-patch+json",
        "{\"status\":{\"resourceClaimStatuses\":[{\"name\":\"gpu\"}]}}");

    bind("unclaimed");

    await().atMost(SOON).until(() -> phase("unclaimed").equals("Running"));
  }

  @Test
  void claimThatIsNotThere_keepsThePodFromStarting() {
    create("lost", "\"resourceClaimName\":\"missing\"");

    bind("lost");

    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(client.get("/api/v1/namespaces/default/events").body().toString())
                    .contains("resourceclaims.resource.k8s.io \\\"missing\\\" not found"));
    assertThat(phase("lost")).isEqualTo("Pending");
  }
}
