package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.release.KubernetesVersion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PodGroups of a server that emulates Kubernetes 1.37. */
class PodGroupsTest {
  private static final String GROUPS =
      "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";
  private static final String MERGE = "application/merge-patch+json";

  private Sandbox sandbox;
  private TestClient client;

  @BeforeEach
  void start() {
    sandbox = Sandbox.start(SandboxOptions.defaults().withVersion(KubernetesVersion.V1_37));
    client = new TestClient(sandbox);
  }

  @AfterEach
  void stop() {
    sandbox.close();
  }

  private TestClient.Reply create(String spec) {
    return client.post(
        GROUPS,
        """
        {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
         "metadata": {"name": "train"}, "spec": %s}
        """
            .formatted(spec));
  }

  private JsonNode created(String spec) {
    TestClient.Reply reply = create(spec);
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(201);
    return reply.body();
  }

  private TestClient.Reply patch(String body) {
    return client.patch(GROUPS + "/train", MERGE, body);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.35", "1.36"})
  void podGroups_areNotServed_before137(String version) {
    try (Sandbox older =
        Sandbox.start(
            SandboxOptions.defaults()
                .withVersion(KubernetesVersion.parse(version).orElseThrow()))) {
      assertThat(new TestClient(older).get(GROUPS).code()).isEqualTo(404);
    }
  }

  @Test
  void onlyV1beta1_isServed() {
    assertThat(client.get(GROUPS).code()).isEqualTo(200);
    assertThat(client.get(GROUPS.replace("podgroups", "workloads")).code()).isEqualTo(200);
    assertThat(client.get(GROUPS.replace("v1beta1", "v1alpha2")).code()).isEqualTo(404);
  }

  @Test
  void newGroup_isDisruptedPodByPod_andHasThePriorityOfItsClass() {
    client.post(
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        """
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
         "metadata": {"name": "online"}, "value": 1000}
        """);

    JsonNode spec =
        created(
                """
                {"schedulingPolicy": {"gang": {"minCount": 2}}, "priorityClassName": "online"}
                """)
            .path("spec");

    assertThat(spec.path("disruptionMode").toString()).isEqualTo("{\"single\":{}}");
    assertThat(spec.path("priority").asInt()).isEqualTo(1000);
  }

  @Test
  void priorityOfANewGroup_isThatOfItsClass_orRefused() {
    TestClient.Reply reply = create("{\"schedulingPolicy\": {\"basic\": {}}, \"priority\": 7}");

    assertThat(reply.code()).isEqualTo(403);
    assertThat(reply.body().path("message").asText()).contains("(7) must not be provided");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"schedulingPolicy\": {}}",
        "{\"schedulingPolicy\": {\"basic\": {}, \"gang\": {\"minCount\": 1}}}",
        "{\"schedulingPolicy\": {\"gang\": {\"minCount\": 0}}}",
        "{\"schedulingPolicy\": {\"basic\": {}}, \"disruptionMode\": {}}"
      })
  void groupWithoutOnePolicyAndMode_isRefused(String spec) {
    assertThat(create(spec).code()).isEqualTo(422);
  }

  @Test
  void minimumOfAGang_mayChange() {
    created("{\"schedulingPolicy\": {\"gang\": {\"minCount\": 3}}}");

    TestClient.Reply reply =
        patch("{\"spec\": {\"schedulingPolicy\": {\"gang\": {\"minCount\": 2}}}}");

    assertThat(reply.code()).isEqualTo(200);
    assertThat(reply.body().at("/spec/schedulingPolicy/gang/minCount").asInt()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"spec\": {\"disruptionMode\": {\"single\": null, \"all\": {}}}}",
        "{\"spec\": {\"schedulingPolicy\": {\"gang\": null, \"basic\": {}}}}",
        "{\"spec\": {\"priority\": 5}}"
      })
  void restOfTheSpec_isImmutable(String change) {
    created("{\"schedulingPolicy\": {\"gang\": {\"minCount\": 3}}}");

    TestClient.Reply reply = patch(change);

    assertThat(reply.code()).isEqualTo(422);
    assertThat(reply.body().path("message").asText()).contains("field is immutable");
  }

  @Test
  void status_isASubresource() {
    created("{\"schedulingPolicy\": {\"basic\": {}}}");
    String status =
        """
        {"status": {"conditions": [{"type": "PodGroupInitiallyScheduled", "status": "True",
          "reason": "Scheduled", "message": "", "lastTransitionTime": "2026-09-01T10:00:00Z"}]}}
        """;

    JsonNode ignored = patch(status).body();
    JsonNode written = client.patch(GROUPS + "/train/status", MERGE, status).body();

    assertThat(ignored.at("/status/conditions")).isEmpty();
    assertThat(written.at("/status/conditions/0/reason").asText()).isEqualTo("Scheduled");
  }
}
