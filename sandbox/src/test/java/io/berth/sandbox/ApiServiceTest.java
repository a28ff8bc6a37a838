package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.berth.sandbox.http.Certificates;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Requests for an API that another server serves, which answers with what it was sent. */
class ApiServiceTest {
  private static final String GROUP = "/apis/echo.example.com/v1";
  private static final String NOTES = GROUP + "/namespaces/default/notes";

  private static Sandbox sandbox;
  private static TestClient admin;
  private static HttpsServer server;

  @BeforeAll
  static void start() throws IOException {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    admin = new TestClient(sandbox);
    Certificates certificates = Certificates.make("echo.default.svc");
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificates.serverContext()));
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", ApiServiceTest::echo);
    server.start();
    serve("echo", "v1", certificates.authorityPem());
    endpoints("echo", server.getAddress().getPort());
  }

  private static void serve(String service, String version, String authority) {
    TestClient.Reply created =
        admin.post(
            "/apis/apiregistration.k8s.io/v1/apiservices",
            """
            {"metadata": {"name": "%s.echo.example.com"}, "spec": {"group": "echo.example.com", "version": "%s",
             "groupPriorityMinimum": 1000, "versionPriority": 10, "caBundle": "%s",
             "service": {"namespace": "default", "name": "%s"}}}
            """
                .formatted(
                    version,
                    version,
                    Base64.getEncoder()
                        .encodeToString(authority.getBytes(StandardCharsets.US_ASCII)),
                    service));
    assertThat(created.code()).as(created.body().toString()).isEqualTo(201);
  }

  private static void endpoints(String service, int port) {
    admin.post(
        "/api/v1/namespaces/default/endpoints",
        """
        {"metadata": {"name": "%s"}, "subsets": [{"addresses": [{"ip": "127.0.0.1"}],
         "ports": [{"port": %d}]}]}
        """
            .formatted(service, port));
  }

  private static void echo(HttpExchange exchange) throws IOException {
    ObjectNode answer = Json.object();
    if (exchange.getRequestURI().getPath().equals("/apis")) {
      answer
          .put("kind", "APIGroupDiscoveryList")
          .putArray("items")
          .addObject()
          .putObject("metadata")
          .put("name", "echo.example.com");
    } else {
      answer.put("method", exchange.getRequestMethod());
      answer.put("uri", exchange.getRequestURI().toString());
      answer.put("user", exchange.getRequestHeaders().getFirst("X-Remote-User"));
      exchange.getRequestHeaders().get("X-Remote-Group").forEach(answer.putArray("groups")::add);
      answer.put(
          "body", new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    }
    byte[] body = Json.write(answer);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @AfterAll
  static void stop() {
    server.stop(0);
    sandbox.close();
  }

  @Test
  void request_isForwarded_withTheUser() {
    TestClient.Reply reply = admin.post(NOTES + "?dryRun=All", "{\"a\": 1}");

    assertThat(reply.code()).isEqualTo(200);
    assertThat(reply.body().path("method").asText()).isEqualTo("POST");
    assertThat(reply.body().path("uri").asText()).isEqualTo(NOTES + "?dryRun=All");
    assertThat(reply.body().path("body").asText()).isEqualTo("{\"a\": 1}");
    assertThat(reply.body().path("groups").toString()).contains("system:masters");
  }

  @Test
  void user_needsTheRight() {
    assertThat(admin.postAs("nobody", NOTES, "{}").code()).isEqualTo(403);
  }

  @Test
  void discovery_containsTheGroup() {
    String aggregated =
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

    assertThat(admin.get("/apis", aggregated).body().toString()).contains("echo.example.com");
    assertThat(admin.get("/openapi/v3").body().path("paths").has("apis/echo.example.com/v1"))
        .isTrue();
  }

  @Test
  void serverThatIsNotThere_orThatAnotherAuthorityVouchesFor_isUnavailable() {
    serve("nobody", "v2", "");
    serve("stranger", "v3", sandbox.certificateAuthority());
    endpoints("stranger", server.getAddress().getPort());

    assertThat(admin.get("/apis/echo.example.com/v2/notes").code()).isEqualTo(503);
    assertThat(admin.get("/apis/echo.example.com/v3/notes").code()).isEqualTo(503);
    assertThat(admin.get(NOTES).code()).as("the other version is still served").isEqualTo(200);
  }
}
