package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Server-side apply over HTTP. */
class ApplyTest {
  private static final String MAP = "/api/v1/namespaces/default/configmaps/made?fieldManager=me";
  private static final String APPLY = "application/apply-patch+yaml";

  private final Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
  private final TestClient client = new TestClient(sandbox);

  @AfterEach
  void stop() {
    sandbox.close();
  }

  @Test
  void apply_takesJsonWithTabsAndTrailingCommas_asYamlDoes() {
    TestClient.Reply made =
        client.patch(
            MAP,
            APPLY,
            """
            {
            \t"apiVersion": "v1",
            \t"kind": "ConfigMap",
            \t"data": {
            \t\t"a": "1\\t2",
            \t},
            }
            """);

    assertThat(made.code()).isEqualTo(201);
    assertThat(made.body().at("/data/a").asText()).isEqualTo("1\t2");
  }

  @Test
  void apply_refusesDuplicateKeys_ifItIsStrict() {
    TestClient.Reply refused =
        client.patch(
            MAP + "&fieldValidation=Strict",
            APPLY,
            """
            apiVersion: v1
            kind: ConfigMap
            data:
              a: first
              a: second
            """);

    assertThat(refused.code()).isEqualTo(400);
    assertThat(refused.body().path("message").asText())
        .contains("line 5: key \"a\" already set in map");
  }

  @Test
  void statusOfAnObject_isNotOwnedByThoseWhoApplyTheObject() {
    String quota = "/api/v1/namespaces/default/resourcequotas/quota";
    String body =
        """
        apiVersion: v1
        kind: ResourceQuota
        spec: {hard: {pods: '%s'}}
        status: {hard: {pods: '%s'}}
        """;
    assertThat(client.patch(quota + "?fieldManager=me", APPLY, body.formatted("4", "4")).code())
        .isEqualTo(201);

    TestClient.Reply status =
        client.patch(quota + "/status?fieldManager=other", APPLY, body.formatted("4", "5"));

    assertThat(status.code()).as(status.body().toString()).isEqualTo(200);
    assertThat(status.body().at("/status/hard/pods").asText()).isEqualTo("5");
  }

  @Test
  void apply_refusesFieldsThatTheSchemaDoesNotDeclare() {
    TestClient.Reply refused =
        client.patch(MAP, APPLY, "{apiVersion: v1, kind: ConfigMap, dat: {a: b}}");

    assertThat(refused.code()).isEqualTo(500);
    assertThat(refused.body().path("message").asText())
        .isEqualTo(
            "failed to create typed patch object (default/made; v1, Kind=ConfigMap): .dat: field"
                + " not declared in schema");
  }
}
