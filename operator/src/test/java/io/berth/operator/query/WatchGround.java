package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.model.PodRef;
import io.berth.operator.http.QueryParameters;
import io.berth.operator.http.ReplicaClient;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.ExplainPages;
import io.berth.serving.http.BodyStream;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.RequestHandler;
import io.berth.serving.http.RequestHead;
import io.berth.serving.http.StreamedBody;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;

/**
 * Watches of two users on a leader whose clock a test sets: {@code admin} may do everything, and
 * {@code tenant} everything in the namespace {@code team-a}. A watch runs step by step: before each
 * question, the test may do something.
 */
final class WatchGround implements AutoCloseable {
  static final Instant BEGAN = Instant.parse("2026-01-01T00:00:00Z");
  private static final ObjectMapper JSON = new ObjectMapper();

  final DecisionLog log;
  final Watches watches;
  final List<ObjectNode> pools = new CopyOnWriteArrayList<>();
  final Set<String> denied = ConcurrentHashMap.newKeySet();
  volatile Instant now = BEGAN;
  volatile boolean leading = true;
  private final ExplainPages explainer;
  private final ObjectReads reads;

  private final ReplicaClient replicas = new ReplicaClient(tls());

  /** Creates a leader. */
  WatchGround(int decisions, int most, int mostOfAUser) {
    this(Optional.empty(), decisions, most, mostOfAUser);
  }

  /** Creates a replica with other explanations. */
  WatchGround(ExplainPages explainer, int most, int mostOfAUser) {
    this(Optional.of(explainer), 1, most, mostOfAUser);
  }

  private WatchGround(Optional<ExplainPages> given, int decisions, int most, int mostOfAUser) {
    this.log = new DecisionLog(decisions, pod -> true, () -> BEGAN);
    this.watches = new Watches(most, mostOfAUser);
    this.explainer =
        given.orElseGet(
            () ->
                new ExplainPages(
                    log,
                    () -> leading,
                    Optional::empty,
                    node -> Optional.empty(),
                    Optional::empty,
                    replicas));
    QueryableClusterObjects published =
        new QueryableClusterObjects(
            QueryResource.POOLS,
            new ComputedObjects(() -> List.copyOf(pools), () -> BEGAN),
            explainer);
    explainer.publish("pools", published);
    this.reads =
        new ObjectReads(
            Map.of(
                QueryResource.DECISIONS,
                new QueryableDecisions(
                    explainer, (namespace, pod) -> Optional.empty(), node -> false),
                QueryResource.POOLS,
                published),
            new ResourceAccess(
                this::reviewed, () -> now, () -> Duration.between(BEGAN, now).toNanos()),
            watches,
            Duration.ofMillis(1),
            () -> now);
  }

  ExplainPages explainer() {
    return explainer;
  }

  /** Returns a handler of requests of one user. */
  RequestHandler handler(String user) {
    return new RequestHandler() {
      @Override
      public Optional<HttpAnswer> refusal(RequestHead head) {
        return Optional.empty();
      }

      @Override
      public HttpAnswer answer(RequestHead head, byte[] body) {
        return get(user, head.path(), head.query());
      }
    };
  }

  private static SSLContext tls() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private SubjectAccessReview reviewed(SubjectAccessReview review) {
    String user = review.getSpec().getUser();
    boolean allowed =
        !denied.contains(user)
            && (user.equals("admin")
                || "team-a".equals(review.getSpec().getResourceAttributes().getNamespace()));
    return QueryGround.answered(review, allowed);
  }

  @Override
  public void close() {
    watches.close();
    replicas.close();
  }

  /** Places a pod on the node {@code n1}. */
  void place(String namespace, String pod) {
    log.decided(
        new Decision.Placed(
            new PodRef(namespace, pod, "uid-" + pod),
            new Attempt(1, BEGAN),
            "n1",
            List.of(),
            Map.of(),
            Map.of(),
            List.of(),
            Optional.empty(),
            new CycleRecord.Untried("usual", "1", 1, "placed")),
        BEGAN);
  }

  /** Lets a pod wait. */
  void hold(String namespace, String pod, String uid) {
    log.decided(
        new Decision.Unschedulable(
            new PodRef(namespace, pod, uid),
            new Attempt(1, BEGAN),
            WaitCause.NO_ROOM,
            "why",
            false,
            Optional.empty(),
            Optional.empty(),
            new CycleRecord.Untried("usual", "1", 1, "why")),
        BEGAN);
  }

  void bind(String namespace, String pod) {
    log.ended(new PodRef(namespace, pod, "uid-" + pod), "bound", OptionalLong.of(1));
  }

  /** Sets the number of nodes of a pool. */
  void pool(String name, int nodes) {
    pools.removeIf(pool -> pool.at("/metadata/name").asText().equals(name));
    ObjectNode pool = QueryApi.object("Pool");
    pool.putObject("metadata").put("name", name);
    pool.putObject("status").put("nodes", nodes);
    pools.add(pool);
  }

  HttpAnswer get(String user, String path, String query, String accept) {
    return get(user, path, query, Map.of("accept", List.of(accept)));
  }

  /** Asks for a connection by WebSocket. */
  HttpAnswer upgraded(String user, String path, String query) {
    return get(user, path, query, Map.of("upgrade", List.of("websocket")));
  }

  private HttpAnswer get(
      String user, String path, String query, Map<String, List<String>> headers) {
    RequestHead head =
        new RequestHead("GET", path, query, headers, InetAddress.getLoopbackAddress(), false);
    try {
      return reads.answer(
          head,
          new ApiUser(user, "", List.of(), Map.of()),
          RequestTarget.of(path).orElseThrow(),
          QueryParameters.of(query));
    } catch (ApiException e) {
      return e.answer();
    }
  }

  HttpAnswer get(String user, String path, String query) {
    return get(user, path, query, "application/json");
  }

  JsonNode list(String user, String path, String query) throws IOException {
    return JSON.readTree(get(user, path, query).body());
  }

  /**
   * Runs a watch, and returns its events. After each step, which may be none, the watch asks for
   * changes again; after the last one it ends as its time is over.
   */
  List<JsonNode> watch(String user, String path, String query, Runnable... steps)
      throws IOException, InterruptedException {
    return events(get(user, path, "watch=true&" + query), steps);
  }

  List<JsonNode> events(HttpAnswer answer, Runnable... steps)
      throws IOException, InterruptedException {
    Steps client = new Steps(List.of(steps));
    try (StreamedBody body =
        answer.stream()
            .orElseThrow(
                () -> new AssertionError(new String(answer.body(), StandardCharsets.UTF_8)))) {
      body.write(client);
    }
    return client.events;
  }

  /** A client that takes the next step whenever the watch asks whether it is still there. */
  private static final class Steps implements BodyStream {
    final List<JsonNode> events = new ArrayList<>();
    private final List<Runnable> steps;
    private int taken;

    Steps(List<Runnable> steps) {
      this.steps = steps;
    }

    @Override
    public void write(byte[] bytes) throws IOException {
      events.add(JSON.readTree(bytes));
    }

    @Override
    public boolean isOpen() {
      if (taken < steps.size()) {
        steps.get(taken++).run();
        return true;
      }
      return false;
    }
  }
}
