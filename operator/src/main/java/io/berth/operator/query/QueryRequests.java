package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.http.Explainer;
import io.berth.operator.http.QueryParameters;
import io.berth.operator.query.ResourceAccess.Action;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.RequestHandler;
import io.berth.serving.http.RequestHead;
import io.berth.webhook.error.ObjectNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of the API group. The TLS handshake has verified that an API server forwards them,
 * whose headers name the user.
 */
final class QueryRequests implements RequestHandler {
  private static final Logger LOG = LoggerFactory.getLogger(QueryRequests.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The most decisions in one response, also if the client asks for more. */
  private static final int MOST_DECISIONS = 2_000;

  private static final List<String> FIELD_VALIDATION = List.of("", "Ignore", "Warn", "Strict");

  private final FrontProxy proxy;
  private final ResourceAccess access;
  private final Explainer explainer;
  private final PlacementReviews reviews;
  private final Clock clock;

  QueryRequests(
      FrontProxy proxy,
      ResourceAccess access,
      Explainer explainer,
      PlacementReviews reviews,
      Clock clock) {
    this.proxy = proxy;
    this.access = access;
    this.explainer = explainer;
    this.reviews = reviews;
    this.clock = clock;
  }

  /**
   * A request for a resource.
   *
   * @param namespace empty for all namespaces
   * @param name empty for all objects
   */
  private record Target(String namespace, String resource, String name) {
    /** Returns the target of a path below the version; empty if there is no such resource. */
    static Optional<Target> of(String path) {
      String[] names = path.substring(QueryApi.ROOT.length() + 1).split("/", -1);
      if (names.length == 1 && names[0].equals(QueryApi.DECISIONS)) {
        return Optional.of(new Target("", names[0], ""));
      }
      boolean namespaced =
          (names.length == 3 || names.length == 4)
              && names[0].equals("namespaces")
              && ObjectNames.isValid(names[1]);
      if (namespaced && names.length == 3 && names[2].equals(QueryApi.PLACEMENT_REVIEWS)) {
        return Optional.of(new Target(names[1], names[2], ""));
      }
      if (namespaced && names[2].equals(QueryApi.DECISIONS)) {
        String name = names.length == 4 ? names[3] : "";
        return names.length == 4 && !ObjectNames.isValid(name)
            ? Optional.empty()
            : Optional.of(new Target(names[1], names[2], name));
      }
      return Optional.empty();
    }

    boolean isReview() {
      return resource.equals(QueryApi.PLACEMENT_REVIEWS);
    }
  }

  @Override
  public Optional<HttpAnswer> refusal(RequestHead head) {
    if (!head.path().startsWith(QueryApi.ROOT + "/")) {
      return head.method().equals("GET") ? Optional.empty() : Optional.of(notAllowed(head, "GET"));
    }
    Optional<Target> target = Target.of(head.path());
    if (target.isEmpty()) {
      return Optional.of(
          ApiStatus.failure(404, "the server could not find the requested resource"));
    }
    String wanted = target.get().isReview() ? "POST" : "GET";
    if (!head.method().equals(wanted)) {
      return Optional.of(notAllowed(head, wanted));
    }
    if (target.get().isReview() && !isJson(head)) {
      return Optional.of(
          ApiStatus.failure(415, "send a PlacementReview with Content-Type: application/json"));
    }
    return Optional.empty();
  }

  private static HttpAnswer notAllowed(RequestHead head, String allowed) {
    return ApiStatus.failure(
            405, "%s is not possible here; only %s is".formatted(head.method(), allowed))
        .with("Allow", allowed);
  }

  private static boolean isJson(RequestHead head) {
    return head.header("Content-Type")
        .map(type -> type.toLowerCase(Locale.ROOT).split(";", 2)[0].strip())
        .filter("application/json"::equals)
        .isPresent();
  }

  @Override
  public HttpAnswer answer(RequestHead head, byte[] body) {
    try {
      return head.path().startsWith(QueryApi.ROOT + "/")
          ? resource(head, Target.of(head.path()).orElseThrow(), body)
          : document(head);
    } catch (ApiException e) {
      return e.answer();
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", head.method(), head.path(), e);
      return ApiStatus.failure(500, "internal error; see Berth's log");
    }
  }

  private static HttpAnswer document(RequestHead head) {
    return switch (head.path()) {
      case "/apis", "/apis/" -> Discovery.groups(head.header("Accept").orElse(""));
      case "/apis/" + QueryApi.GROUP -> Discovery.group();
      case QueryApi.ROOT -> Discovery.resources();
      case "/openapi/v2" -> OpenApi.v2();
      case "/openapi/v3" -> OpenApi.index();
      case "/openapi/v3" + QueryApi.ROOT -> OpenApi.v3();
      default -> ApiStatus.failure(404, "the server could not find the requested resource");
    };
  }

  private HttpAnswer resource(RequestHead head, Target target, byte[] body) throws ApiException {
    ApiUser user =
        proxy
            .user(head)
            .orElseThrow(() -> new ApiException(401, "the request does not name a user"));
    QueryParameters query = QueryParameters.of(head.query());
    if (target.isReview()) {
      access.require(user, action("create", target));
      return review(user, target, query, body);
    }
    if (query.first("watch").equals("true") || query.first("watch").equals("1")) {
      throw new ApiException(405, "decisions cannot be watched; list them again");
    }
    access.require(user, action(target.name().isEmpty() ? "list" : "get", target));
    DecisionObjects writer = new DecisionObjects(access.may(user, Action.listNodes()));
    ObjectNode found =
        target.name().isEmpty()
            ? list(target.namespace(), query, writer)
            : writer.of(
                explained(explainer.explain(target.namespace(), target.name(), true, false)));
    boolean asTable =
        head.header("Accept").filter(accept -> accept.contains("as=Table")).isPresent();
    return ApiStatus.json(200, asTable ? DecisionTable.of(found, clock.instant()) : found);
  }

  private static Action action(String verb, Target target) {
    return new Action(verb, QueryApi.GROUP, target.resource(), target.namespace(), target.name());
  }

  private ObjectNode list(String namespace, QueryParameters query, DecisionObjects writer)
      throws ApiException {
    if (!query.first("labelSelector").isEmpty() || !query.first("fieldSelector").isEmpty()) {
      throw new ApiException(400, "decisions cannot be selected by labels or fields");
    }
    int limit = Math.min(MOST_DECISIONS, query.number("limit").orElse(MOST_DECISIONS));
    JsonNode page =
        explained(explainer.decisions(namespace, query.first("continue"), limit, false));
    ObjectNode list = QueryApi.object("DecisionList");
    ObjectNode metadata = list.putObject("metadata");
    ArrayNode items = list.putArray("items");
    String last = "";
    for (JsonNode explained : page.path("items")) {
      items.add(writer.of(explained));
      last = explained.path("namespace").asText() + "/" + explained.path("pod").asText();
    }
    if (page.path("remaining").asInt() > 0) {
      metadata.put("continue", last).put("remainingItemCount", page.path("remaining").asInt());
    }
    return list;
  }

  /** Returns the content of an explanation, from this replica or the leader. */
  private static JsonNode explained(HttpAnswer answer) throws ApiException {
    String text = new String(answer.body(), StandardCharsets.UTF_8).strip();
    if (answer.status() != 200) {
      throw new ApiException(answer.status() == 502 ? 503 : answer.status(), message(text));
    }
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new ApiException(503, "the leader's answer cannot be read: " + e.getMessage());
    }
  }

