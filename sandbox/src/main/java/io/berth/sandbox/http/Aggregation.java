package io.berth.sandbox.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.admission.webhook.ServerClients;
import io.berth.sandbox.admission.webhook.ServiceResolver;
import io.berth.sandbox.auth.Access;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;

/**
 * The APIs that other servers serve according to APIServices: requests are forwarded to them with a
 * client certificate, and with the user in headers.
 */
final class Aggregation implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Aggregation.class.getName());
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String DISCOVERY =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

  private final ObjectStore store;
  private final ResourceType type;
  private final ServiceResolver services;
  private final ServerClients clients;

  /**
   * @param type the resource type of APIServices
   * @param certificate the certificate with which the servers recognize this one
   */
  Aggregation(
      ObjectStore store, ResourceType type, ServiceResolver services, X509KeyManager certificate) {
    this.store = store;
    this.type = type;
    this.services = services;
    this.clients = new ServerClients(new KeyManager[] {certificate});
  }

  /** Returns the spec of the APIService that serves a path; empty if this server serves it. */
  Optional<JsonNode> of(List<String> path) {
    List<String> rest =
        path.size() > 2 && path.getFirst().equals("openapi") ? path.subList(2, path.size()) : path;
    if (rest.size() < 2 || !rest.getFirst().equals("apis")) {
      return Optional.empty();
    }
    return remote().stream()
        .filter(spec -> spec.path("group").asText().equals(rest.get(1)))
        .filter(spec -> rest.size() < 3 || spec.path("version").asText().equals(rest.get(2)))
        .findFirst();
  }

  private List<JsonNode> remote() {
    return store.list(type.storage(), null).objects().stream()
        .map(StoredObject::json)
        .map(object -> object.path("spec"))
        .filter(spec -> spec.path("service").isObject())
        .toList();
  }

  /** Returns the access that a forwarded request needs. */
  static Access access(Request request) {
    List<String> path = request.path();
    if (path.size() <= 3 || path.getFirst().equals("openapi")) {
      return Access.toPath("get", request.rawPath());
    }
    List<String> rest = path.subList(3, path.size());
    String namespace = "";
    if (rest.size() > 2 && rest.getFirst().equals("namespaces")) {
      namespace = rest.get(1);
      rest = rest.subList(2, rest.size());
    }
    String name = rest.size() > 1 ? rest.get(1) : "";
    String verb =
        switch (request.method()) {
          case "GET", "HEAD" -> !name.isEmpty() ? "get" : request.flag("watch") ? "watch" : "list";
          case "POST" -> "create";
          case "PUT" -> "update";
          case "PATCH" -> "patch";
          default -> name.isEmpty() ? "deletecollection" : "delete";
        };
    String subresource = rest.size() > 2 ? rest.get(2) : "";
    return new Access(verb, path.get(1), rest.getFirst(), subresource, namespace, name, "");
  }

  /** Forwards a request, and passes the response on. */
  void forward(Request request, Caller caller, JsonNode spec) throws IOException {
    HttpRequest.Builder forwarded =
        builder(spec, request.exchange().getRequestURI().toString(), caller)
            .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(request.body()));
    for (String header : List.of("Accept", "Content-Type")) {
      if (!request.header(header).isEmpty()) {
        forwarded.header(header, request.header(header));
      }
    }
    HttpResponse<byte[]> response = send(spec, forwarded.build());
    for (String header : List.of("Warning", "Retry-After", "Allow")) {
      response
          .headers()
          .firstValue(header)
          .ifPresent(value -> request.exchange().getResponseHeaders().add(header, value));
    }
    Answer.bytes(
        request,
        response.statusCode(),
        response.headers().firstValue("Content-Type").orElse("application/json"),
        response.body());
  }

  /**
   * Adds the groups of other servers to a discovery document; those that do not answer are left
   * out.
   */
  void addGroups(ObjectNode document, boolean aggregated) {
    ArrayNode groups = document.withArrayProperty(aggregated ? "items" : "groups");
    for (JsonNode spec : remote()) {
      try {
        JsonNode answer =
            Json.MAPPER.readTree(
                send(
                        spec,
                        builder(spec, "/apis", Caller.controlPlane("aggregator"))
                            .header("Accept", aggregated ? DISCOVERY : "application/json")
                            .GET()
                            .build())
                    .body());
        answer.path(aggregated ? "items" : "groups").forEach(groups::add);
      } catch (IOException | RuntimeException e) {
        LOG.log(Level.DEBUG, "an APIService does not answer: {0}", e.getMessage());
      }
    }
  }

  /** Adds the OpenAPI documents of other servers to the index of version 3. */
  void addDocuments(ObjectNode index) {
    for (JsonNode spec : remote()) {
      String path = "apis/" + spec.path("group").asText() + "/" + spec.path("version").asText();
      index
          .withObjectProperty("paths")
          .putObject(path)
          .put("serverRelativeURL", "/openapi/v3/" + path);
    }
  }

  private HttpRequest.Builder builder(JsonNode spec, String path, Caller caller) {
    JsonNode service = spec.path("service");
    InetSocketAddress address =
        services
            .resolve(
                service.path("namespace").asText(),
                service.path("name").asText(),
                service.path("port").asInt(443))
            .orElseThrow(Aggregation::unavailable);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("https://" + address.getHostString() + ":" + address.getPort() + path))
            .timeout(TIMEOUT)
            .header("X-Remote-User", caller.name());
    if (!caller.uid().isEmpty()) {
      request.header("X-Remote-Uid", caller.uid());
    }
    caller.groups().forEach(group -> request.header("X-Remote-Group", group));
    caller
        .extra()
        .forEach(
            (key, values) ->
                values.forEach(
                    value ->
                        request.header(
                            "X-Remote-Extra-" + URLEncoder.encode(key, StandardCharsets.UTF_8),
                            value)));
    return request;
  }

  private HttpResponse<byte[]> send(JsonNode spec, HttpRequest request) throws IOException {
    JsonNode service = spec.path("service");
    String serverName =
        service.path("name").asText() + "." + service.path("namespace").asText() + ".svc";
    try {
      return clients
          .to(serverName, spec.path("caBundle").asText(""))
          .send(request, HttpResponse.BodyHandlers.ofByteArray());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable();
    } catch (IOException | GeneralSecurityException e) {
      LOG.log(Level.DEBUG, "{0} does not answer: {1}", serverName, e.getMessage());
      throw unavailable();
    }
  }

  private static RuntimeException unavailable() {
    return Failures.unavailable("the server is currently unable to handle the request");
  }

  @Override
  public void close() {
    clients.close();
  }
}
