package io.berth.operator.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.whatif.Mirror;
import io.berth.operator.feed.FedPod;
import io.berth.operator.gpu.CardProtocols;
import io.berth.operator.http.DecisionsRequest;
import io.berth.operator.http.Explainer;
import io.berth.operator.schedule.EngineFeed;
import io.berth.operator.whatif.MirrorThread;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.RequestHandler;
import io.berth.serving.http.RequestHead;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The requests of two users on a cluster of two nodes: {@code admin} may do everything, and {@code
 * tenant} everything in the namespace {@code team-a}.
 */
final class QueryGround implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Clock CLOCK = Clock.systemUTC();
  private static final Set<String> SCHEDULERS = Set.of("berth");

  private static final String EXPLAINED =
      """
      {"namespace": "team-a", "pod": "web", "uid": "u", "at": "2026-01-01T00:00:00Z", "attempts": 2,
       "decision": "Placed", "node": "n1", "policy": "usual", "policyRevision": "1", "nodes": 2,
       "feasibleNodes": 2, "unconsideredNodes": 0, "message": "placed on n1",
       "notes": ["extender http://n2:80 was skipped"],
       "group": "group team-a/g", "groupProgress": {"placed": 1, "waiting": 2},
       "nominatedBefore": {"node": "n2", "victims": ["team-b/secret"], "message": "to n2"},
       "shadow": {"policy": "other", "result": "Failed", "message": "no node n2"},
       "earlier": [{"result": "Nominated", "at": "2026-01-01T00:00:00Z", "times": 1, "node": "n2",
                    "message": "for n2"},
                   {"result": "Unschedulable", "at": "2026-01-01T00:00:00Z", "times": 3,
                    "message": "0/2 nodes are available"}],
       "rejections": [{"plugin": "extender", "reason": "n2 is busy", "nodes": 1}],
       "outcome": "the Binding to n2 failed, then n1 took it", "victims": ["team-a/old", "team-b/secret"],
       "bestNodes": [{"node": "n1", "total": 10, "plugins": []},
                     {"node": "n2", "total": 9, "plugins": []}],
       "decidedBy": {"runnerUp": "n2", "lead": 1, "plugins": []}}
      """;

  private static final String EXPLAINED_WAITING =
      """
      {"namespace": "team-a", "pod": "waits", "uid": "w", "at": "2026-01-01T00:00:00Z",
       "attempts": 3, "decision": "Unschedulable", "policy": "usual", "policyRevision": "1",
       "nodes": 2, "feasibleNodes": 0, "unconsideredNodes": 0, "cause": "NO_ROOM",
       "message": "no node fits: extender http://ext rejected n2: n2 is full; pods would be evicted from n1",
       "wouldEvict": {"node": "n1", "victims": ["team-a/old", "team-b/secret"]},
       "earlier": [{"result": "Unschedulable", "at": "2026-01-01T00:00:00Z", "times": 3,
                    "message": "pods were evicted from n2.", "outcome": "n1: no answer"}],
       "rejections": [{"plugin": "extender", "reason": "(n1) and/or n2,", "nodes": 1}],
       "bestNodes": []}
      """;

  private final List<SubjectAccessReview> reviews = new ArrayList<>();
  private final List<ClusterEvent> events = new CopyOnWriteArrayList<>(events());
  private final EngineFeed feed =
      new EngineFeed(
          subscriber -> {
            events.forEach(subscriber);
            return () -> {};
          },
          subscriber -> events.forEach(subscriber));
  private final MirrorThread mirrors =
      new MirrorThread(feed, () -> new Mirror(EngineOptions.defaults()), CLOCK);
  private final List<FedPod> pods = new ArrayList<>();
  private final Map<String, JsonNode> stored = new HashMap<>();
  private final List<String> read = new CopyOnWriteArrayList<>();
  private final MirrorAnswers answers = new MirrorAnswers(mirrors);
  private volatile boolean failsReads;
  private final LiveCatalog catalog = new LiveCatalog("berth-system");
  private final Explained explainer = new Explained();
  private final ResourceAccess access = new ResourceAccess(this::reviewed, CLOCK);
  private final QueryRequests requests;

  QueryGround() {
    this(OtherReplicas.NONE);
  }

  QueryGround(OtherReplicas others) {
    this.requests =
        new QueryRequests(
            new FrontProxy(),
            access,
            new ObjectReads(readable(), access, new Watches(1, 1), CLOCK),
            new PlacementReviews(
                answers,
                new ReviewedPod(
                    new PodMutator(ConfigLookup.nothing(), CLOCK, SCHEDULERS),
                    new KubeEvents(new CardProtocols(false))),
                catalog,
                SCHEDULERS,
                CLOCK),
            new PolicyReviews(answers, catalog, renderings(), CLOCK),
            new NodeVerdicts(answers, CLOCK),
            others,
            CLOCK);
  }

  /** Returns the handler of the requests. */
  RequestHandler handler() {
    return requests;
  }

  private Renderings renderings() {
    return new Renderings(
        pods::stream,
        new PodOrigins(path -> CompletableFuture.completedFuture(stored(path))),
        new PodMutator(ConfigLookup.nothing(), CLOCK, SCHEDULERS),
        new KubeEvents());
  }

  /** Lets every read of an object from the API server fail, or no longer. */
  void failReads(boolean fail) {
    failsReads = fail;
  }

  private Optional<JsonNode> stored(String path) {
    if (failsReads) {
      throw new IllegalStateException("no answer today");
    }
    read.add(path);
    return Optional.ofNullable(stored.get(path));
  }

  private Map<QueryResource, ObjectSource> readable() {
    NodePools pools = new NodePools(feed, CLOCK);
    PendingReasons pending = new PendingReasons(pods::stream, SCHEDULERS, CLOCK);
    return Map.of(
        QueryResource.DECISIONS,
        new QueryableDecisions(
            explainer,
            (namespace, name) ->
                pods.stream()
                    .filter(pod -> pod.ref().namespace().equals(namespace))
                    .filter(pod -> pod.ref().name().equals(name))
                    .findFirst(),
            node -> node.equals("n1") || node.equals("n2")),
        QueryResource.POOLS,
        new QueryableClusterObjects(
            QueryResource.POOLS, new ComputedObjects(pools::objects, CLOCK), explainer),
        QueryResource.PENDING_REASONS,
        new QueryableClusterObjects(
            QueryResource.PENDING_REASONS,
            new ComputedObjects(pending::objects, CLOCK),
            explainer));
  }

  /** Explains one pod. */
  private static final class Explained implements Explainer {
    @Override
    public HttpAnswer explain(String namespace, String pod, boolean json, boolean fromReplica) {
      return switch (pod) {
        case "web" -> HttpAnswer.text(200, EXPLAINED);
        case "waits" -> HttpAnswer.text(200, EXPLAINED_WAITING);
        default -> HttpAnswer.text(404, "there is no decision about it");
      };
    }

    @Override
    public HttpAnswer decisions(DecisionsRequest asked, boolean fromReplica) {
      return asked.after().isEmpty()
          ? HttpAnswer.text(
              200, "{\"items\": [%s], \"remaining\": 1, \"version\": \"7\"}".formatted(EXPLAINED))
          : HttpAnswer.text(503, "no replica leads at the moment");
    }
  }

  private static List<ClusterEvent> events() {
    PolicyCompilation compiled =
        new PolicyCompiler().compile("usual", "1", SchedulingPolicySpec.of(List.of(), List.of()));
    return List.of(
        new ClusterEvent.PolicyServed(((PolicyCompilation.Compiled) compiled).policy()),
        new ClusterEvent.DefaultPolicyChanged("usual"),
        new ClusterEvent.NodeUpserted(
            Nodes.node("n1").label("side", "left").milliCpu(4_000).build()),
        new ClusterEvent.NodeUpserted(
            Nodes.node("n2").label("side", "right").milliCpu(4_000).build()),
        new ClusterEvent.PodUpserted(
            Pods.pod("secret").namespace("team-b").milliCpu(3_000).on("n1").build()),
        new ClusterEvent.PodUpserted(
            Pods.pod("old").namespace("team-a").milliCpu(3_000).on("n2").build()));
  }

  private SubjectAccessReview reviewed(SubjectAccessReview review) {
    reviews.add(review);
    boolean allowed =
        review.getSpec().getUser().equals("admin")
            || "team-a".equals(review.getSpec().getResourceAttributes().getNamespace());
    return answered(review, allowed);
  }

  /** Returns the review with an answer. */
  static SubjectAccessReview answered(SubjectAccessReview review, boolean allowed) {
    return new SubjectAccessReviewBuilder(review)
        .withNewStatus()
        .withAllowed(allowed)
        .endStatus()
        .build();
  }

  @Override
  public void close() {
    mirrors.close();
  }

  /** Returns what the API server was asked about the rights of users. */
  List<SubjectAccessReview> asked() {
    return reviews;
  }

  /** Adds an event to those that a mirror gets when it is built: on the first review. */
  void know(ClusterEvent event) {
    events.add(event);
  }

  /** Adds a pod to the caches of the feed. */
  void cache(FedPod pod) {
    pods.add(pod);
  }

  /** Adds an object that can be read from the API server. */
  void store(String path, String object) throws IOException {
    stored.put(path, JSON.readTree(object));
  }

  /** Returns the paths that were read from the API server. */
  List<String> read() {
    return read;
  }

  /** Adds a config or binding to the catalog. */
  void serve(HasMetadata object) {
    catalog.put(object);
  }

  HttpAnswer send(
      String method, String path, String query, Map<String, String> headers, String body) {
    return send(method, path, query, headers, body, false);
  }

  private HttpAnswer send(
      String method,
      String path,
      String query,
      Map<String, String> headers,
      String body,
      boolean fromReplica) {
    Map<String, List<String>> all = new HashMap<>();
    headers.forEach((name, value) -> all.put(name, List.of(value)));
    RequestHead head =
        new RequestHead(method, path, query, all, InetAddress.getLoopbackAddress(), fromReplica);
    return requests
        .refusal(head)
        .orElseGet(() -> requests.answer(head, body.getBytes(StandardCharsets.UTF_8)));
  }

  HttpAnswer get(String user, String path) {
    return send("GET", path, "", Map.of("x-remote-user", user), "");
  }

  static String in(String namespace, String resource) {
    return "%s/namespaces/%s/%s".formatted(QueryApi.ROOT, namespace, resource);
  }

  HttpAnswer review(String user, String namespace, String query, String spec) {
    return create(user, in(namespace, "placementreviews"), query, "PlacementReview", spec);
  }

  /** Creates a review that another replica has forwarded. */
  HttpAnswer forwarded(String user, String path, String kind, String spec) {
    return create(user, path, "", kind, spec, true);
  }

  /** Creates a review. */
  HttpAnswer create(String user, String path, String query, String kind, String spec) {
    return create(user, path, query, kind, spec, false);
  }

  private HttpAnswer create(
      String user, String path, String query, String kind, String spec, boolean fromReplica) {
    return send(
        "POST",
        path,
        query,
        Map.of("x-remote-user", user, "content-type", "application/json"),
        "{\"apiVersion\": \"%s\", \"kind\": \"%s\", \"spec\": %s}"
            .formatted(QueryApi.API_VERSION, kind, spec),
        fromReplica);
  }

  static String pod(String cpu, String more) {
    return """
    {"pod": {"spec": {"schedulerName": "berth", "containers":
      [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "%s"}}}]}} %s}
    """
        .formatted(cpu, more);
  }

  static JsonNode json(HttpAnswer answer) throws IOException {
    return JSON.readTree(answer.body());
  }

  static JsonNode status(HttpAnswer answer) throws IOException {
    assertThat(answer.status())
        .as(new String(answer.body(), StandardCharsets.UTF_8))
        .isEqualTo(201);
    return json(answer).path("status");
  }
}
