package io.berth.sandbox.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.berth.sandbox.auth.Access;
import io.berth.sandbox.auth.ApiUse;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.auth.RbacAuthorizer;
import io.berth.sandbox.auth.Tokens;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.resource.ReadOnlySource;
import io.berth.sandbox.rest.Operations;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.StoredObject;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The handler of all requests: authenticates and authorizes a request, then dispatches it to the
 * class that serves it.
 */
final class ApiHandler implements HttpHandler {
  private static final Logger LOG = System.getLogger(ApiHandler.class.getName());
  private static final String BEARER = "Bearer ";

  private final Operations operations;
  private final Tokens tokens;
  private final RbacAuthorizer authorizer;
  private final Documents documents;
  private final Aggregation aggregation;
  private final Lists lists;
  private final Watches watches;
  private final Writes writes;
  private final ComputedReads computed;
  private final Map<ApiUse, LongAdder> usage = new ConcurrentHashMap<>();

  ApiHandler(
      Operations operations,
      Tokens tokens,
      RbacAuthorizer authorizer,
      Documents documents,
      Aggregation aggregation,
      Lists lists,
      Watches watches,
      Writes writes,
      ComputedReads computed) {
    this.operations = operations;
    this.tokens = tokens;
    this.authorizer = authorizer;
    this.documents = documents;
    this.aggregation = aggregation;
    this.lists = lists;
    this.watches = watches;
    this.writes = writes;
    this.computed = computed;
  }

