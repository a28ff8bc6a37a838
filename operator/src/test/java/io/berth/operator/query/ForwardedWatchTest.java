package io.berth.operator.query;

import static io.berth.operator.query.QueryGround.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.http.AccessRule.Verdict;
import io.berth.operator.http.Health;
import io.berth.operator.http.OperationsServer;
import io.berth.operator.http.ReplicaClient;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.ExplainPages;
import io.berth.serving.http.HttpServer;
import io.berth.serving.http.ServerSettings;
import io.berth.serving.tls.LiveCertificate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Watches at a replica that asks the leader, over TLS in both steps. */
class ForwardedWatchTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OWN = in("team-a", "decisions");

  private final LiveCertificate certificate = new LiveCertificate(Certificates.of("localhost"));
  private final WatchGround leader = new WatchGround(1_000, 8, 8);
  private final HttpClient client =
      HttpClient.newBuilder().sslContext(certificate.context()).build();
  private final ReplicaClient replicas = new ReplicaClient(certificate.context());
  private OperationsServer operations;
  private ExplainPages asking;
  private WatchGround standby;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    operations =
        OperationsServer.startSecure(
            0,
            certificate,
            new OperationsServer.Parts(
                new Health(),
                Optional.of((token, verb, path, address) -> new Verdict(401, "no token")),
                () -> "",
                leader.explainer(),
                address -> false));
    asking =
        new ExplainPages(
            new DecisionLog(1, pod -> true, () -> WatchGround.BEGAN),
            () -> false,
            () -> Optional.of("localhost:" + operations.port()),
            node -> Optional.empty(),
            Optional::empty,
            replicas);
    standby = new WatchGround(asking, 2, 2);
    server =
        HttpServer.start(
            ServerSettings.forwarded(0, "--query-port"),
            Optional.of(certificate),
            standby.handler("tenant"));
  }

  @AfterEach
  void stop() {
    standby.close();
    server.close();
    operations.close();
    leader.close();
    client.close();
    replicas.close();
  }

  private HttpResponse<InputStream> get(String query) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + OWN + "?" + query))
            .build(),
        BodyHandlers.ofInputStream());
  }

  private static BufferedReader lines(HttpResponse<InputStream> answer) {
    return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
  }

  private static String brief(String line) throws IOException {
    JsonNode event = JSON.readTree(line);
    return event.path("type").asText() + " " + event.at("/object/metadata/name").asText();
  }

  @Test
  void events_arriveAsTheyHappen_untilTheLeaderChanges() throws Exception {
    leader.place("team-a", "a");
    HttpResponse<InputStream> answer = get("watch=1");
    assertThat(answer.statusCode()).isEqualTo(200);
    try (BufferedReader lines = lines(answer)) {
      assertThat(brief(lines.readLine())).isEqualTo("ADDED a");
      leader.place("team-b", "secret");
      leader.place("team-a", "b");
      assertThat(brief(lines.readLine())).isEqualTo("ADDED b");
      leader.log.clear();
      JsonNode last = JSON.readTree(lines.readLine());
      assertThat(last.at("/object/code").asInt()).isEqualTo(410);
      assertThat(lines.readLine()).isNull();
    }
    await().until(() -> standby.watches.inProgress() == 0);
  }

  @Test
  void list_isForwarded_withItsSelection() throws Exception {
    leader.place("team-a", "a");
    leader.hold("team-a", "b", "uid-b");
    try (BufferedReader lines =
        lines(get("fieldSelector=status.result%3DUnschedulable%26namespace%3Dteam-b"))) {
      assertThat(JSON.readTree(lines.readLine()).path("items")).as("no such result").isEmpty();
    }
    try (BufferedReader lines = lines(get("fieldSelector=status.result%3DUnschedulable"))) {
      JsonNode list = JSON.readTree(lines.readLine());
      assertThat(list.path("items").findValuesAsText("name")).contains("b").doesNotContain("a");
      assertThat(list.at("/metadata/resourceVersion").asText())
          .isEqualTo(leader.list("tenant", OWN, "").at("/metadata/resourceVersion").asText());
    }
    assertThat(get("watch=1&resourceVersion=1").statusCode()).isEqualTo(410);
  }

  @Test
  void clientThatGoes_givesItsWatchBack() throws Exception {
    HttpResponse<InputStream> first = get("watch=1");
    HttpResponse<InputStream> second = get("watch=1");
    assertThat(get("watch=1").statusCode()).isEqualTo(429);

    first.body().close();
    await().until(() -> standby.watches.inProgress() == 1);
    HttpResponse<InputStream> third = get("watch=1");
    assertThat(third.statusCode()).isEqualTo(200);
    third.body().close();
    second.body().close();
    await().until(() -> standby.watches.inProgress() == 0);
  }

  @Test
  void replicaThatCloses_endsItsWatches() throws Exception {
    try (BufferedReader lines = lines(get("watch=1&allowWatchBookmarks=1"))) {
      standby.watches.close();
      assertThat(brief(lines.readLine())).isEqualTo("BOOKMARK ");
      assertThat(lines.readLine()).isNull();
    }
  }
}
