package io.berth.demo.soak;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.berth.demo.tenants.Disturbances.Extender;
import io.berth.demo.tenants.LicenseExtender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The extender that the tenants' policies name, as a server of this process. */
final class LiveExtender implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** More than the longest time limit of a policy. */
  private static final Duration HANGS = Duration.ofSeconds(10);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private volatile Extender state = Extender.WELL;

  LiveExtender() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  void state(Extender now) {
    state = now;
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonNode request = JSON.readTree(exchange.getRequestBody());
      String path = exchange.getRequestURI().getPath();
      switch (state) {
        case WELL -> {
          JsonNode answer =
              LicenseExtender.answer(path.substring(path.lastIndexOf('/') + 1), request)
                  .orElse(null);
          answer(exchange, answer == null ? 404 : 200, String.valueOf(answer));
        }
        case HANGS -> Thread.sleep(HANGS);
        case REFUSES_CONNECTIONS -> {} // closes this one without an answer
        case FAILS -> answer(exchange, 500, "the extender has failed");
        case TALKS_NONSENSE -> answer(exchange, 200, LicenseExtender.nonsense().toString());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private static void answer(HttpExchange exchange, int code, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