  Map<ApiUse, LongAdder> usage() {
    return usage;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Request request = new Request(exchange);
      try {
        serve(request);
      } catch (ApiException e) {
        if (exchange.getResponseCode() < 0) {
          Answer.failure(request, e);
        } else {
          LOG.log(
              Level.DEBUG,
              "{0} failed after its response had started: {1}",
              request.rawPath(),
              e.getMessage());
        }
      }
    } catch (ApiException e) {
      byte[] body = Json.write(e.status());
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(e.code(), body.length);
      exchange.getResponseBody().write(body);
    } catch (RuntimeException e) {
      LOG.log(
          Level.ERROR,
          () -> exchange.getRequestMethod() + " " + exchange.getRequestURI() + " failed",
          e);
      if (exchange.getResponseCode() < 0) {
        Answer.failure(new Request(exchange), Failures.internal(String.valueOf(e)));
      }
    }
  }

  private void serve(Request request) throws IOException {
    Caller caller = Impersonation.of(request, authenticate(request), authorizer);
    List<String> path = request.path();
    Optional<JsonNode> remote = aggregation.of(path);
    if (remote.isPresent()) {
      Access access = Aggregation.access(request);
      count(caller, access);
      authorizer.require(caller, access);
      aggregation.forward(request, caller, remote.get());
      return;
    }
    if (documents.answers(path)) {
      Access access = Access.toPath(request.method().toLowerCase(Locale.ROOT), request.rawPath());
      authorizer.require(caller, access);
      documents.answer(request);
      return;
    }
    Target target = Target.of(operations.registry(), path);
    String verb = verb(request, target);
    Access access =
        new Access(
            verb,
            target.type().group(),
            target.type().plural(),
            target.subresource(),
            target.type().is("", "namespaces") ? target.name() : target.namespace(),
            target.name().isEmpty() ? selectedName(request) : target.name(),
            "");
    count(caller, access);
    authorizer.require(caller, access);
    serve(request, target, verb, caller);
  }

  /**
   * Returns the object name that a list or watch selects with {@code metadata.name}, so that rules
   * with resourceNames apply; empty if there is none.
   */
  private static String selectedName(Request request) {
    for (String term : request.parameter("fieldSelector").split(",")) {
      String[] sides = term.split("==?", 2);
      if (sides.length == 2 && sides[0].equals("metadata.name")) {
        return sides[1];
      }
    }
    return "";
  }

  private void count(Caller caller, Access access) {
    usage
        .computeIfAbsent(
            new ApiUse(
                caller.name(),
                caller.agent(),
                access.verb(),
                access.group(),
                access.fullResource()),
            use -> new LongAdder())
        .increment();
  }

  private Caller authenticate(Request request) {
    String header = request.header("Authorization");
    if (header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return tokens
          .verify(header.substring(BEARER.length()).strip(), request.agent())
          .orElseThrow(Failures::unauthorized);
    }
    if (!header.isEmpty()) {
      throw Failures.unauthorized();
    }
    return new Caller(
        "system:anonymous", "", List.of("system:unauthenticated"), Map.of(), request.agent());
  }

  private static String verb(Request request, Target target) {
    boolean collection = target.name().isEmpty();
    String verb =
        switch (request.method()) {
          case "GET", "HEAD" -> !collection ? "get" : request.flag("watch") ? "watch" : "list";
          case "POST" -> "create";
          case "PUT" -> "update";
          case "PATCH" -> "patch";
          case "DELETE" -> collection ? "deletecollection" : "delete";
          default -> throw Failures.methodNotAllowed();
        };
    boolean needsName = verb.equals("update") || verb.equals("patch");
    boolean offered = target.type().verbs().contains(verb) || !target.subresource().isEmpty();
    if (!offered || (needsName && collection)) {
      throw Failures.methodNotAllowed();
    }
    return verb;
  }

  private void serve(Request request, Target target, String verb, Caller caller)
      throws IOException {
    Optional<ReadOnlySource> source = operations.registry().source(target.type());
    if (source.isPresent()) {
      computed.answer(request, target, source.get());
      return;
    }
    if (PodStreams.are(target.subresource())) {
      throw PodStreams.refusal(
          operations.get(target.type(), target.scope(), target.name()), target.subresource());
    }
    switch (verb) {
      case "get" -> get(request, target);
      case "list" -> lists.answer(request, target);
      case "watch" -> watches.answer(request, target);
      case "create" -> writes.create(request, target, caller);
      case "update" -> writes.update(request, target, caller);
      case "patch" -> writes.patch(request, target, caller);
      case "delete" -> writes.delete(request, target, caller);
      default -> writes.deleteCollection(request, target, caller);
    }
  }

  private void get(Request request, Target target) throws IOException {
    StoredObject object = operations.get(target.type(), target.scope(), target.name());
    switch (target.subresource()) {
      case "log" -> Answer.text(request, 200, PodLog.of(object, request.parameter("container")));
      case "scale" -> Answer.json(request, 200, operations.scaling().show(object));
      case "binding", "eviction", "token" -> throw Failures.methodNotAllowed();
      default -> one(request, target, object);
    }
  }

  private void one(Request request, Target target, StoredObject object) throws IOException {
    Accepted accepted = Accepted.of(request, target.type());
    switch (accepted.form()) {
      case TABLE -> {
        ObjectNode metadata =
            Json.object().put("resourceVersion", Long.toString(object.resourceVersion()));
        Answer.json(
            request,
            200,
            lists
                .tables()
                .list(
                    target.type(),
                    List.of(object),
                    metadata,
                    accepted.version(),
                    request.parameter("includeObject")));
      }
      case METADATA -> Answer.json(request, 200, PartialMetadata.of(target.type(), object));
      default -> Answer.object(request, 200, target.type(), object);
    }
  }

  /** Read requests for computed resources. */
  static final class ComputedReads {
    private static final Set<String> METHODS = Set.of("GET", "HEAD");

    void answer(Request request, Target target, ReadOnlySource source) throws IOException {
      if (!METHODS.contains(request.method()) || request.flag("watch")) {
        throw Failures.methodNotAllowed();
      }
      if (!target.name().isEmpty()) {
        ObjectNode found =
            source
                .get(target.namespace(), target.name())
                .orElseThrow(() -> Failures.notFound(target.type().qualified(), target.name()));
        Answer.json(request, 200, found);
        return;
      }
      ListQuery query = ListQuery.of(request, target.type(), false);
      ObjectNode list =
          Json.object()
              .put("kind", target.type().listKind())
              .put("apiVersion", target.type().apiVersion());
      list.putObject("metadata");
      ArrayNode items = list.putArray("items");
      for (ObjectNode object : source.list(target.scope())) {
        StoredObject wrapped =
            StoredObject.unstored(
                target.type().storage(),
                target
                    .type()
                    .key(
                        object.path("metadata").path("namespace").asText(),
                        object.path("metadata").path("name").asText()),
                object);
        if (query.selects(wrapped)) {
          items.add(object);
        }
      }
      Answer.json(request, 200, list);
    }
  }
}
