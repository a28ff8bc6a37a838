package io.berth.operator.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.Decision.Placed;
import io.berth.engine.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binds pods to their nodes: one Binding request each, many in flight.
 *
 * <p>How many is learned from the server (see {@link InFlightLimit}). What an answer means:
 *
 * <ol>
 *   <li>2xx: bound.
 *   <li>429: the server did nothing; the same request is sent again after the pause it asked for.
 *   <li>404: the pod is gone (or another has its name: the Binding carries the UID). 409: it is
 *       bound or being deleted.
 *   <li>No answer, or 5xx: nobody knows. The pod is read: it is bound to our node, or elsewhere, or
 *       not at all, in which case the request is sent again. Only a 404 or another UID say that it
 *       is gone; where it cannot be read, it is read again.
 *   <li>Any other: the request is wrong; it is reported and not repeated at once.
 *   <li>Not sent: the term as leader is over. Nobody is there any more to hear of an outcome.
 * </ol>
 *
 * <p>Some pods are bound by others ({@link OtherBinder}). Where these fail, the pod is read: they
 * may have bound it and lost the answer.
 */
public final class Binder {

  private static final Logger LOG = LoggerFactory.getLogger(Binder.class);
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(150), Duration.ofSeconds(5), new SecureRandom());
  private static final int ATTEMPTS = 8;

  /** So many pods are being bound by others at a time. */
  private static final int MOST_WITH_OTHERS = 64;

  private final ApiCalls api;
  private final VolumePreparation volumes;
  private final OtherBinder others;
  private final BindingOutcomes outcomes;
  private final RefusalLog refusals = new RefusalLog(System::nanoTime);

  // Guarded by this.
  private final InFlightLimit limit;
  private final ArrayDeque<Placed> waiting = new ArrayDeque<>();
  private final Map<String, Placed> preparing = new HashMap<>();
  private final ArrayDeque<Placed> waitingForOthers = new ArrayDeque<>();
  private int withOthers;
  private int inFlight;
  private boolean full;
  private boolean closed;

  /**
   * @param volumes what is to be done for a pod before its Binding
   * @param others has others bind the pods that they are to bind
   * @param outcomes hears of each placement's end; called on the client's threads
   */
  public Binder(
      ApiCalls api, VolumePreparation volumes, OtherBinder others, BindingOutcomes outcomes) {
    this.api = api;
    this.volumes = volumes;
    this.others = others;
    this.outcomes = outcomes;
    this.limit = new InFlightLimit(32, 4, 256);
  }

  /** Takes a placement; returns at once. After {@link #close} it is dropped, as its engine is. */
  public void bind(Placed placed) {
    if (placed.preBind().isEmpty()) {
      prepared(placed);
      return;
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      preparing.put(placed.pod().uid(), placed);
    }
    // Volumes may take minutes: what waits for them holds no place among the requests in flight.
    volumes.prepare(
        placed,
        () -> isPreparing(placed),
        () -> {
          if (endPreparation(placed)) {
            prepared(placed);
          }
        },
        reason -> {
          if (endPreparation(placed)) {
            outcomes.failed(placed, "preparing the Binding: " + reason, true);
          }
        });
  }

  /**
   * Gives a placement up while its volumes are being prepared, so that the pod is scheduled again.
   *
   * @return false if its Binding may be on its way already; then nothing has changed
   */
  public boolean cancelPreparation(PodRef pod, String reason) {
    Placed placed;
    synchronized (this) {
      placed = preparing.remove(pod.uid());
    }
    if (placed == null) {
      return false;
    }
    outcomes.failed(placed, reason, true);
    return true;
  }

  private synchronized boolean isPreparing(Placed placed) {
    return placed.equals(preparing.get(placed.pod().uid()));
  }

  private synchronized boolean endPreparation(Placed placed) {
    return preparing.remove(placed.pod().uid(), placed);
  }

  /** Nothing is left to do before the Binding. */
  private void prepared(Placed placed) {
    if (placed.binder().isEmpty()) {
      admit(placed);
      return;
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      if (withOthers >= MOST_WITH_OTHERS) {
        waitingForOthers.add(placed);
        return;
      }
      withOthers++;
    }
    handOver(placed);
  }

  /** Has others bind a pod: they may be slow, so it holds no place among the requests in flight. */
  private void handOver(Placed placed) {
    Call call = new Call(placed, this::takenBack);
    others.bind(
        placed,
        result -> {
          switch (result) {
            case OtherBinder.Bound _ -> call.end(placed, "", false);
            case OtherBinder.Failed(String why) -> call.ask(why);
            case OtherBinder.PassedOver _ -> {
              takenBack();
              admit(placed);
            }
          }
        });
  }

  private void takenBack() {
    Placed next;
    synchronized (this) {
      next = closed ? null : waitingForOthers.poll();
      if (next == null) {
        withOthers--;
        notifyAll();
      }
    }
    if (next != null) {
      handOver(next);
    }
  }

  private void admit(Placed placed) {
    synchronized (this) {
      if (closed) {
        return;
      }
      if (inFlight >= limit.current()) {
        full = true;
        waiting.add(placed);
        return;
      }
      inFlight++;
    }
    start(placed);
  }

  /**
   * Returns whether another placement would be sent soon; decisions made much earlier than they can
   * be sent grow stale.
   */
  public synchronized boolean hasRoom() {
    return waiting.size() < 2 * limit.current();
  }

  /** Placements that were handed in and have not ended. */
  public synchronized int pending() {
    return waiting.size() + inFlight + waitingForOthers.size() + withOthers;
  }

  /** Returns the number of requests that may be in flight now. */
  public synchronized int inFlightLimit() {
    return limit.current();
  }

  /** Forgets what waits; what is in flight ends by itself. */
  public void close() {
    synchronized (this) {
      closed = true;
      waiting.clear();
      waitingForOthers.clear();
      preparing.clear();
    }
  }

  /**
   * Waits until nothing is in flight any more.
   *
   * @return whether that came about in time
   */
  public synchronized boolean awaitQuiet(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (inFlight + withOthers > 0) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  private void start(Placed placed) {
    new Call(placed, this::release).send();
  }

  private void release() {
    Placed next;
    synchronized (this) {
      next = inFlight <= limit.current() ? waiting.poll() : null;
      if (next == null) {
        inFlight--;
        full &= inFlight >= limit.current();
        notifyAll();
      }
    }
    if (next != null) {
      start(next);
      startMore();
    }
  }

  /** After the limit has grown. */
  private void startMore() {
    while (true) {
      Placed next;
      synchronized (this) {
        next = inFlight < limit.current() ? waiting.poll() : null;
        if (next == null) {
          return;
        }
        inFlight++;
      }
      start(next);
    }
  }

  static ObjectNode body(Placed placed) {
    ObjectNode binding = JSON.objectNode();
    binding.put("apiVersion", "v1").put("kind", "Binding");
    ObjectNode metadata = binding.putObject("metadata");
    metadata.put("name", placed.pod().name());
    metadata.put("namespace", placed.pod().namespace());
    metadata.put("uid", placed.pod().uid());
    if (!placed.annotations().isEmpty()) {
      ObjectNode annotations = metadata.putObject("annotations");
      placed.annotations().forEach(annotations::put);
    }
    if (!placed.labels().isEmpty()) {
      ObjectNode labels = metadata.putObject("labels");
      placed.labels().forEach(labels::put);
    }
    binding
        .putObject("target")
        .put("apiVersion", "v1")
        .put("kind", "Node")
        .put("name", placed.nodeName());
    return binding;
  }

  /** One placement on its way. */
  private final class Call {

    private final Placed placed;
    private final Runnable ended;
    private final long decidedAt = System.nanoTime();
    private final String path;
    private int attempts;
    private boolean mayBeBound;
    private long sentAt;

    /** The reason for which others did not bind the pod; empty where none were to. */
    private String othersFailure = "";

    /**
     * @param ended gives its place to another
     */
    Call(Placed placed, Runnable ended) {
      this.placed = placed;
      this.ended = ended;
      PodRef pod = placed.pod();
      this.path = "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name();
    }

    /** Looks up whether others have bound the pod, who gave no good answer. */
    void ask(String failure) {
      othersFailure = failure;
      read();
    }

    void send() {
      attempts++;
      sentAt = System.nanoTime();
      api.post(path + "/binding", body(placed), this::answered);
    }

    private void answered(Answer answer) {
      long took = System.nanoTime() - sentAt;
      if (answer.wasNotSent()) {
        ended.run();
        return;
      }
      boolean trouble = answer.throttled() || answer.ambiguous();
      synchronized (Binder.this) {
        if (trouble) {
          limit.failed();
        } else {
          limit.succeeded(took, full);
        }
      }
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
        refusals
            .refused(
                answer.code(),
                "Binding of %s to %s was refused: %s"
                    .formatted(placed.pod(), placed.nodeName(), answer.message()))
            .ifPresent(LOG::warn);
        end(null, answer.message(), true);
      }
    }

    private void read() {
      api.get(path, this::found);
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

    /** Tries again after a pause. */
    private void later(Duration asked, String reason, Runnable again) {
      attempts++;
      if (attempts > ATTEMPTS) {
        end(null, "given up after " + ATTEMPTS + " attempts: " + reason, true);
        return;
      }
      Duration pause = BACKOFF.pause(attempts, asked);
      LOG.debug("Binding of {}: {}; again in {}", placed.pod(), reason, pause);
      api.later(pause, again);
    }

    private void end(@Nullable Placed bound, String reason, boolean retry) {
      try {
        if (bound != null) {
          outcomes.bound(bound, Duration.ofNanos(System.nanoTime() - decidedAt));
        } else {
          outcomes.failed(placed, reason, retry);
        }
      } finally {
        ended.run();
      }
    }
  }
}
