package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.release.KubernetesVersion;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that emulates an older version of Kubernetes. */
class OlderVersionsTest {
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String POD =
      """
      {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}},
       "spec": {"containers": [{"name": "main", "image": "web"}],
        "hostnameOverride": "w", "schedulingGroup": {"podGroupName": "g"},
        "resources": {"requests": {"cpu": "1"}},
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
          {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"x": "y"}},
           "matchLabelKeys": ["app"]}]}},
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
          "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"x": "y"}},
          "matchLabelKeys": ["app"]}]}}
      """;

  private static JsonNode created(TestClient client) {
    TestClient.Reply reply = client.post(PODS, POD);
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(201);
    return reply.body();
  }

  private static Sandbox sandbox(String version) {
    return Sandbox.start(
        SandboxOptions.defaults().withVersion(KubernetesVersion.parse(version).orElseThrow()));
  }

  @ParameterizedTest
  @CsvSource({"1.30, v1.30.0", "1.35, v1.35.0", "1.36, v1.36.2", "1.37, v1.37.0"})
  void theVersion_isShown(String version, String release) {
    try (Sandbox sandbox = sandbox(version)) {
      JsonNode shown = new TestClient(sandbox).get("/version").body();

      assertThat(shown.path("minor").asText()).isEqualTo(version.substring(2));
      assertThat(shown.path("gitVersion").asText()).startsWith(release + "+");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1.30, false, false, false, false, 0, 0",
    "1.31, false, false, false, true, 1, 0",
    "1.33, false, false, false, true, 1, 0",
    "1.34, true, false, false, true, 1, 1",
    "1.35, true, true, false, true, 1, 1",
    "1.36, true, true, true, true, 1, 1",
    "1.37, true, true, true, true, 1, 1"
  })
  void fieldsThatCameLater_areDropped(
      String version,
      boolean resources,
      boolean hostname,
      boolean group,
      boolean affinityKeys,
      int mergedIntoTerm,
      int mergedIntoConstraint) {
    try (Sandbox sandbox = sandbox(version)) {
      JsonNode spec = created(new TestClient(sandbox)).path("spec");

      assertThat(spec.has("resources")).as("resources").isEqualTo(resources);
      assertThat(spec.has("hostnameOverride")).as("hostnameOverride").isEqualTo(hostname);
      assertThat(spec.has("schedulingGroup")).as("schedulingGroup").isEqualTo(group);
      JsonNode term =
          spec.at("/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0");
      assertThat(term.has("matchLabelKeys")).as("keys of affinity").isEqualTo(affinityKeys);
      assertThat(term.at("/labelSelector/matchExpressions")).hasSize(mergedIntoTerm);
      assertThat(spec.at("/topologySpreadConstraints/0/labelSelector/matchExpressions"))
          .hasSize(mergedIntoConstraint);
    }
  }

  @ParameterizedTest
  @CsvSource({"1.32, 404, 0", "1.33, 200, 1"})
  void podsWithoutResize_haveNoGenerationEither(String version, int code, long generation) {
    try (Sandbox sandbox = sandbox(version)) {
      TestClient client = new TestClient(sandbox);

      assertThat(created(client).at("/metadata/generation").asLong()).isEqualTo(generation);
      assertThat(client.get(PODS + "/web/resize").code()).isEqualTo(code);
      assertThat(client.get("/api/v1").body().toString().contains("\"pods/resize\""))
          .isEqualTo(code == 200);
    }
  }

  @ParameterizedTest
  @CsvSource({"1.34, false", "1.35, true"})
  void labelsOfABinding_areCopied_andTheNominationIsCleared(String version, boolean newer) {
    try (Sandbox sandbox = sandbox(version)) {
      TestClient client = new TestClient(sandbox);
      created(client);
      client.patch(
          PODS + "/web/status",
          "application/merge-patch+json",
          "{\"status\": {\"nominatedNodeName\": \"n\"}}");

      int code =
          client
              .post(
                  PODS + "/web/binding",
                  """
                  {"apiVersion": "v1", "kind": "Binding",
                   "metadata": {"name": "web", "labels": {"l": "1"}, "annotations": {"a": "1"}},
                   "target": {"kind": "Node", "name": "n"}}
                  """)
              .code();

      JsonNode bound = client.get(PODS + "/web").body();
      assertThat(code).isEqualTo(201);
      assertThat(bound.at("/spec/nodeName").asText()).isEqualTo("n");
      assertThat(bound.at("/metadata/annotations/a").asText()).isEqualTo("1");
      assertThat(bound.at("/metadata/labels").has("l")).isEqualTo(newer);
      assertThat(bound.path("status").has("nominatedNodeName")).isEqualTo(!newer);
    }
  }
}
