package io.berth.operator.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.NodeUsage;
import io.berth.engine.model.ResourceAmounts;
import io.berth.operator.api.ClusterAccess;
import io.berth.operator.api.HttpApiCalls;
import io.berth.operator.record.BerthMetrics;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Node usage from servers that respond correctly, wrongly, or not at all. */
class UsagePollerTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final String METRICS = "/apis/metrics.k8s.io/v1beta1/nodes";

  private final List<List<NodeUsage>> reports = new CopyOnWriteArrayList<>();
  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final BerthMetrics metrics = new BerthMetrics(List.of("berth"));
  private HttpServer server;
  private HttpApiCalls api;
  private volatile Optional<Duration> maxAge = Optional.of(Duration.ofMinutes(3));

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String asked =
              URLDecoder.decode(exchange.getRequestURI().toString(), StandardCharsets.UTF_8);
          String answer = answers.get(asked);
          byte[] body = (answer == null ? "no " + asked : answer).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(answer == null ? 404 : 200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    Config config = new ConfigBuilder(Config.empty()).withMasterUrl(url().toString()).build();
    api = new HttpApiCalls(ClusterAccess.of(config), Duration.ofSeconds(10));
  }

  @AfterEach
  void stop() {
    api.close();
    server.stop(0);
    metrics.close();
  }

  private URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private UsagePoller poller(UsageOptions options) {
    return UsagePoller.of(
        new UsagePoller.Parts(
            options,
            () -> maxAge,
            () -> Set.of("a", "b"),
            name ->
                Set.of("a", "b").contains(name)
                    ? Optional.of(
                        new NodeBuilder().withNewMetadata().withName(name).endMetadata().build())
                    : Optional.empty(),
            event -> {
              if (event instanceof ClusterEvent.UsageReported(List<NodeUsage> nodes)) {
                reports.add(nodes);
              }
            },
            metrics,
            Clock.fixed(NOW, ZoneOffset.UTC)),
        api);
  }

  private static UsageOptions often() {
    return new UsageOptions(Duration.ofSeconds(2), Optional.empty());
  }

  @Test
  void reportsOfTheMetricsApi_reachTheEngine_andThoseThatAreMissingAreNamed() {
    answers.put(
        METRICS,
        """
        {"items": [
          {"metadata": {"name": "a"}, "timestamp": "2026-01-01T12:00:00Z", "window": "20s",
           "usage": {"cpu": "250m"}}]}
        """);
    try (UsagePoller poller = poller(often())) {
      poller.start();
      await().until(() -> !reports.isEmpty());

      assertThat(reports.getFirst())
          .containsExactly(
              new NodeUsage(
                  "a", NOW, Duration.ofSeconds(20), ResourceAmounts.of(Map.of("cpu", 250L))));
      awaitProblem(poller, "ignored reports: Missing: 1 node(s), b");
      assertThat(metrics.page()).contains("berth_usage_reports_ignored_total{reason=\"Missing\"}");
    }
  }

  @Test
  void aMetricsApiThatIsNotThere_isNamed_andReadAgain() {
    try (UsagePoller poller = poller(often())) {
      poller.start();
      awaitProblem(poller, "install metrics-server");
      assertThat(reports).isEmpty();
      assertThat(metrics.page()).contains("berth_usage_readings_failed_total");

      answers.put(METRICS, "{\"items\": []}");
      await().until(() -> !reports.isEmpty());
    }
  }

  @Test
  void nothingIsRead_whileNoPolicyAsks() {
    maxAge = Optional.empty();
    answers.put(METRICS, "{\"items\": []}");
    try (UsagePoller poller = poller(often())) {
      poller.start();
      assertThat(poller.problem()).isEmpty();
      maxAge = Optional.of(Duration.ofMinutes(1));
      await().until(() -> !reports.isEmpty());
    }
  }

  @Test
  void prometheusIsAskedForEachResource_andWhatIsNoNumberIsIgnored() {
    answers.put(
        "/api/v1/query?query=cpu{used}",
        """
        {"status": "success", "data": {"resultType": "vector", "result": [
          {"metric": {"node": "a"}, "value": [1767268799.5, "1.5"]},
          {"metric": {"node": "b"}, "value": [1767268799.5, "NaN"]},
          {"metric": {}, "value": [1767268799.5, "1"]}]}}
        """);
    answers.put(
        "/api/v1/query?query=memory used",
        """
        {"status": "success", "data": {"resultType": "vector", "result": [
          {"metric": {"node": "a"}, "value": [1767268799.5, "1024"]}]}}
        """);
    try (UsagePoller poller = poller(prometheus())) {
      poller.start();
      await().until(() -> !reports.isEmpty());

      assertThat(reports.getFirst())
          .containsExactly(
              new NodeUsage(
                  "a",
                  Instant.parse("2026-01-01T11:59:59.500Z"),
                  Duration.ofMinutes(1),
                  ResourceAmounts.of(Map.of("cpu", 1500L, "memory", 1024L))));
      awaitProblem(poller, "ignored reports: NotANumber: 1 node(s), b");
    }
  }

  @Test
  void whatPrometheusObjectsTo_isSaid() {
    answers.put(
        "/api/v1/query?query=cpu{used}", "{\"status\": \"error\", \"error\": \"parse error\"}");
    try (UsagePoller poller = poller(prometheus())) {
      poller.start();
      awaitProblem(poller, "Prometheus, query for cpu: parse error");
    }
  }

  private static void awaitProblem(UsagePoller poller, String words) {
    await().until(() -> poller.problem().filter(problem -> problem.contains(words)).isPresent());
  }

  private UsageOptions prometheus() {
    return new UsageOptions(
        Duration.ofSeconds(2),
        Optional.of(
            new UsageOptions.Prometheus(
                url(),
                Map.of("cpu", "cpu{used}", "memory", "memory used"),
                "node",
                Duration.ofMinutes(1),
                Optional.empty(),
                Optional.empty())));
  }
}
