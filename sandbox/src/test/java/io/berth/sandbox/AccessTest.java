package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.auth.ApiUse;
import io.berth.sandbox.http.PortInUseException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tokens, RBAC, reviews, media types, and the usage statistics of the API. */
class AccessTest {
  private static Sandbox sandbox;
  private static TestClient admin;
  private static TestClient account;
  private static String token;

  @BeforeAll
  static void start() {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    admin = new TestClient(sandbox);
    admin.post(
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        """
        {"metadata":{"name":"reader"},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}]}\
        """);
    admin.post(
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        """
        {"metadata":{"name":"reader"},"roleRef":{"kind":"ClusterRole","name":"reader"},
         "subjects":[{"kind":"ServiceAccount","name":"default","namespace":"default"}]}\
        """);
    token =
        admin
            .post(
                "/api/v1/namespaces/default/serviceaccounts/default/token",
                "{\"spec\":{\"expirationSeconds\":3600}}")
            .body()
            .at("/status/token")
            .asText();
    account = new TestClient(sandbox, token);
  }

  @AfterAll
  static void stop() {
    sandbox.close();
  }

  @Test
  void rules_allowWhatTheySayAndNothingElse() {
    assertThat(account.get("/api/v1/pods").code()).isEqualTo(200);

    TestClient.Reply refused = account.get("/api/v1/nodes");

    assertThat(refused.code()).isEqualTo(403);
    assertThat(refused.body().path("message").asText())
        .isEqualTo(
            "nodes is forbidden: User \"system:serviceaccount:default:default\" cannot list"
                + " resource \"nodes\" in API group \"\" at the cluster scope");
  }

  @Test
  void unknownTokens_areUnauthorized() {
    assertThat(new TestClient(sandbox, "nonsense").get("/api/v1/pods").code()).isEqualTo(401);
    assertThat(new TestClient(sandbox, token + "x").get("/api/v1/pods").code()).isEqualTo(401);
  }

  @Test
  void tokenReview_namesTheAccount() {
    JsonNode review =
        admin
            .post(
                "/apis/authentication.k8s.io/v1/tokenreviews",
                "{\"spec\":{\"token\":\"" + token + "\"}}")
            .body();

    assertThat(review.at("/status/authenticated").asBoolean()).isTrue();
    assertThat(review.at("/status/user/username").asText())
        .isEqualTo("system:serviceaccount:default:default");
  }

  @Test
  void accessReviews_answerByTheSameRules() {
    String body =
        """
        {"spec":{"user":"system:serviceaccount:default:default","resourceAttributes":{"verb":"%s","resource":"pods"}}}\
        """;

    assertThat(
            admin
                .post("/apis/authorization.k8s.io/v1/subjectaccessreviews", body.formatted("list"))
                .body()
                .at("/status/allowed")
                .asBoolean())
        .isTrue();
    assertThat(
            admin
                .post(
                    "/apis/authorization.k8s.io/v1/subjectaccessreviews", body.formatted("delete"))
                .body()
                .at("/status/allowed")
                .asBoolean())
        .isFalse();
  }

  @Test
  void usage_isCountedByUserAndResource() {
    account.get("/api/v1/namespaces/default/pods");

    assertThat(sandbox.apiUsage())
        .containsKey(
            new ApiUse(
                "system:serviceaccount:default:default", "sandbox-test/1.0", "list", "", "pods"));
  }

  @Test
  void mediaTypesThatAreNotOffered_areRefused() {
    assertThat(admin.get("/api/v1/pods", "application/cbor").code()).isEqualTo(406);
    assertThat(admin.get("/api/v1/pods", "application/cbor, application/json").code())
        .isEqualTo(200);
    assertThat(admin.post("/api/v1/namespaces", "text/plain", "{}").code()).isEqualTo(415);
  }

  @Test
  void unknownFields_areRefusedOrWarnedOf() {
    String body = "{\"metadata\":{\"name\":\"%s\"},\"dta\":{}}";
    String path = "/api/v1/namespaces/default/configmaps?fieldValidation=";

    TestClient.Reply strict = admin.post(path + "Strict", body.formatted("s"));
    TestClient.Reply warned = admin.post(path + "Warn", body.formatted("w"));

    assertThat(strict.code()).isEqualTo(400);
    assertThat(strict.body().path("message").asText())
        .isEqualTo(
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error:"
                + " unknown field \"dta\"");
    assertThat(warned.code()).isEqualTo(201);
    assertThat(warned.response().headers().firstValue("Warning"))
        .contains("299 - \"unknown field \\\"dta\\\"\"");
  }

  @Test
  void dryRun_storesNothing() {
    TestClient.Reply reply =
        admin.post(
            "/api/v1/namespaces/default/configmaps?dryRun=All",
            "{\"metadata\":{\"name\":\"dry\"}}");

    assertThat(reply.code()).isEqualTo(201);
    assertThat(admin.get("/api/v1/namespaces/default/configmaps/dry").code()).isEqualTo(404);
  }

  @Test
  void discovery_comesInBothForms() {
    JsonNode aggregated =
        admin
            .get("/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
            .body();

    assertThat(aggregated.path("kind").asText()).isEqualTo("APIGroupDiscoveryList");
    assertThat(admin.get("/apis").body().path("kind").asText()).isEqualTo("APIGroupList");
    assertThat(admin.get("/apis/apps/v1").body().findValuesAsText("name"))
        .contains("deployments", "deployments/scale");
    assertThat(admin.get("/version").body().path("minor").asText()).isEqualTo("36");
  }

  @Test
  void aPortInUse_isSaidSo() {
    int port = Integer.parseInt(sandbox.url().replaceAll(".*:", ""));

    assertThatThrownBy(() -> Sandbox.start(SandboxOptions.defaults().withPort(port)))
        .isInstanceOf(PortInUseException.class)
        .hasMessageContaining("127.0.0.1:" + port)
        .hasMessageContaining("choose another port");
  }

  @Test
  void deletedNamespaces_takeTheirContentAlong() {
    admin.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"doomed\"}}");
    admin.post("/api/v1/namespaces/doomed/configmaps", "{\"metadata\":{\"name\":\"a\"}}");

    admin.delete("/api/v1/namespaces/doomed");

    await().until(() -> admin.get("/api/v1/namespaces/doomed").code() == 404);
    assertThat(admin.get("/api/v1/namespaces/doomed/configmaps/a").code()).isEqualTo(404);
  }

  @Test
  void impersonation_asksAsAnother_ifAllowed() {
    String path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    JsonNode user =
        admin.postAs("system:serviceaccount:a:b", path, "{}").body().at("/status/userInfo");

    assertThat(user.path("username").asText()).isEqualTo("system:serviceaccount:a:b");
    assertThat(user.path("groups").toString())
        .isEqualTo(
            "[\"system:serviceaccounts\",\"system:serviceaccounts:a\",\"system:authenticated\"]");
    TestClient.Reply refused = account.postAs("jane", path, "{}");
    assertThat(refused.code()).isEqualTo(403);
    assertThat(refused.body().path("message").asText())
        .contains("cannot impersonate resource \"users\"");
  }
}
