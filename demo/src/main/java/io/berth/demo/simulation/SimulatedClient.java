package io.berth.demo.simulation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.StandardHttpClient;
import io.fabric8.kubernetes.client.http.StandardHttpClientBuilder;
import io.fabric8.kubernetes.client.http.StandardHttpHeaders;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import io.fabric8.kubernetes.client.http.StandardWebSocketBuilder;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * An HTTP client for code of the product that calls the client library: its requests wait in
 * virtual time, on simulated threads.
 */
final class SimulatedClient
    extends StandardHttpClient<HttpClient, HttpClient.Factory, SimulatedClient.Builder> {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SimulatedThreads threads;
  private final ApiCalls api;

  private SimulatedClient(Builder builder, SimulatedThreads threads, ApiCalls api) {
    super(builder, new AtomicBoolean());
    this.threads = threads;
    this.api = api;
  }

  /** Creates a client whose requests are sent by simulated threads. */
  static KubernetesClient of(SimulatedThreads threads, ApiCalls api) {
    Config config = Config.empty();
    config.setRequestRetryBackoffLimit(0); // retries wait in real time
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withHttpClientFactory(() -> new Builder(threads, api))
        .build();
  }

  /** Creates clients. */
  static final class Builder
      extends StandardHttpClientBuilder<HttpClient, HttpClient.Factory, Builder> {
    private final SimulatedThreads threads;
    private final ApiCalls api;

    private Builder(SimulatedThreads threads, ApiCalls api) {
      super(() -> new Builder(threads, api));
      this.threads = threads;
      this.api = api;
    }

    @Override
    public HttpClient build() {
      return new SimulatedClient(this, threads, api);
    }

    @Override
    protected Builder newInstance(HttpClient.Factory factory) {
      return new Builder(threads, api);
    }
  }

  @Override
  public CompletableFuture<HttpResponse<AsyncBody>> consumeBytesDirect(
      StandardHttpRequest request, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    try {
      send(request, answered::complete);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
    Answer answer = threads.await(answered);
    return answer.code() <= 0
        ? CompletableFuture.failedFuture(new IOException(answer.message()))
        : CompletableFuture.completedFuture(new Response(request, answer, consumer));
  }

  private void send(StandardHttpRequest request, Consumer<Answer> then) throws IOException {
    URI uri = request.uri();
    String path = uri.getPath() + (uri.getQuery() == null ? "" : "?" + uri.getQuery());
    switch (request.method()) {
      case "GET" -> api.get(path, then);
      case "POST" -> api.post(path, body(request), then);
      case "DELETE" -> api.delete(path, body(request), then);
      default -> throw new IllegalArgumentException(request.method() + " is not simulated");
    }
  }

  private static JsonNode body(StandardHttpRequest request) throws JsonProcessingException {
    String text = request.bodyString();
    return text == null ? JsonNodeFactory.instance.objectNode() : JSON.readTree(text);
  }

  /** A complete answer. */
  private static final class Response extends StandardHttpHeaders
      implements HttpResponse<AsyncBody>, AsyncBody {
    private final StandardHttpRequest request;
    private final Answer answer;
    private final AsyncBody.Consumer<List<ByteBuffer>> consumer;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private boolean delivered;

    Response(
        StandardHttpRequest request, Answer answer, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
      this.request = request;
      this.answer = answer;
      this.consumer = consumer;
    }

    @Override
    public int code() {
      return answer.code();
    }

    @Override
    public AsyncBody body() {
      return this;
    }

    @Override
    public HttpRequest request() {
      return request;
    }

    @Override
    public Optional<HttpResponse<?>> previousResponse() {
      return Optional.empty();
    }

    @Override
    public void consume() {
      if (delivered) { // called when the bytes are taken
        done.complete(null);
        return;
      }
      delivered = true;
      try {
        byte[] bytes = answer.json().toString().getBytes(StandardCharsets.UTF_8);
        consumer.consume(List.of(ByteBuffer.wrap(bytes)), this);
      } catch (Exception e) {
        done.completeExceptionally(e);
      }
    }

    @Override
    public CompletableFuture<Void> done() {
      return done;
    }

    @Override
    public void cancel() {
      done.cancel(false);
    }
  }

  @Override
  public CompletableFuture<WebSocketResponse> buildWebSocketDirect(
      StandardWebSocketBuilder builder, WebSocket.Listener listener) {
    throw new UnsupportedOperationException("no watch is simulated in this way");
  }

  @Override
  protected void doClose() {
    // holds nothing
  }
}
