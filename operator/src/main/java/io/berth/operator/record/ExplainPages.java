package io.berth.operator.record;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.EngineDump;
import io.berth.engine.api.GroupState;
import io.berth.engine.cards.CardMap;
import io.berth.operator.http.ChangesRequest;
import io.berth.operator.http.DecisionsRequest;
import io.berth.operator.http.Explainer;
import io.berth.operator.http.FieldSelector;
import io.berth.operator.http.PublishedObjects;
import io.berth.operator.http.ReplicaClient;
import io.berth.operator.record.DecisionLog.LoggedDecision;
import io.berth.serving.http.HttpAnswer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code /explain}: the leader from its decision log, any other replica by forwarding the
 * request to the leader. It authenticates with the replicas' certificate; the caller's credentials
 * are not forwarded.
 */
public final class ExplainPages implements Explainer {

  private static final Logger LOG = LoggerFactory.getLogger(ExplainPages.class);
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final DecisionLog log;
  private final BooleanSupplier leading;
  private final Supplier<Optional<String>> leaderAddress;
  private final Function<String, Optional<CardMap>> cards;
  private final Supplier<Optional<EngineDump>> engine;
  private final ReplicaClient replicas;
  private final Map<String, PublishedObjects> published = new ConcurrentHashMap<>();

  /** Held while changes are written out, so that those who watch use one CPU of the leader. */
  private final Semaphore oneAtATime = new Semaphore(1, true);

  /**
   * @param leading returns whether this replica leads
   * @param leaderAddress returns the {@code host:port} of the leader's TLS endpoint
   * @param cards returns the GPU cards of a node by name, if this replica leads
   * @param engine returns the inside of the engine; empty if it does not answer in time
   * @param replicas for requests to the leader
   */
  public ExplainPages(
      DecisionLog log,
      BooleanSupplier leading,
      Supplier<Optional<String>> leaderAddress,
      Function<String, Optional<CardMap>> cards,
      Supplier<Optional<EngineDump>> engine,
      ReplicaClient replicas) {
    this.cards = cards;
    this.engine = engine;
    this.log = log;
    this.leading = leading;
    this.leaderAddress = leaderAddress;
    this.replicas = replicas;
  }

  @Override
  public HttpAnswer explain(String namespace, String pod, boolean json, boolean fromReplica) {
    if (leading.getAsBoolean()) {
      return log.find(namespace, pod)
          .map(entry -> page(entry, json))
          .orElseGet(() -> unknown(namespace, pod));
    }
    return fromLeader("/explain/" + namespace + "/" + pod, json, fromReplica);
  }

  @Override
  public HttpAnswer cards(String node, boolean json, boolean fromReplica) {
    if (!leading.getAsBoolean()) {
      return fromLeader("/explain/node/" + node + "/gpus", json, fromReplica);
    }
    Optional<CardMap> map = cards.apply(node);
    if (map.isEmpty()) {
      return Explainer.super.cards(node, json, fromReplica);
    }
    return json
        ? answer(200, JSON, CardPage.json(map.get()).toPrettyString() + "\n")
        : answer(200, TEXT, CardPage.text(map.get()));
  }

  @Override
  public HttpAnswer engine(boolean json, boolean fromReplica) {
    if (!leading.getAsBoolean()) {
      return fromLeader("/explain/engine", json, fromReplica);
    }
    Optional<EngineDump> dump = engine.get();
    if (dump.isEmpty()) {
      return HttpAnswer.text(503, "the engine does not answer; ask again in a few seconds");
    }
    return json
        ? answer(200, JSON, EnginePage.json(dump.get()).toPrettyString() + "\n")
        : answer(200, TEXT, EnginePage.text(dump.get()));
  }

