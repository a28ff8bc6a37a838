package io.berth.operator.bind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.Decision.Placed;
import io.berth.engine.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.protobuf.BindingMessage;
import java.security.SecureRandom;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Binding of one placement. Responses of the API server are handled as follows:
 *
 * <ol>
 *   <li>2xx: the pod is bound.
 *   <li>429: the server did not execute the request; it is sent again after the requested delay.
 *   <li>404: the pod is gone, or another pod has its name (the Binding carries the UID). 409: it is
 *       bound or being deleted.
 *   <li>No response, or 5xx: the outcome is unknown. The pod is read: it is bound to the
 *       placement's node, or to another, or to none, in which case the request is sent again. Only
 *       a 404 or a different UID proves that the pod is gone; if it cannot be read, the read is
 *       retried.
 *   <li>Any other: the request is invalid; it is reported and not retried at once.
 *   <li>Not sent: the leader's term has ended, and no outcome is reported.
 * </ol>
 */
final class BindingCall {

  private static final Logger LOG = LoggerFactory.getLogger(BindingCall.class);
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(150), Duration.ofSeconds(5), new SecureRandom());
  private static final int ATTEMPTS = 8;

  /** The dependencies that all calls share. */
  record Surroundings(ApiCalls api, BindingOutcomes outcomes, RefusalLog refusals, Load load) {}

  /** A listener for the load of the API server. */
  @FunctionalInterface
  interface Load {
    /** Records a response: whether the server throttled or failed, and how long it took. */
    void answered(boolean trouble, long tookNanos);
  }

  private final Surroundings surroundings;
  private final Placed placed;
  private final Runnable ended;
  private final long decidedAt = System.nanoTime();
  private final String path;
  private int attempts;
  private boolean mayBeBound;
  private long sentAt;

  /** The reason why the external binder did not bind the pod; empty if there is none. */
  private String othersFailure = "";

  /**
   * Creates a call without sending it.
   *
   * @param ended releases the call's slot
   */
  BindingCall(Surroundings surroundings, Placed placed, Runnable ended) {
    this.surroundings = surroundings;
    this.placed = placed;
    this.ended = ended;
    PodRef pod = placed.pod();
    this.path = "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name();
  }

  /** Reads whether the external binder has bound the pod despite its failure. */
  void ask(String failure) {
    othersFailure = failure;
    read();
  }

  /** Reports that the external binder has bound the pod. */
  void bound() {
    end(placed, "", false);
  }

  void send() {
    attempts++;
    sentAt = System.nanoTime();
    surroundings.api().bind(path + "/binding", body(placed), this::answered);
  }

  private void answered(Answer answer) {
    long took = System.nanoTime() - sentAt;
    if (answer.wasNotSent()) {
      ended.run();
      return;
    }
    boolean trouble = answer.throttled() || answer.ambiguous();
    surroundings.load().answered(trouble, took);
    if (answer.ambiguous()) {
      mayBeBound = true;
      later(answer.retryAfter(), answer.message(), this::read);
    } else if (answer.ok()) {
      end(placed, "", false);
    } else if (answer.throttled()) {
      later(answer.retryAfter(), answer.message(), this::send);
    } else if (answer.code() == 409 && mayBeBound) {
      read();
    } else if (answer.code() == 409 || answer.code() == 404) {
      end(null, answer.message(), answer.code() == 409);
    } else {
      surroundings
          .refusals()
          .refused(
              answer.code(),
              "Binding of %s to %s was refused: %s"
                  .formatted(placed.pod(), placed.nodeName(), answer.message()))
          .ifPresent(LOG::warn);
      end(null, answer.message(), true);
    }
  }

  private void read() {
    surroundings.api().get(path, this::found);
  }

  private void found(Answer answer) {
    if (answer.wasNotSent()) {
      ended.run();
      return;
    }
    JsonNode pod = answer.json();
    String uid = pod.path("metadata").path("uid").asText("");
    String node = pod.path("spec").path("nodeName").asText("");
    if (answer.code() == 404 || (answer.ok() && isAnother(uid))) {
      end(null, "the pod is gone", false);
    } else if (!answer.ok() || uid.isEmpty()) {
      later(answer.retryAfter(), "the pod cannot be read: " + answer.message(), this::read);
    } else if (node.equals(placed.nodeName())) {
      end(placed, "", false);
    } else if (!node.isEmpty()) {
      end(null, "the pod is bound to " + node, false);
    } else if (!othersFailure.isEmpty()) {
      end(null, othersFailure, true);
    } else if (attempts >= ATTEMPTS) {
      end(null, "no answer to " + attempts + " requests", true);
    } else {
      send();
    }
  }

  private boolean isAnother(String uid) {
    return !uid.isEmpty() && !uid.equals(placed.pod().uid());
  }

  /** Tries again after a delay, unless the attempts are used up. */
  private void later(Duration asked, String reason, Runnable again) {
    attempts++;
    if (attempts > ATTEMPTS) {
      end(null, "gave up after " + ATTEMPTS + " attempts: " + reason, true);
      return;
    }
    Duration pause = BACKOFF.pause(attempts, asked);
    LOG.debug("Binding of {}: {}; again in {}", placed.pod(), reason, pause);
    surroundings.api().later(pause, again);
  }

  private void end(@Nullable Placed bound, String reason, boolean retry) {
    try {
      if (bound != null) {
        surroundings.outcomes().bound(bound, Duration.ofNanos(System.nanoTime() - decidedAt));
      } else {
        surroundings.outcomes().failed(placed, reason, retry);
      }
    } finally {
      ended.run();
    }
  }

  private static byte[] body(Placed placed) {
    PodRef pod = placed.pod();
    return BindingMessage.encode(
        pod.namespace(),
        pod.name(),
        pod.uid(),
        placed.labels(),
        placed.annotations(),
        placed.nodeName());
  }
}
