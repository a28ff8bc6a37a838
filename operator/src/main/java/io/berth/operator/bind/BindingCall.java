package io.berth.operator.bind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.FairSlots.Slot;
import io.berth.operator.api.LimitedLog;
import io.berth.operator.api.LogKeys;
import io.berth.operator.protobuf.BindingMessage;
import java.time.Duration;
import java.util.function.Predicate;
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
 *   <li>5xx because an admission webhook failed: the Binding was not executed. It is reported, and
 *       says nothing about the server.
 *   <li>No response, or any other 5xx: the outcome is unknown. The pod is read: it is bound to the
 *       placement's node, or to another, or to none, in which case the request is sent again. Only
 *       a 404 or a different UID proves that the pod is gone; if it cannot be read, the read is
 *       retried.
 *   <li>Any other: the request is invalid; it is reported and not retried at once.
 *   <li>Not sent: the leader's term has ended, and no outcome is reported.
 * </ol>
 *
 * <p>A Binding is not sent, or sent again, once its node is deleted: the API server would accept
 * it.
 *
 * <p>A call has a slot only while one of its requests is under way, and none during its pauses.
 */
final class BindingCall {

  private static final Logger LOG = LoggerFactory.getLogger(BindingCall.class);
  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(150), Duration.ofSeconds(5));

  /**
   * The number of requests, Bindings and reads, after which no further Binding is sent. If the last
   * one may have been executed, the pod is read until it is known: its resources must not be given
   * to another pod before.
   */
  private static final int REQUESTS = 8;

  /**
   * The dependencies that all calls share.
   *
   * @param nodeExists returns whether a node of this name exists
   */
  record Surroundings(
      ApiCalls api,
      Predicate<String> nodeExists,
      BindingOutcomes outcomes,
      LimitedLog refusals,
      Queue queue) {}

  /** Gives calls their slots. */
  interface Queue {
    /**
     * Frees the slot of a request that was answered.
     *
     * @param binding whether the request was a Binding, and not a read
     */
    void released(Slot<BindingCall> slot, Answer answer, boolean binding);

    /** Requests a slot for the next request of a call. */
    void again(BindingCall call);

    /** Records that a call has ended; it has no slot. */
    void ended(BindingCall call);
  }

  private enum Request {
    BIND,
    READ
  }

  private final Surroundings surroundings;
  private final Placed placed;
  private final long decidedAt;
  private final String path;
  private Request next = Request.BIND;
  private int requests;
  private boolean mayBeBound;

  /** Set while a Binding may have been executed since the pod was last read. */
  private boolean isOpen;

  /** The last response that left the outcome open, or the reason why there was none. */
  private String lastProblem = "";

  /** The reason why the external binder did not bind the pod; empty if there is none. */
  private String othersFailure = "";

  /** Creates a call without sending it. */
  BindingCall(Surroundings surroundings, Placed placed) {
    this.surroundings = surroundings;
    this.placed = placed;
    this.decidedAt = surroundings.api().nanoTime();
    PodRef pod = placed.pod();
    this.path = "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name();
  }

  Placed placed() {
    return placed;
  }

  String namespace() {
    return placed.pod().namespace();
  }

  /** Returns whether no request of this call was sent yet. */
  boolean isNew() {
    return requests == 0;
  }

  /**
   * Returns a call that reads whether the external binder has bound the pod despite its failure.
   */
  BindingCall asking(String failure) {
    othersFailure = failure;
    isOpen = true;
    next = Request.READ;
    return this;
  }

  /** Reports that the external binder has bound the pod. */
  void bound() {
    end(placed, "", false);
  }

  /** Returns whether the next request is a Binding to a node that does not exist any more. */
  boolean lacksNode() {
    return next == Request.BIND && !surroundings.nodeExists().test(placed.nodeName());
  }

  /** Ends the call without another request, so that the pod is scheduled again. */
  void endWithoutNode() {
    end(null, "node %s was deleted".formatted(placed.nodeName()), true);
  }

  /** Sends the next request. */
  void proceed(Slot<BindingCall> slot) {
    requests++;
    switch (next) {
      case BIND -> send(slot);
      case READ -> read(slot);
    }
  }

  private void send(Slot<BindingCall> slot) {
    surroundings.api().bind(path + "/binding", body(placed), answer -> answered(answer, slot));
  }

  private void read(Slot<BindingCall> slot) {
    surroundings.api().get(path, answer -> found(answer, slot));
  }

  private void answered(Answer answer, Slot<BindingCall> slot) {
    try {
      handle(answer);
    } finally {
      surroundings.queue().released(slot, answer, true);
    }
  }

  private void handle(Answer answer) {
    if (answer.wasNotSent()) {
      surroundings.queue().ended(this);
    } else if (answer.ok()) {
      end(placed, "", false);
    } else if (answer.isFailureOfAdmission()) {
      refuse(answer);
    } else if (answer.ambiguous()) {
      mayBeBound = true;
      isOpen = true;
      next = Request.READ;
      later(answer, answer.message());
    } else if (answer.throttled()) {
      next = Request.BIND;
      later(answer, answer.message());
    } else if (answer.code() == 409 && mayBeBound) {
      isOpen = true;
      lastProblem = answer.message();
      next = Request.READ;
      again();
    } else if (answer.code() == 409 || answer.code() == 404) {
      end(null, answer.message(), answer.code() == 409);
    } else {
      refuse(answer);
    }
  }

  private void refuse(Answer answer) {
    surroundings
        .refusals()
        .refused(
            answer.code(),
            "Binding of %s to %s was refused: %s"
                .formatted(placed.pod(), placed.nodeName(), answer.message()))
        .ifPresent(LogKeys.pod(placed.pod()).andNode(placed.nodeName()).warn(LOG));
    end(null, answer.message(), true);
  }

  private void found(Answer answer, Slot<BindingCall> slot) {
    try {
      handleRead(answer);
    } finally {
      surroundings.queue().released(slot, answer, false);
    }
  }

  private void handleRead(Answer answer) {
    JsonNode pod = answer.json();
    String uid = pod.path("metadata").path("uid").asText("");
    String node = pod.path("spec").path("nodeName").asText("");
    if (answer.wasNotSent()) {
      surroundings.queue().ended(this);
    } else if (answer.code() == 404 || (answer.ok() && isAnother(uid))) {
      end(null, "the pod is gone", false);
    } else if (!answer.ok() || uid.isEmpty()) {
      next = Request.READ;
      later(answer, "the pod cannot be read: " + answer.message());
    } else if (node.equals(placed.nodeName())) {
      end(placed, "", false);
    } else if (!node.isEmpty()) {
      end(null, "the pod is bound to " + node, false);
    } else if (!othersFailure.isEmpty()) {
      end(null, othersFailure, true);
    } else {
      isOpen = false;
      next = Request.BIND;
      again();
    }
  }

  private boolean isAnother(String uid) {
    return !uid.isEmpty() && !uid.equals(placed.pod().uid());
  }

  /** Continues with the next request after a delay. */
  private void later(Answer answer, String problem) {
    lastProblem = problem;
    if (endsAfterTooMany()) {
      return;
    }
    Duration pause = BACKOFF.pause(requests, answer.retryAfter(), surroundings.api().random());
    LogKeys.pod(placed.pod())
        .andNode(placed.nodeName())
        .debug(LOG)
        .accept("Binding of %s: %s; again in %s".formatted(placed.pod(), problem, pause));
    surroundings.api().later(pause, () -> surroundings.queue().again(this));
  }

  /** Continues with the next request as soon as there is a slot. */
  private void again() {
    if (!endsAfterTooMany()) {
      surroundings.queue().again(this);
    }
  }

  private boolean endsAfterTooMany() {
    if (requests < REQUESTS) {
      return false;
    }
    if (isOpen) {
      tellThatItIsOpen();
      return false;
    }
    end(null, "gave up after " + requests + " requests: " + lastProblem, true);
    return true;
  }

  private void tellThatItIsOpen() {
    if (requests == REQUESTS) {
      surroundings
          .refusals()
          .line(
              "unknown outcome",
              "Whether %s was bound to %s is not known after %d requests: %s. It is read until that is known, and its resources stay assigned to it"
                  .formatted(placed.pod(), placed.nodeName(), requests, lastProblem))
          .ifPresent(LogKeys.pod(placed.pod()).andNode(placed.nodeName()).warn(LOG));
    }
  }

  private void end(@Nullable Placed bound, String reason, boolean retry) {
    try {
      if (bound != null) {
        surroundings
            .outcomes()
            .bound(bound, Duration.ofNanos(surroundings.api().nanoTime() - decidedAt));
      } else {
        surroundings.outcomes().failed(placed, reason, retry);
      }
    } finally {
      surroundings.queue().ended(this);
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
