package io.berth.webhook.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.berth.webhook.admission.AdmissionPath;
import io.berth.webhook.admission.AdmissionService;
import io.berth.webhook.admission.BadReviewException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * The endpoint on the JDK's own HTTPS server, a virtual thread a request.
 *
 * <p>The JDK reads its server's settings once, from system properties: {@link #SETTINGS} are set
 * where nobody has set them before. Without nodelay the second packet of an answer waits 40 ms for
 * the first one's acknowledgement; API servers keep idle connections for 90 s, so they must not be
 * closed from this side before.
 */
final class JdkWebhookServer implements WebhookServer {
  private static final Map<String, String> SETTINGS =
      Map.of(
          "sun.net.httpserver.nodelay", "true",
          "sun.net.httpserver.idleInterval", "120",
          "sun.net.httpserver.maxReqTime", "10",
          "sun.net.httpserver.maxRspTime", "10");

  /** An API server takes objects of up to 3 MiB; an update carries the old and the new one. */
  private static final int BODY_LIMIT = 8 * 1024 * 1024;

  private static final int BACKLOG = 128;

  private final HttpsServer server;
  private final ExecutorService threads;
  private final AdmissionService service;
  private final RequestObserver observer;

  /** One party for the server itself, and one for each review under way. */
  private final Phaser underWay = new Phaser(1);

  private volatile boolean stopping;

  private JdkWebhookServer(
      HttpsServer server,
      ExecutorService threads,
      AdmissionService service,
      RequestObserver observer) {
    this.server = server;
    this.threads = threads;
    this.service = service;
    this.observer = observer;
  }

  static WebhookServer start(
      int port, SSLContext tls, AdmissionService service, RequestObserver observer)
      throws IOException {
    SETTINGS.forEach(
        (name, value) -> {
          if (System.getProperty(name) == null) {
            System.setProperty(name, value);
          }
        });
    HttpsServer server;
    try {
      server = HttpsServer.create(new InetSocketAddress(port), BACKLOG);
    } catch (BindException e) {
      throw new PortTakenException(port, e);
    }
    server.setHttpsConfigurator(
        new HttpsConfigurator(tls) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters ssl = getSSLContext().getDefaultSSLParameters();
            ssl.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
            parameters.setSSLParameters(ssl);
          }
        });
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    JdkWebhookServer webhook = new JdkWebhookServer(server, threads, service, observer);
    server.setExecutor(threads);
    server.createContext("/", webhook::handle);
    server.start();
    return webhook;
  }

  @Override
  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public boolean stop(Duration patience) {
    stopping = true;
    boolean finished = true;
    try {
      underWay.awaitAdvanceInterruptibly(
          underWay.arriveAndDeregister(), patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      finished = false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      finished = false;
    }
    server.stop(0);
    threads.shutdownNow();
    return finished;
  }

  private void handle(HttpExchange exchange) throws IOException {
    long start = System.nanoTime();
    boolean counted = underWay.register() >= 0;
    try {
      Optional<AdmissionPath> path = AdmissionPath.of(exchange.getRequestURI().getPath());
      Answer answer = answer(exchange, path);
      send(exchange, answer);
      observer.answered(
          path.map(AdmissionPath::path).orElse("other"), answer.status, System.nanoTime() - start);
    } finally {
      exchange.close();
      if (counted) {
        underWay.arriveAndDeregister();
      }
    }
  }

  private static final class Answer {
    private final int status;
    private final String type;
    private final byte[] body;

    Answer(int status, String type, byte[] body) {
      this.status = status;
      this.type = type;
      this.body = body;
    }

    static Answer problem(int status, String words) {
      return new Answer(
          status, "text/plain; charset=utf-8", (words + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  private Answer answer(HttpExchange exchange, Optional<AdmissionPath> path) throws IOException {
    if (path.isEmpty()) {
      return Answer.problem(
          404,
          "there is nothing at this path; AdmissionReviews are taken at "
              + Arrays.stream(AdmissionPath.values())
                  .map(AdmissionPath::path)
                  .collect(Collectors.joining(", ")));
    }
    if (!exchange.getRequestMethod().equals("POST")) {
      exchange.getResponseHeaders().set("Allow", "POST");
      return Answer.problem(
          405, "send an AdmissionReview by POST, not by " + exchange.getRequestMethod());
    }
    if (!isJson(exchange.getRequestHeaders())) {
      return Answer.problem(415, "send an AdmissionReview with Content-Type: application/json");
    }
    byte[] body;
    try (InputStream in = exchange.getRequestBody()) {
      body = in.readNBytes(BODY_LIMIT + 1);
    }
    if (body.length > BODY_LIMIT) {
      return Answer.problem(
          413,
          "the AdmissionReview is larger than " + BODY_LIMIT + " bytes, which is the most taken");
    }
    try {
      return new Answer(200, "application/json", service.review(path.get(), body));
    } catch (BadReviewException e) {
      return Answer.problem(400, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      // The service has told its observer already; the API server goes by the failurePolicy.
      return Answer.problem(
          500, "Berth failed on this review (" + e.getClass().getSimpleName() + "); see its log");
    }
  }

  private void send(HttpExchange exchange, Answer answer) throws IOException {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", answer.type);
    if (stopping || answer.status == 413) {
      headers.set("Connection", "close");
    }
    exchange.sendResponseHeaders(answer.status, answer.body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(answer.body);
    }
  }

  private static boolean isJson(Headers headers) {
    String type = headers.getFirst("Content-Type");
    return type != null
        && type.toLowerCase(Locale.ROOT).split(";", 2)[0].strip().equals("application/json");
  }
}
