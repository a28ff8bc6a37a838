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

  private final FrontProxy proxy;
  private final ResourceAccess access;
  private final Explainer explainer;
  private final PlacementReviews placements;
  private final PolicyReviews policies;
  private final NodeVerdicts verdicts;
  private final NodePools pools;
  private final PendingReasons pending;
  private final Clock clock;

  QueryRequests(
      FrontProxy proxy,
      ResourceAccess access,
      Explainer explainer,
      PlacementReviews placements,
      PolicyReviews policies,
      NodeVerdicts verdicts,
      NodePools pools,
      PendingReasons pending,
      Clock clock) {
    this.proxy = proxy;
    this.access = access;
    this.explainer = explainer;
    this.placements = placements;
    this.policies = policies;
    this.verdicts = verdicts;
    this.pools = pools;
    this.pending = pending;
    this.clock = clock;
  }

  @Override
  public Optional<HttpAnswer> refusal(RequestHead head) {
    if (!head.path().startsWith(QueryApi.ROOT + "/")) {
      return head.method().equals("GET") ? Optional.empty() : Optional.of(notAllowed(head, "GET"));
    }
    Optional<RequestTarget> target = RequestTarget.of(head.path());
    if (target.isEmpty()) {
      return Optional.of(
          ApiStatus.failure(404, "the server could not find the requested resource"));
    }
    String wanted = target.get().method();
    if (!head.method().equals(wanted)) {
      return Optional.of(notAllowed(head, wanted));
    }
    if (target.get().resource().isReview() && !isJson(head)) {
      return Optional.of(
          ApiStatus.failure(
              415,
              "send a %s with Content-Type: application/json"
                  .formatted(target.get().resource().kind())));
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
          ? resource(head, RequestTarget.of(head.path()).orElseThrow(), body)
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

  private HttpAnswer resource(RequestHead head, RequestTarget target, byte[] body)
      throws ApiException {
    ApiUser user =
        proxy
            .user(head)
            .orElseThrow(() -> new ApiException(401, "the request does not name a user"));
    QueryParameters query = QueryParameters.of(head.query());
    access.require(user, target.action());
    return switch (target.resource()) {
      case DECISIONS ->
          target.node().isEmpty()
              ? decisions(head, user, target, query)
              : nodeVerdict(user, target, query);
      case POOLS -> clusterWide(head, target, query, pools.objects());
      case PENDING_REASONS -> clusterWide(head, target, query, pending.objects());
      case PLACEMENT_REVIEWS -> placementReview(user, target, query, body);
      case POLICY_REVIEWS, LOCAL_POLICY_REVIEWS -> policyReview(user, target, query, body);
    };
  }

  private HttpAnswer decisions(
      RequestHead head, ApiUser user, RequestTarget target, QueryParameters query)
      throws ApiException {
    notWatched(target, query);
    if (target.name().isEmpty()) {
      notSelected(target, query);
    }
    DecisionObjects writer = new DecisionObjects(access.may(user, Action.listNodes()));
    ObjectNode found =
        target.name().isEmpty()
            ? list(target.namespace(), query, writer)
            : writer.of(
                explained(explainer.explain(target.namespace(), target.name(), true, false)));
    return listed(head, target, found);
  }

  /** Returns the verdict about a node, as text if the query has {@code output=text}. */
  private HttpAnswer nodeVerdict(ApiUser user, RequestTarget target, QueryParameters query)
      throws ApiException {
    ObjectNode verdict = verdicts.answer(user, target, access.may(user, Action.listNodes()));
    return query.first("output").equals("text")
        ? HttpAnswer.text(200, NodeVerdictText.of(verdict))
        : ApiStatus.json(200, verdict);
  }

  private static void notWatched(RequestTarget target, QueryParameters query) throws ApiException {
    if (query.first("watch").equals("true") || query.first("watch").equals("1")) {
      throw new ApiException(
          405, target.resource().plural() + " cannot be watched; list them again");
    }
  }

  /** Returns an object or list, as a table if the client prefers it. */
  private HttpAnswer listed(RequestHead head, RequestTarget target, ObjectNode found) {
    boolean asTable =
        head.header("Accept").filter(accept -> accept.contains("as=Table")).isPresent();
    return ApiStatus.json(
        200, asTable ? ApiTables.of(target.resource()).of(found, clock.instant()) : found);
  }

  /** Answers from all objects of a resource that has no namespaces. */
  private HttpAnswer clusterWide(
      RequestHead head, RequestTarget target, QueryParameters query, List<ObjectNode> objects)
      throws ApiException {
    notWatched(target, query);
    notSelected(target, query);
    if (target.name().isEmpty()) {
      ObjectNode list = QueryApi.object(target.resource().kind() + "List");
      list.putObject("metadata");
      list.putArray("items").addAll(objects);
      return listed(head, target, list);
    }
    return listed(
        head,
        target,
        objects.stream()
            .filter(each -> each.at("/metadata/name").asText().equals(target.name()))
            .findFirst()
            .orElseThrow(
                () ->
                    new ApiException(
                        404,
                        "%s.%s \"%s\" not found"
                            .formatted(
                                target.resource().plural(), QueryApi.GROUP, target.name()))));
  }

  private static void notSelected(RequestTarget target, QueryParameters query) throws ApiException {
    if (!query.first("labelSelector").isEmpty() || !query.first("fieldSelector").isEmpty()) {
      throw new ApiException(
          400, target.resource().plural() + " cannot be selected by labels or fields");
    }
  }

  private ObjectNode list(String namespace, QueryParameters query, DecisionObjects writer)
      throws ApiException {
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

  private HttpAnswer placementReview(
      ApiUser user, RequestTarget target, QueryParameters query, byte[] body) throws ApiException {
    ReviewRequest request = ReviewRequest.read(target, query, body, ReviewSpec.FIELDS);
    ReviewSpec spec = ReviewSpec.read(request.spec());
    boolean namesNodes = access.may(user, Action.listNodes());
    if (spec.changesNodes() && !namesNodes) {
      access.require(user, Action.listNodes());
    }
    return request.answered(
        placements.answer(user, target.namespace(), spec, namesNodes), clock.instant());
  }

  /** Answers about all pods only users who may see all pods and nodes. */
  private HttpAnswer policyReview(
      ApiUser user, RequestTarget target, QueryParameters query, byte[] body) throws ApiException {
    ReviewRequest request = ReviewRequest.read(target, query, body, PolicyReviews.FIELDS);
    if (target.namespace().isEmpty()) {
      access.require(user, Action.listPods());
      access.require(user, Action.listNodes());
    }
    return request.answered(
        policies.answer(user, request, access.may(user, Action.listNodes())), clock.instant());
  }
}
