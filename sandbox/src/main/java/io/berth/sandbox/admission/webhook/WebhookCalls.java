package io.berth.sandbox.admission.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;

/** Sends AdmissionReviews to webhooks. */
final class WebhookCalls implements AutoCloseable {
  private final ServiceResolver services;
  private final ServerClients clients = new ServerClients(null);

  private record Destination(URI uri, String serverName, String shown) {}

  WebhookCalls(ServiceResolver services) {
    this.services = services;
  }

  /** Calls a webhook and returns the {@code response} of its AdmissionReview. */
  JsonNode call(Webhook webhook, ObjectNode review) throws IOException {
    ObjectNode body = Json.object();
    body.put("kind", "AdmissionReview").put("apiVersion", "admission.k8s.io/v1");
    body.set("request", review);
    Destination destination = destination(webhook);
    HttpRequest post =
        HttpRequest.newBuilder(destination.uri)
            .timeout(Duration.ofSeconds(webhook.timeoutSeconds()))
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, */*")
            .POST(HttpRequest.BodyPublishers.ofByteArray(Json.write(body)))
            .build();
    HttpResponse<byte[]> answer = send(webhook, destination, post);
    if (answer.statusCode() != 200) {
      String text = new String(answer.body(), StandardCharsets.UTF_8).strip();
      throw new IOException(
          "an error on the server (\"" + text + "\") has prevented the request from succeeding");
    }
    JsonNode response = Json.MAPPER.readTree(answer.body()).path("response");
    if (!response.isObject()) {
      throw new IOException("webhook response was absent");
    }
    if (!response.path("uid").asText("").equals(review.path("uid").asText())) {
      throw new IOException(
          "expected response.uid=\""
              + review.path("uid").asText()
              + "\", got \""
              + response.path("uid").asText("")
              + "\"");
    }
    return response;
  }

  private HttpResponse<byte[]> send(Webhook webhook, Destination to, HttpRequest post)
      throws IOException {
    String words = "failed to call webhook: Post \"" + to.shown + "\": ";
    try {
      return clients
          .to(to.serverName, webhook.clientConfig().path("caBundle").asText(""))
          .send(post, HttpResponse.BodyHandlers.ofByteArray());
    } catch (HttpTimeoutException e) {
      throw new IOException(words + "context deadline exceeded", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(words + "the server is shutting down", e);
    } catch (IOException e) {
      String why = e.getMessage() == null ? "connect: connection refused" : e.getMessage();
      throw new IOException(words + why, e);
    } catch (GeneralSecurityException e) {
      throw new IOException(words + "unable to load root certificates: " + e.getMessage(), e);
    }
  }

  private Destination destination(Webhook webhook) throws IOException {
    JsonNode config = webhook.clientConfig();
    String timeout = "?timeout=" + webhook.timeoutSeconds() + "s";
    if (config.has("url")) {
      URI uri = URI.create(config.path("url").asText() + timeout);
      return new Destination(uri, uri.getHost(), uri.toString());
    }
    JsonNode service = config.path("service");
    String namespace = service.path("namespace").asText();
    String name = service.path("name").asText();
    int port = service.path("port").asInt(443);
    String serverName = name + "." + namespace + ".svc";
    String path = service.path("path").asText("/") + timeout;
    String shown = "https://" + serverName + ":" + port + path;
    Optional<InetSocketAddress> address = services.resolve(namespace, name, port);
    if (address.isEmpty()) {
      throw new IOException(
          "failed to call webhook: Post \"" + shown + "\": service \"" + name + "\" not found");
    }
    String at = "https://" + address.get().getHostString() + ":" + address.get().getPort() + path;
    return new Destination(URI.create(at), serverName, shown);
  }

  @Override
  public void close() {
    clients.close();
  }
}
