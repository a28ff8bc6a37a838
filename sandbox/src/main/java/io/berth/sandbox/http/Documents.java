package io.berth.sandbox.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.discovery.Discovery;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.openapi.EmptyDocument;
import io.berth.sandbox.openapi.OpenApiDocuments;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Serves requests that do not concern objects: health, version, discovery, and OpenAPI. */
final class Documents {
  private static final Set<String> HEALTH = Set.of("healthz", "livez", "readyz");

  private final Discovery discovery;
  private final OpenApiDocuments openApi;
  private final Aggregation aggregation;

  Documents(Discovery discovery, OpenApiDocuments openApi, Aggregation aggregation) {
    this.aggregation = aggregation;
    this.discovery = discovery;
    this.openApi = openApi;
  }

  /**
   * Returns whether this class serves a path: group and version paths, and everything outside of
   * /api and /apis.
   */
  boolean answers(List<String> path) {
    if (path.isEmpty()) {
      return true;
    }
    return switch (path.getFirst()) {
      case "api" -> path.size() <= 2;
      case "apis" -> path.size() <= 3;
      default -> true;
    };
  }

  void answer(Request request) throws IOException {
    if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
      throw Failures.methodNotAllowed();
    }
    List<String> path = request.path();
    String first = path.isEmpty() ? "" : path.getFirst();
    if (HEALTH.contains(first)) {
      Answer.text(request, 200, "ok");
      return;
    }
    if (path.equals(List.of("openapi", "v2"))) {
      openApiV2(request);
      return;
    }
    AtomicReference<String> contentType = new AtomicReference<>("application/json");
    ObjectNode document =
        switch (first) {
          case "version" -> version();
          case "api" -> core(request, path, contentType::set);
          case "apis" -> groups(request, path, contentType::set);
          case "openapi" -> openApi(path);
          case "" -> paths();
          default -> throw Failures.noSuchPath();
        };
    Answer.bytes(request, 200, contentType.get(), Json.write(document));
  }

  private ObjectNode core(Request request, List<String> path, Consumer<String> contentType) {
    Accepted accepted = Accepted.of(request);
    if (path.size() == 1) {
      return accepted.form() == Accepted.Form.DISCOVERY
          ? aggregated(true, accepted, contentType)
          : discovery.apiVersions(request.header("Host"));
    }
    return discovery.apiResources("", path.get(1)).orElseThrow(Failures::noSuchPath);
  }

  private ObjectNode groups(Request request, List<String> path, Consumer<String> contentType) {
    Accepted accepted = Accepted.of(request);
    return switch (path.size()) {
      case 1 ->
          accepted.form() == Accepted.Form.DISCOVERY
              ? aggregated(false, accepted, contentType)
              : withRemote(discovery.apiGroups());
      case 2 -> discovery.apiGroup(path.get(1)).orElseThrow(Failures::noSuchPath);
      default -> discovery.apiResources(path.get(1), path.get(2)).orElseThrow(Failures::noSuchPath);
    };
  }

  private ObjectNode aggregated(boolean core, Accepted accepted, Consumer<String> contentType) {
    contentType.accept(
        "application/json;as=APIGroupDiscoveryList;v="
            + accepted.version()
            + ";g="
            + accepted.group());
    ObjectNode document = discovery.aggregated(core, accepted.version());
    if (!core && accepted.version().equals("v2")) {
      aggregation.addGroups(document, true);
    }
    return document;
  }

  private ObjectNode withRemote(ObjectNode groups) {
    aggregation.addGroups(groups, false);
    return groups;
  }

  private void openApiV2(Request request) throws IOException {
    String release = openApi.version().release();
    String accepted = Objects.requireNonNullElse(request.header("Accept"), "");
    if (accepted.contains("com.github.proto-openapi.spec.v2")) {
      Answer.bytes(
          request, 200, EmptyDocument.PROTOBUF, EmptyDocument.protobuf("Kubernetes", release));
    } else {
      Answer.json(request, 200, EmptyDocument.json("Kubernetes", release));
    }
  }

  private ObjectNode openApi(List<String> path) {
    if (path.size() < 2 || !path.get(1).equals("v3")) {
      throw Failures.noSuchPath();
    }
    if (path.size() == 2) {
      ObjectNode index = openApi.index();
      aggregation.addDocuments(index);
      return index;
    }
    boolean core = path.get(2).equals("api") && path.size() == 4;
    if (!core && !(path.get(2).equals("apis") && path.size() == 5)) {
      throw Failures.noSuchPath();
    }
    return openApi
        .document(core ? "" : path.get(3), path.getLast())
        .orElseThrow(Failures::noSuchPath);
  }

  private static ObjectNode paths() {
    ObjectNode document = Json.object();
    List.of(
            "/api",
            "/apis",
            "/healthz",
            "/livez",
            "/openapi/v2",
            "/openapi/v3",
            "/readyz",
            "/version")
        .forEach(document.putArray("paths")::add);
    return document;
  }

  private ObjectNode version() {
    KubernetesVersion version = openApi.version();
    return Json.object()
        .put("major", "1")
        .put("minor", String.valueOf(version.minor()))
        .put("gitVersion", version.release() + "+berth-sandbox")
        .put("gitCommit", "")
        .put("gitTreeState", "clean")
        .put("buildDate", "2026-11-21T00:00:00Z")
        .put("goVersion", "none")
        .put("compiler", "javac")
        .put("platform", "jvm/" + System.getProperty("os.arch"));
  }
}
