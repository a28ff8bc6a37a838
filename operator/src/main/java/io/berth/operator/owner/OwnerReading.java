package io.berth.operator.owner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.PodSubject;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Reads objects in owner chains from the API server. */
public final class OwnerReading {

  /** The request timeout, longer than any wait for the result. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final String METADATA_ONLY =
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http;
  private final String server;

  /**
   * Creates a reader with this client's permissions; it needs {@code get} on the kinds it reads.
   */
  public OwnerReading(KubernetesClient client) {
    this.http = client.getHttpClient();
    String url = client.getMasterUrl().toString();
    this.server = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
  }

  /**
   * Reads the object that a reference names as controller; empty if it was deleted, or if another
   * object now has its name.
   */
  CompletableFuture<Optional<Link>> read(String namespace, Controller controller) {
    String path = FollowedKind.of(controller).orElseThrow().path(namespace, controller.name());
    HttpRequest request =
        http.newHttpRequestBuilder()
            .uri(server + path)
            .header("Accept", METADATA_ONLY)
            .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
            .build();
    return http.sendAsync(request, byte[].class)
        .thenApply(
            response ->
                object(path, response)
                    .filter(found -> found.at("/metadata/uid").asText().equals(controller.uid()))
                    .map(found -> PodSubject.of(namespace, found))
                    .map(found -> Link.of(controller, found.baseName(), found.controller())));
  }

  /** Reads a complete object; empty if it was deleted or its kind is not served. */
  public CompletableFuture<Optional<JsonNode>> readWhole(String path) {
    HttpRequest request =
        http.newHttpRequestBuilder()
            .uri(server + path)
            .header("Accept", "application/json")
            .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
            .build();
    return http.sendAsync(request, byte[].class).thenApply(response -> object(path, response));
  }

  private static Optional<JsonNode> object(String path, HttpResponse<byte[]> response) {
    if (response.code() == HttpURLConnection.HTTP_NOT_FOUND) {
      return Optional.empty();
    }
    if (response.code() != HttpURLConnection.HTTP_OK) {
      throw new UncheckedIOException(
          new IOException("the API server answered " + response.code() + " to get " + path));
    }
    try {
      byte[] body = Objects.requireNonNullElse(response.body(), new byte[0]);
      return Optional.of(JSON.readTree(body));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
