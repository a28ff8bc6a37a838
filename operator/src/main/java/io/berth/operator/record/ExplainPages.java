package io.berth.operator.record;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.cards.CardMap;
import io.berth.operator.http.Explainer;
import io.berth.operator.record.DecisionLog.LoggedDecision;
import io.berth.serving.http.HttpAnswer;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code /explain}: the leader from its decision log, any other replica by forwarding the
 * request to the leader. It authenticates with the replicas' certificate; the caller's credentials
 * are not forwarded.
 */
public final class ExplainPages implements Explainer, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ExplainPages.class);
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final DecisionLog log;
  private final BooleanSupplier leading;
  private final Supplier<Optional<String>> leaderAddress;
  private final Function<String, Optional<CardMap>> cards;
  private final HttpClient http;

  /**
   * @param leading returns whether this replica leads
   * @param leaderAddress returns the {@code host:port} of the leader's TLS endpoint
   * @param cards returns the GPU cards of a node by name, if this replica leads
   * @param replicas the TLS context with this replica's certificate, which trusts only other
   *     replicas
   */
  public ExplainPages(
      DecisionLog log,
      BooleanSupplier leading,
      Supplier<Optional<String>> leaderAddress,
      Function<String, Optional<CardMap>> cards,
      SSLContext replicas) {
    this.cards = cards;
    this.log = log;
    this.leading = leading;
    this.leaderAddress = leaderAddress;
    this.http = HttpClient.newBuilder().sslContext(replicas).connectTimeout(TIMEOUT).build();
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
  public HttpAnswer decisions(String namespace, String after, int limit, boolean fromReplica) {
    if (!leading.getAsBoolean()) {
      return fromLeader(
          "/explain/decisions",
          "namespace=%s&after=%s&limit=%d".formatted(namespace, after, limit),
          true,
          fromReplica);
    }
    DecisionLog.Page page = log.list(namespace, after, limit);
    ObjectNode list = JsonNodeFactory.instance.objectNode();
    page.decisions().forEach(entry -> list.withArray("/items").add(Explanation.json(entry)));
    list.put("remaining", page.remaining());
    return answer(200, JSON, list.toString());
  }

  private HttpAnswer fromLeader(String path, boolean json, boolean fromReplica) {
    return fromLeader(path, null, json, fromReplica);
  }

  private HttpAnswer fromLeader(
      String path, @Nullable String query, boolean json, boolean fromReplica) {
    Optional<String> leader = leaderAddress.get();
    if (fromReplica || leader.isEmpty()) {
      return HttpAnswer.text(503, "no replica leads at the moment; ask again in a few seconds");
    }
    return askLeader(leader.get(), path, query, json);
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  private static HttpAnswer page(LoggedDecision entry, boolean json) {
    return json
        ? answer(200, JSON, Explanation.json(entry).toPrettyString() + "\n")
        : answer(200, TEXT, Explanation.text(entry));
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

  private HttpAnswer askLeader(String leader, String path, @Nullable String query, boolean json) {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(new URI("https", leader, path, query, null))
              .timeout(TIMEOUT)
              .header("Accept", json ? JSON : "text/plain")
              .build();
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      return answer(
          answer.statusCode(),
          answer.headers().firstValue("Content-Type").orElse(TEXT),
          answer.body());
    } catch (IOException | URISyntaxException | IllegalArgumentException e) {
      LOG.debug("asking {} failed", leader, e);
      return HttpAnswer.text(
          502, "the leader at " + leader + " does not answer: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return HttpAnswer.text(503, "shutting down");
    }
  }
}
