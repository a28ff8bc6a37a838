package io.berth.operator.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.berth.sandbox.protobuf.ProtobufBodies;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;

/** An API server, or another service, with responses that the test defines. */
public final class ScriptedServer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * A response.
   *
   * @param code the HTTP status
   * @param body the JSON body
   * @param retryAfterSeconds the value of the Retry-After header; zero for none
   */
  public record Reply(int code, String body, int retryAfterSeconds) {
    /** A response without a Retry-After header. */
    public Reply(int code, String body) {
      this(code, body, 0);
    }
  }

  /** The responses to requests, whose parameters it knows, too. */
  public interface Script {
    /** Returns the response to a request; called on many threads. */
    Reply reply(URI uri, JsonNode body);
  }

  private final HttpServer server;
  private final KubernetesClient client;
  private final Script script;
  private final Set<String> headers = ConcurrentHashMap.newKeySet();

  /**
   * @param script returns the response to a request, given its path and its body, which is a
   *     missing node if there is none, as JSON; called on many threads
   */
  public ScriptedServer(BiFunction<String, JsonNode, Reply> script) throws IOException {
    this((Script) (uri, body) -> script.apply(uri.getPath(), body));
  }

  private ScriptedServer(Script script) throws IOException {
    this.script = script;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder().withMasterUrl(url()).withRequestRetryBackoffLimit(0).build())
            .build();
  }

  /** Creates a server whose script knows the parameters of requests. */
  public static ScriptedServer withParameters(Script script) throws IOException {
    return new ScriptedServer(script);
  }

  /** The URL of the server, without a trailing slash. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** The names of the headers in all requests, in lower case. */
  public Set<String> headers() {
    return headers;
  }

  /** A client of this server, without retries. */
  public KubernetesClient client() {
    return client;
  }

  /** API calls to this server. */
  public HttpApiCalls api() {
    return new HttpApiCalls(ClusterAccess.of(client.getConfiguration()), Duration.ofSeconds(10));
  }

  @Override
  public void close() {
    client.close();
    server.stop(0);
  }

  private static JsonNode body(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    return ProtobufBodies.MEDIA_TYPE.equals(type)
        ? ProtobufBodies.decode(body)
        : JSON.readTree(body);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange
          .getRequestHeaders()
          .keySet()
          .forEach(name -> headers.add(name.toLowerCase(Locale.ROOT)));
      Reply reply = script.reply(exchange.getRequestURI(), body(exchange));
      byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      if (reply.retryAfterSeconds() > 0) {
        exchange.getResponseHeaders().set("Retry-After", String.valueOf(reply.retryAfterSeconds()));
      }
      exchange.sendResponseHeaders(reply.code(), body.length);
      exchange.getResponseBody().write(body);
    }
  }
}
