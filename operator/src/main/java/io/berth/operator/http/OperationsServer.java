package io.berth.operator.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.berth.operator.http.AccessRule.Verdict;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP endpoints for operating Berth: {@code /livez}, {@code /readyz}, {@code /metrics} and
 * {@code /explain/<namespace>/<pod>}. The first two are open, as a kubelet asks them; the others
 * ask the {@link AccessRule}.
 */
public final class OperationsServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OperationsServer.class);
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String OPEN_METRICS = "text/plain; version=0.0.4; charset=utf-8";

  private final HttpServer server;
  private final ExecutorService threads;
  private final AccessRule access;

  private OperationsServer(HttpServer server, ExecutorService threads, AccessRule access) {
    this.server = server;
    this.threads = threads;
    this.access = access;
  }

  /**
   * Listens on the port; 0 takes a free one.
   *
   * @param metrics the page of {@code /metrics}, in Prometheus' text format
   * @throws BindException when the port is taken; its message is the port
   */
  public static OperationsServer start(
      int port, Health health, AccessRule access, Supplier<String> metrics, Explainer explainer)
      throws IOException {
    HttpServer http;
    try {
      http = HttpServer.create(new InetSocketAddress(port), 64);
    } catch (BindException e) {
      BindException named = new BindException(String.valueOf(port));
      named.initCause(e);
      throw named;
    }
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    OperationsServer server = new OperationsServer(http, threads, access);
    http.setExecutor(threads);
    http.createContext("/livez", e -> server.answer(e, () -> health(health.liveProblems())));
    http.createContext(
        "/readyz",
        e ->
            server.answer(
                e, () -> health(health.readyProblems(excluded(e.getRequestURI().getQuery())))));
    http.createContext(
        "/metrics", e -> server.guarded(e, () -> new Page(200, OPEN_METRICS, metrics.get())));
    http.createContext("/explain/", e -> server.guarded(e, () -> explain(explainer, e)));
    http.createContext("/", e -> server.answer(e, () -> server.index(e)));
    http.start();
    return server;
  }

  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }

  private static Page health(Map<String, String> problems) {
    if (problems.isEmpty()) {
      return new Page(200, TEXT, "ok\n");
    }
    StringBuilder body = new StringBuilder();
    problems.forEach(
        (check, problem) -> body.append(check).append(": ").append(problem).append('\n'));
    return new Page(503, TEXT, body.toString());
  }

  private static Page explain(Explainer explainer, HttpExchange exchange) {
    String[] parts =
        exchange.getRequestURI().getPath().substring("/explain/".length()).split("/", -1);
    if (parts.length != 2 || !isName(parts[0]) || !isName(parts[1])) {
      return new Page(404, TEXT, "ask for /explain/<namespace>/<pod>\n");
    }
    List<String> accept = exchange.getRequestHeaders().getOrDefault("Accept", List.of());
    boolean json = accept.stream().anyMatch(a -> a.contains("application/json"));
    return explainer.explain(
        parts[0],
        parts[1],
        json,
        Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization")),
        exchange.getRequestHeaders().containsKey(Explainer.PASSED_ON));
  }

  private static boolean isName(String text) {
    return !text.isEmpty()
        && text.chars()
            .allMatch(
                c -> c == '-' || c == '.' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'));
  }

  private Page index(HttpExchange exchange) {
    return exchange.getRequestURI().getPath().equals("/")
        ? new Page(200, TEXT, "Berth\n/livez\n/readyz\n/metrics\n/explain/<namespace>/<pod>\n")
        : new Page(
            404, TEXT, "there is /livez, /readyz, /metrics and /explain/<namespace>/<pod>\n");
  }

  /** The checks that a request leaves out: {@code ?exclude=watches&exclude=webhook}. */
  private static Set<String> excluded(@Nullable String query) {
    return query == null
        ? Set.of()
        : Stream.of(query.split("&"))
            .filter(parameter -> parameter.startsWith("exclude="))
            .map(parameter -> parameter.substring("exclude=".length()))
            .collect(Collectors.toUnmodifiableSet());
  }

  private void guarded(HttpExchange exchange, Supplier<Page> page) {
    String path = exchange.getRequestURI().getPath();
    answer(
        exchange,
        () -> {
          Verdict verdict = access.check(bearerToken(exchange), path);
          return verdict.allowed()
              ? page.get()
              : new Page(verdict.code(), TEXT, verdict.message() + "\n");
        });
  }

  private static Optional<String> bearerToken(HttpExchange exchange) {
    return Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization"))
        .filter(header -> header.startsWith("Bearer "))
        .map(header -> header.substring("Bearer ".length()).strip())
        .filter(token -> !token.isEmpty());
  }

  private void answer(HttpExchange exchange, Supplier<Page> supplier) {
    try (exchange) {
      Page page = page(exchange, supplier);
      byte[] body = page.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", page.contentType());
      if (page.code() == 401) {
        exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
      }
      boolean head = exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(page.code(), head || body.length == 0 ? -1 : body.length);
      if (!head) {
        try (OutputStream out = exchange.getResponseBody()) {
          out.write(body);
        }
      }
    } catch (IOException e) {
      LOG.debug("{} went away: {}", exchange.getRemoteAddress(), e.getMessage());
    }
  }

  private static Page page(HttpExchange exchange, Supplier<Page> supplier) {
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      return new Page(405, TEXT, "only GET\n");
    }
    try {
      return supplier.get();
    } catch (RuntimeException e) {
      LOG.error("{} failed", exchange.getRequestURI().getPath(), e);
      return new Page(500, TEXT, "this failed; the log says why\n");
    }
  }

  /** An answer. */
  public record Page(int code, String contentType, String body) {}

  /** Answers why a pod is where it is, or is not. */
  @FunctionalInterface
  public interface Explainer {

    /** Header of a question that another replica passed on, so that it is not passed on again. */
    String PASSED_ON = "X-Berth-Passed-On";

    /**
     * Says why a pod is where it is.
     *
     * @param json whether JSON is asked for rather than text
     * @param authorization the caller's header, for passing the question on
     * @param passedOn whether the question comes from another replica
     */
    Page explain(
        String namespace,
        String pod,
        boolean json,
        Optional<String> authorization,
        boolean passedOn);
  }
}
