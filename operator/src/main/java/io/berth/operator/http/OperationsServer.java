package io.berth.operator.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.http.AccessRule.Verdict;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.HttpServer;
import io.berth.serving.http.RequestHandler;
import io.berth.serving.http.RequestHead;
import io.berth.serving.http.ServerSettings;
import io.berth.serving.tls.LiveCertificate;
import io.berth.webhook.error.ObjectNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP endpoints for operating Berth: {@code /livez}, {@code /readyz}, {@code /metrics}, {@code
 * /explain/<namespace>/<pod>} and {@code /log-level}. The first two are served over plain HTTP, for
 * the kubelet; the others over TLS, to clients that the {@link AccessRule} admits. Without a rule,
 * all are open to anyone, and also served over plain HTTP.
 */
public final class OperationsServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OperationsServer.class);
  private static final String OPEN_METRICS = "text/plain; version=0.0.4; charset=utf-8";
  private static final String EXPLAIN = "/explain/";
  private static final String LOG_LEVEL = "/log-level";

  /**
   * The path at which other replicas announce, by PUT, that they can answer reviews: at the {@code
   * address} of the query.
   */
  public static final String STANDBY = "/standby";

  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final HttpServer server;

  private OperationsServer(HttpServer server) {
    this.server = server;
  }

  /**
   * The sources of the pages.
   *
   * @param access the rule for metrics and explanations; empty if anyone may read them
   * @param metrics returns the page of {@code /metrics}, in Prometheus' text format
   * @param standbys takes the address of another replica that can answer reviews; returns whether
   *     it is valid
   */
  public record Parts(
      Health health,
      Optional<AccessRule> access,
      Supplier<String> metrics,
      Explainer explainer,
      Predicate<String> standbys) {}

  /**
   * Starts a server for plain HTTP.
   *
   * @throws io.berth.serving.http.PortTakenException when the port is in use
   */
  public static OperationsServer startPlain(int port, Parts parts) throws IOException {
    return new OperationsServer(
        HttpServer.start(
            ServerSettings.probes(port, "--http-port"), Optional.empty(), plainPages(parts)));
  }

  /** Returns what answers the requests over plain HTTP. */
  static RequestHandler plainPages(Parts parts) {
    return new Pages(parts, parts.access().isEmpty());
  }

  /**
   * Starts a server for HTTPS.
   *
   * @throws io.berth.serving.http.PortTakenException when the port is in use
   */
  public static OperationsServer startSecure(int port, LiveCertificate certificate, Parts parts)
      throws IOException {
    return new OperationsServer(
        HttpServer.start(
            ServerSettings.pages(port, "--https-port"),
            Optional.of(certificate),
            new Pages(parts, true)));
  }

  public int port() {
    return server.port();
  }

  @Override
  public void close() {
    if (!server.stop(PATIENCE)) {
      LOG.debug("Requests were still in progress on port {}", port());
    }
  }

  private record Pages(Parts parts, boolean all) implements RequestHandler {

    /**
     * Answers the kubelet also while other clients use up every limit: a failed probe takes the
     * replica out of the webhook's endpoints, or restarts the leader.
     */
    @Override
    public Optional<HttpAnswer> probe(RequestHead head) {
      if (!reads(head)) {
        return Optional.empty();
      }
      return switch (head.path()) {
        case "/livez" -> Optional.of(health(parts.health().liveProblems()));
        case "/readyz" -> Optional.of(health(parts.health().readyProblems(excluded(head.query()))));
        default -> Optional.empty();
      };
    }

    @Override
    public Optional<HttpAnswer> refusal(RequestHead head) {
      if (isAnnouncement(head)) {
        return head.fromReplica()
            ? Optional.empty()
            : Optional.of(HttpAnswer.text(403, STANDBY + " is for replicas of Berth only"));
      }
      if (reads(head) || isChangeOfLevel(head)) {
        return Optional.empty();
      }
      return head.path().equals(LOG_LEVEL)
          ? Optional.of(HttpAnswer.text(405, "only GET and PUT").with("Allow", "GET, HEAD, PUT"))
          : Optional.of(HttpAnswer.text(405, "only GET").with("Allow", "GET, HEAD"));
    }

    private static boolean reads(RequestHead head) {
      return head.method().equals("GET") || head.method().equals("HEAD");
    }

    private static boolean isChangeOfLevel(RequestHead head) {
      return head.method().equals("PUT") && head.path().equals(LOG_LEVEL);
    }

    /** Returns whether a replica announces that it can answer reviews. */
    private static boolean isAnnouncement(RequestHead head) {
      return head.method().equals("PUT") && head.path().equals(STANDBY);
    }

    @Override
    public HttpAnswer answer(RequestHead head, byte[] body) {
      try {
        HttpAnswer answer = page(head);
        return answer.status() >= 400 && asksForJson(head) ? asStatus(answer) : answer;
      } catch (RuntimeException e) {
        LOG.error("{} failed", head.path(), e);
        return HttpAnswer.text(500, "internal error; see Berth's log");
      }
    }

    /** Returns an error as the API server words it to clients that ask for JSON. */
    private static HttpAnswer asStatus(HttpAnswer text) {
      if (!text.contentType().startsWith("text/plain")) {
        return text; // the leader's answer is JSON already
      }
      ObjectNode status = JsonNodeFactory.instance.objectNode();
      status.put("kind", "Status").put("apiVersion", "v1").put("status", "Failure");
      status
          .put("message", new String(text.body(), StandardCharsets.UTF_8).strip())
          .put("code", text.status());
      HttpAnswer json =
          new HttpAnswer(
              text.status(),
              "application/json",
              (status.toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8));
      for (Map.Entry<String, String> header : text.headers().entrySet()) {
        json = json.with(header.getKey(), header.getValue());
      }
      return json;
    }

    private HttpAnswer announced(RequestHead head) {
      String address = QueryParameters.of(head.query()).first("address");
      return parts.standbys().test(address)
          ? HttpAnswer.text(200, "ok")
          : HttpAnswer.text(400, "give address=HOST:PORT");
    }

    private HttpAnswer page(RequestHead head) {
      if (isAnnouncement(head)) {
        return announced(head);
      }
      String path = head.path();
      return switch (path) {
        case "/metrics" -> guarded(head, () -> metrics());
        case LOG_LEVEL -> guarded(head, () -> logLevel(head));
        case "/" ->
            HttpAnswer.text(
                200, "Berth\n/livez\n/readyz\n/metrics\n/explain/<namespace>/<pod>\n" + LOG_LEVEL);
        default ->
            path.startsWith(EXPLAIN)
                ? guarded(head, () -> explain(head))
                : HttpAnswer.text(
                    404,
                    "not found; the paths are /livez, /readyz, /metrics,"
                        + " /explain/<namespace>/<pod>, and /log-level");
      };
    }

    private HttpAnswer guarded(RequestHead head, Supplier<HttpAnswer> page) {
      if (!all) {
        return HttpAnswer.text(
            403,
            head.path()
                + " requires a token and is served only over HTTPS, at the port of --https-port; if"
                + " you sent a token to this port, replace it");
      }
      if (parts.access().isEmpty() && isChangeOfLevel(head) && !head.client().isLoopbackAddress()) {
        return HttpAnswer.text(
            403,
            "with --open-http, the log level can be changed only from this host, because no token"
                + " is checked: use kubectl port-forward, or run Berth without --open-http");
      }
      if (parts.access().isEmpty() || (head.fromReplica() && head.path().startsWith(EXPLAIN))) {
        return page.get();
      }
      Verdict verdict =
          parts
              .access()
              .get()
              .check(
                  bearerToken(head),
                  isChangeOfLevel(head) ? "put" : "get",
                  head.path(),
                  head.client());
      if (verdict.allowed()) {
        return page.get();
      }
      HttpAnswer refusal = HttpAnswer.text(verdict.code(), verdict.message());
      return switch (verdict.code()) {
        case 401 -> refusal.with("WWW-Authenticate", "Bearer");
        case 429, 503 -> refusal.with("Retry-After", "1");
        default -> refusal;
      };
    }

    private static HttpAnswer logLevel(RequestHead head) {
      if (!isChangeOfLevel(head)) {
        return HttpAnswer.text(200, LogLevel.current().lowerCase());
      }
      Optional<LogLevel> level = LogLevel.named(QueryParameters.of(head.query()).first("level"));
      if (level.isEmpty()) {
        return HttpAnswer.text(
            400, "use PUT /log-level?level=LEVEL with one of " + LogLevel.names());
      }
      LOG.info(
          "The log level changes from {} to {}",
          LogLevel.current().lowerCase(),
          level.get().lowerCase());
      level.get().use();
      return HttpAnswer.text(200, level.get().lowerCase());
    }

    private HttpAnswer metrics() {
      return new HttpAnswer(
          200, OPEN_METRICS, parts.metrics().get().getBytes(StandardCharsets.UTF_8));
    }

    private HttpAnswer explain(RequestHead head) {
      String[] names = head.path().substring(EXPLAIN.length()).split("/", -1);
      if (names.length == 1) {
        return changing(head, names[0]);
      }
      if (names.length == 3
          && names[0].equals("node")
          && names[2].equals("gpus")
          && ObjectNames.isValid(names[1])) {
        return parts.explainer().cards(names[1], asksForJson(head), head.fromReplica());
      }
      if (names.length != 2 || !ObjectNames.isValid(names[0]) || !ObjectNames.isValid(names[1])) {
        return unknownPage();
      }
      return parts.explainer().explain(names[0], names[1], asksForJson(head), head.fromReplica());
    }

    private HttpAnswer changing(RequestHead head, String page) {
      QueryParameters query = QueryParameters.of(head.query());
      try {
        return switch (page) {
          case "decisions" ->
              query
                  .number("limit")
                  .map(
                      limit ->
                          parts
                              .explainer()
                              .decisions(DecisionsRequest.of(query, limit), head.fromReplica()))
                  .orElseGet(() -> HttpAnswer.text(400, "give limit=NUMBER"));
          case "engine" -> parts.explainer().engine(asksForJson(head), head.fromReplica());
          case "objects" -> parts.explainer().objects(query.first("resource"), head.fromReplica());
          case "changes" -> parts.explainer().changes(ChangesRequest.of(query), head.fromReplica());
          default -> unknownPage();
        };
      } catch (IllegalArgumentException e) { // a selection that is not valid
        return HttpAnswer.text(400, String.valueOf(e.getMessage()));
      }
    }

    private static HttpAnswer unknownPage() {
      return HttpAnswer.text(
          404, "use /explain/<namespace>/<pod>, /explain/node/<node>/gpus, or /explain/engine");
    }

    private static boolean asksForJson(RequestHead head) {
      return head.header("Accept").filter(a -> a.contains("application/json")).isPresent()
          && !asksForText(head.query());
    }

    /**
     * Returns whether the query has {@code output=text}, for clients such as kubectl that always
     * accept JSON.
     */
    private static boolean asksForText(String query) {
      return List.of(query.split("&")).contains("output=text");
    }

    private static HttpAnswer health(Map<String, String> problems) {
      if (problems.isEmpty()) {
        return HttpAnswer.text(200, "ok");
      }
      StringBuilder body = new StringBuilder();
      problems.forEach(
          (check, problem) -> body.append(check).append(": ").append(problem).append('\n'));
      return HttpAnswer.text(503, body.toString().stripTrailing());
    }

    /** Returns the checks that a request excludes: {@code ?exclude=watches&exclude=webhook}. */
    private static Set<String> excluded(String query) {
      return Stream.of(query.split("&"))
          .filter(parameter -> parameter.startsWith("exclude="))
          .map(parameter -> parameter.substring("exclude=".length()))
          .collect(Collectors.toUnmodifiableSet());
    }

    private static Optional<String> bearerToken(RequestHead head) {
      return head.header("Authorization")
          .filter(header -> header.startsWith("Bearer "))
          .map(header -> header.substring("Bearer ".length()).strip())
          .filter(token -> !token.isEmpty());
    }
  }
}