  /** Returns the message of a failure, which the leader may have worded as a Status. */
  private static String message(String text) {
    try {
      return JSON.readTree(text).path("message").asText(text);
    } catch (IOException notJson) {
      return text;
    }
  }

  private HttpAnswer review(ApiUser user, Target target, QueryParameters query, byte[] body)
      throws ApiException {
    ObjectNode review = object(body);
    String dryRun = query.first("dryRun");
    if (!dryRun.isEmpty() && !dryRun.equals("All")) {
      throw new ApiException(400, "dryRun must be All");
    }
    String validation = query.first("fieldValidation");
    if (!FIELD_VALIDATION.contains(validation)) {
      throw new ApiException(400, "fieldValidation must be Ignore, Warn, or Strict");
    }
    List<String> unknown = ReviewSpec.unknownFields(review);
    if (validation.equals("Strict") && !unknown.isEmpty()) {
      throw new ApiException(
          400,
          "strict decoding error: unknown field \""
              + String.join("\", unknown field \"", unknown)
              + "\"");
    }
    String namespace = review.at("/metadata/namespace").asText(target.namespace());
    if (!namespace.equals(target.namespace())) {
      throw new ApiException(
          400, "the namespace of the object does not match the namespace of the request");
    }
    ReviewSpec spec = ReviewSpec.read(review);
    boolean namesNodes = access.may(user, Action.listNodes());
    if (spec.changesNodes() && !namesNodes) {
      access.require(user, Action.listNodes());
    }
    HttpAnswer answer =
        ApiStatus.json(201, reviews.answer(user, target.namespace(), review, spec, namesNodes));
    return unknown.isEmpty() || validation.equals("Ignore")
        ? answer
        : answer.with(
            "Warning",
            "299 - \"unknown field "
                + String.join(", unknown field ", unknown).replace("\"", "'")
                + "\"");
  }

  private static ObjectNode object(byte[] body) throws ApiException {
    try {
      if (JSON.readTree(body) instanceof ObjectNode object) {
        return object;
      }
    } catch (IOException e) {
      throw new ApiException(400, "the body is not JSON: " + e.getMessage());
    }
    throw new ApiException(400, "the body must be a PlacementReview");
  }
}