  @Override
  public HttpAnswer decisions(DecisionsRequest asked, boolean fromReplica) {
    if (!leading.getAsBoolean()) {
      return fromLeader("/explain/decisions", asked.parameters(), true, fromReplica);
    }
    OptionalLong first = ChangePage.number(asked.version());
    if (first.isPresent() && log.since(first.getAsLong(), 1, entry -> false).isEmpty()) {
      return ChangePage.expired(first.getAsLong());
    }
    VersionedObjects.Listed<LoggedDecision> page =
        log.list(wanted(asked.namespace(), asked.fields()), asked.after(), asked.limit());
    ObjectNode list = JsonNodeFactory.instance.objectNode();
    ArrayNode items = list.putArray("items");
    page.objects().forEach(entry -> items.add(Explanation.json(entry, log.groupOf(entry))));
    list.put("remaining", page.remaining());
    list.put("version", String.valueOf(first.orElse(page.version())));
    return answer(200, JSON, list.toString());
  }

  private static Predicate<LoggedDecision> wanted(String namespace, String fields) {
    return DecisionFields.wanted(namespace, FieldSelector.parse(fields, DecisionFields.NAMES));
  }

  @Override
  public HttpAnswer objects(String resource, boolean fromReplica) {
    if (!leading.getAsBoolean()) {
      return fromLeader("/explain/objects", Map.of("resource", resource), true, fromReplica);
    }
    PublishedObjects objects = published.get(resource);
    return objects == null ? Explainer.super.objects(resource, fromReplica) : objects.list();
  }

  @Override
  public HttpAnswer changes(ChangesRequest asked, boolean fromReplica) {
    if (!leading.getAsBoolean()) {
      return fromLeader("/explain/changes", asked.parameters(), true, fromReplica);
    }
    PublishedObjects objects = published.get(asked.resource());
    if (objects == null && !asked.resource().equals("decisions")) {
      return Explainer.super.changes(asked, fromReplica);
    }
    oneAtATime.acquireUninterruptibly();
    try {
      return objects != null
          ? objects.changes(asked)
          : ChangePage.of(log, wanted(asked.namespace(), asked.fields()), asked.position());
    } finally {
      oneAtATime.release();
    }
  }

  @Override
  public void publish(String resource, PublishedObjects objects) {
    published.put(resource, objects);
  }

  private HttpAnswer fromLeader(String path, boolean json, boolean fromReplica) {
    return fromLeader(path, Map.of(), json, fromReplica);
  }

  private HttpAnswer fromLeader(
      String path, Map<String, String> query, boolean json, boolean fromReplica) {
    Optional<String> leader = leaderAddress.get();
    if (fromReplica || leader.isEmpty()) {
      return HttpAnswer.text(503, "no replica leads at the moment; ask again in a few seconds");
    }
    return askLeader(leader.get(), path, query, json);
  }

  private HttpAnswer page(LoggedDecision entry, boolean json) {
    Optional<GroupState> group = log.groupOf(entry);
    return json
        ? answer(200, JSON, Explanation.json(entry, group).toPrettyString() + "\n")
        : answer(200, TEXT, Explanation.text(entry, group));
  }

  private static HttpAnswer answer(int status, String type, String body) {
    return new HttpAnswer(status, type, body.getBytes(StandardCharsets.UTF_8));
  }

  private static HttpAnswer unknown(String namespace, String pod) {
    return HttpAnswer.text(
        404,
        ("there is no decision about pod %s/%s since this replica became leader: it may not exist,"
             + " name another scheduler, wait in the queue, or have been placed before; see kubectl"
             + " describe pod -n %s %s")
            .formatted(namespace, pod, namespace, pod));
  }

  private HttpAnswer askLeader(
      String leader, String path, Map<String, String> query, boolean json) {
    try {
      return replicas.send(
          ReplicaClient.Call.withoutBody(
              "GET", leader, path, query, json ? JSON : "text/plain", TIMEOUT));
    } catch (IOException e) {
      LOG.debug("asking {} failed", leader, e);
      return HttpAnswer.text(
          502, "the leader at " + leader + " does not answer: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return HttpAnswer.text(503, "shutting down");
    }
  }
}
