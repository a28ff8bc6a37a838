package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.http.QueryParameters;
import io.berth.operator.query.ResourceAccess.Action;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.RequestHandler;
import io.berth.serving.http.RequestHead;
import java.time.Clock;
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

  private final FrontProxy proxy;
  private final ResourceAccess access;
  private final ObjectReads reads;
  private final PlacementReviews placements;
  private final PolicyReviews policies;
  private final NodeVerdicts verdicts;
  private final OtherReplicas others;
  private final Clock clock;

  QueryRequests(
      FrontProxy proxy,
      ResourceAccess access,
      ObjectReads reads,
      PlacementReviews placements,
      PolicyReviews policies,
      NodeVerdicts verdicts,
      OtherReplicas others,
      Clock clock) {
    this.proxy = proxy;
    this.access = access;
    this.reads = reads;
    this.placements = placements;
    this.policies = policies;
    this.verdicts = verdicts;
    this.others = others;
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
    if (target.get().isOneReview()) {
      return Optional.of(
          ApiStatus.failure(405, "reviews are not stored, so they can only be created")
              .with("Allow", ""));
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
    boolean isVerdict = !target.node().isEmpty();
    if (!target.resource().isReview() && !isVerdict) {
      return reads.answer(head, user, target, query);
    }
    access.require(user, target.action());
    return switch (target.resource()) {
      case DECISIONS -> nodeVerdict(user, target, query);
      case PLACEMENT_REVIEWS -> placementReview(user, target, query, head, body);
      case POLICY_REVIEWS, LOCAL_POLICY_REVIEWS -> policyReview(user, target, query, head, body);
      case POOLS, PENDING_REASONS ->
          throw new IllegalStateException(target.resource() + " are read");
    };
  }

  /** Returns the verdict about a node, as text if the query has {@code output=text}. */
  private HttpAnswer nodeVerdict(ApiUser user, RequestTarget target, QueryParameters query)
      throws ApiException {
    ObjectNode verdict = verdicts.answer(user, target, access.may(user, Action.listNodes()));
    return query.first("output").equals("text")
        ? HttpAnswer.text(200, NodeVerdictText.of(verdict))
        : ApiStatus.json(200, verdict);
  }

  /** Lets another replica answer if more than one pod is to be placed. */
  private HttpAnswer placementReview(
      ApiUser user, RequestTarget target, QueryParameters query, RequestHead head, byte[] body)
      throws ApiException {
    ReviewRequest request =
        ReviewRequest.read(target, query, body, ReviewSpec.FIELDS, ReviewSpec::types);
    ReviewSpec spec = ReviewSpec.read(request.spec());
    boolean namesNodes = access.may(user, Action.listNodes());
    if (spec.changesNodes() && !namesNodes) {
      access.require(user, Action.listNodes());
    }
    Optional<HttpAnswer> fromAnother =
        spec.placesSeveral() ? others.answer(head, body) : Optional.empty();
    if (fromAnother.isPresent()) {
      return fromAnother.get();
    }
    return request.answered(
        placements.answer(user, target.namespace(), spec, namesNodes), clock.instant());
  }

  /**
   * Answers about all pods only users who may see all pods and nodes. Lets another replica answer
   * if one can.
   */
  private HttpAnswer policyReview(
      ApiUser user, RequestTarget target, QueryParameters query, RequestHead head, byte[] body)
      throws ApiException {
    ReviewRequest request =
        ReviewRequest.read(
            target, query, body, PolicyReviews.FIELDS, review -> PolicyReviews.TYPES);
    if (target.namespace().isEmpty()) {
      access.require(user, Action.listPods());
      access.require(user, Action.listNodes());
    }
    Optional<HttpAnswer> fromAnother = others.answer(head, body);
    if (fromAnother.isPresent()) {
      return fromAnother.get();
    }
    return request.answered(
        policies.answer(user, request, access.may(user, Action.listNodes())), clock.instant());
  }
}
