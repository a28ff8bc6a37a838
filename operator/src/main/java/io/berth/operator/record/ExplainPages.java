package io.berth.operator.record;

import io.berth.operator.http.OperationsServer.Explainer;
import io.berth.operator.http.OperationsServer.Page;
import io.berth.operator.record.DecisionLog.Noted;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers {@code /explain}: the leader from its decision log, any other replica by passing the
 * question on to the leader, with the caller's own credentials.
 */
public final class ExplainPages implements Explainer, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ExplainPages.class);
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final DecisionLog log;
  private final BooleanSupplier leading;
  private final Supplier<Optional<String>> leaderAddress;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  /**
   * @param leading whether this replica decides
   * @param leaderAddress {@code host:port} of the one that does
   */
  public ExplainPages(
      DecisionLog log, BooleanSupplier leading, Supplier<Optional<String>> leaderAddress) {
    this.log = log;
    this.leading = leading;
    this.leaderAddress = leaderAddress;
  }

  @Override
  public Page explain(
      String namespace,
      String pod,
      boolean json,
      Optional<String> authorization,
      boolean passedOn) {
    if (leading.getAsBoolean()) {
      return log.find(namespace, pod)
          .map(entry -> page(entry, json))
          .orElseGet(() -> unknown(namespace, pod));
    }
    Optional<String> leader = leaderAddress.get();
    if (passedOn || leader.isEmpty()) {
      return new Page(503, TEXT, "no replica leads at the moment; ask again in a few seconds\n");
    }
    return passOn(leader.get(), namespace, pod, json, authorization);
  }

  @Override
  public void close() {
    http.close();
  }

  private static Page page(Noted entry, boolean json) {
    return json
        ? new Page(200, JSON, Explanation.json(entry).toPrettyString() + "\n")
        : new Page(200, TEXT, Explanation.text(entry));
  }

  private static Page unknown(String namespace, String pod) {
    return new Page(
        404,
        TEXT,
        ("nothing has been decided about pod %s/%s since this replica leads: it may not exist, name"
                + " another scheduler, wait in the queue, or have been placed before; see kubectl"
                + " describe pod -n %s %s\n")
            .formatted(namespace, pod, namespace, pod));
  }

  private Page passOn(
      String leader, String namespace, String pod, boolean json, Optional<String> authorization) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://" + leader + "/explain/" + namespace + "/" + pod))
            .timeout(TIMEOUT)
            .header("Accept", json ? JSON : "text/plain")
            .header(PASSED_ON, "true");
    authorization.ifPresent(header -> request.header("Authorization", header));
    try {
      HttpResponse<String> answer =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Page(
          answer.statusCode(),
          answer.headers().firstValue("Content-Type").orElse(TEXT),
          answer.body());
    } catch (IOException e) {
      LOG.debug("passing a question on to {} failed", leader, e);
      return new Page(
          502, TEXT, "the leader at " + leader + " does not answer: " + e.getMessage() + "\n");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Page(503, TEXT, "shutting down\n");
    }
  }
}
