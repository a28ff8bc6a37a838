package io.berth.operator.query;

import io.berth.operator.http.ReplicaClient;
import io.berth.operator.whatif.MirrorThread;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.RequestHead;
import java.io.IOException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a standby answer reviews that reach the leader, so that they take no CPU time of pods that
 * wait. The leader answers by itself if no standby can. A standby does not forward reviews.
 */
final class StandbyReviews implements OtherReplicas {
  private static final Logger LOG = LoggerFactory.getLogger(StandbyReviews.class);

  /**
   * Longer than a standby takes for an answer. API servers wait 60 s, also if the first standby
   * accepts no connection.
   */
  private static final Duration TIMEOUT = MirrorThread.PATIENCE.plusSeconds(5);

  private static final int MOST_ASKED = 2;

  /**
   * The time after which it is too late to answer a review that a standby has not answered: the
   * answer may take {@link MirrorThread#PATIENCE}, and API servers wait 60 s.
   */
  private static final Duration TOO_LATE = Duration.ofSeconds(10);

  private static final int UNAVAILABLE = 503;

  /** The results of forwarding a review, as the metric has them. */
  static final String ANSWERED = "answered";

  static final String FAILED = "failed";

  private final BooleanSupplier leading;
  private final Standbys standbys;
  private final ReplicaClient client;
  private final FrontProxy proxy;
  private final Consumer<String> counted;
  private final LongSupplier nanoTime;

  /**
   * @param leading returns whether this replica leads
   * @param counted called with {@link #ANSWERED} or {@link #FAILED} after each attempt
   * @param nanoTime a clock such as {@link System#nanoTime}
   */
  StandbyReviews(
      BooleanSupplier leading,
      Standbys standbys,
      ReplicaClient client,
      FrontProxy proxy,
      Consumer<String> counted,
      LongSupplier nanoTime) {
    this.leading = leading;
    this.standbys = standbys;
    this.client = client;
    this.proxy = proxy;
    this.counted = counted;
    this.nanoTime = nanoTime;
  }

  @Override
  public Optional<HttpAnswer> answer(RequestHead head, byte[] body) {
    if (head.fromReplica() || !leading.getAsBoolean()) {
      return Optional.empty();
    }
    long began = nanoTime.getAsLong();
    Optional<HttpAnswer> answer = Optional.empty();
    for (int asked = 0; asked < MOST_ASKED && answer.isEmpty(); asked++) {
      Optional<String> standby = standbys.preferred();
      if (standby.isEmpty()) {
        return Optional.empty();
      }
      answer = ask(standby.get(), head, body, began);
    }
    return answer;
  }

  /**
   * Returns the response of a standby; empty if it gave none, and is not asked again until it
   * announces itself.
   */
  private Optional<HttpAnswer> ask(String standby, RequestHead head, byte[] body, long began) {
    try {
      HttpAnswer answer =
          client.send(
              new ReplicaClient.Call(
                  head.method(),
                  standby,
                  head.path(),
                  head.query(),
                  headers(head),
                  HttpRequest.BodyPublishers.ofByteArray(body),
                  TIMEOUT));
      if (answer.status() != UNAVAILABLE || isTooLate(began)) {
        counted.accept(ANSWERED);
        return Optional.of(answer);
      }
      LOG.debug("{} cannot answer a review now", standby);
    } catch (HttpConnectTimeoutException e) {
      LOG.debug("{} accepts no connection", standby, e);
    } catch (HttpTimeoutException e) {
      LOG.debug("{} does not answer a review", standby, e);
      failed(standby);
      return Optional.of(
          ApiStatus.failure(
              UNAVAILABLE,
              "the replica that was asked did not answer within %d s; try again"
                  .formatted(TIMEOUT.toSeconds())));
    } catch (IOException e) {
      LOG.debug("{} cannot be asked for a review", standby, e);
      if (isTooLate(began)) {
        failed(standby);
        return Optional.of(
            ApiStatus.failure(UNAVAILABLE, "the replica that was asked has gone; try again"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of(
          ApiStatus.failure(UNAVAILABLE, "this replica is shutting down; try again"));
    }
    failed(standby);
    return Optional.empty();
  }

  private boolean isTooLate(long began) {
    return nanoTime.getAsLong() - began > TOO_LATE.toNanos();
  }

  private void failed(String standby) {
    standbys.failed(standby);
    counted.accept(FAILED);
  }

  /** Returns the headers that name the user and the content. */
  private Map<String, List<String>> headers(RequestHead head) {
    Map<String, List<String>> headers = new HashMap<>(proxy.userHeaders(head));
    for (String name : List.of("content-type", "accept")) {
      if (head.headers().containsKey(name)) {
        headers.put(name, head.headers().get(name));
      }
    }
    return headers;
  }
}
