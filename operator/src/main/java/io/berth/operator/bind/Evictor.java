package io.berth.operator.bind;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.FairCalls;
import io.berth.operator.api.LimitedLog;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evicts the victims of preemption: each gets its DisruptionTarget condition, so that Job
 * controllers know the cause, and is then deleted with its UID as a precondition and its own grace
 * period.
 */
public final class Evictor {

  private static final Logger LOG = LoggerFactory.getLogger(Evictor.class);
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int ATTEMPTS = 5;
  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(300), Duration.ofSeconds(5));

  private final ApiCalls api;
  private final FairCalls calls;
  private final String schedulerName;
  private final Clock clock;
  private final LimitedLog log;

  public Evictor(ApiCalls api, String schedulerName, Clock clock) {
    this.api = api;
    this.calls = new FairCalls(api);
    this.schedulerName = schedulerName;
    this.clock = clock;
    this.log = new LimitedLog(api::nanoTime);
  }

  /**
   * Evicts a pod in favor of another. Exactly one of the callbacks is called, or neither if the
   * leader's term has ended.
   *
   * @param going called when the victim is terminating or gone
   * @param refused called with the reason when the API server keeps rejecting the eviction
   */
  public void evict(PodRef victim, Runnable going, Consumer<String> refused) {
    String path = "/api/v1/namespaces/" + victim.namespace() + "/pods/" + victim.name();
    attempt(
        1,
        "condition",
        victim,
        (sent, answered) ->
            sent.patch(
                path + "/status", PodStatusWriter.STRATEGIC_MERGE, condition(victim), answered),
        () ->
            attempt(
                1,
                "deletion",
                victim,
                (sent, answered) -> sent.delete(path, options(victim), answered),
                going,
                refused),
        refused);
  }

  private void attempt(
      int number,
      String what,
      PodRef victim,
      FairCalls.Request request,
      Runnable done,
      Consumer<String> refused) {
    calls.send(
        victim.namespace(),
        request,
        answer -> {
          if (answer.wasNotSent()) {
            LOG.debug("Preemption: {} of victim {}: {}", what, victim, answer.message());
          } else if (answer.ok() || answer.code() == 404 || answer.code() == 409) {
            done.run(); // terminating, gone, or replaced by another pod
          } else if ((answer.throttled() || answer.ambiguous()) && number < ATTEMPTS) {
            api.later(
                BACKOFF.pause(number, answer.retryAfter(), api.random()),
                () -> attempt(number + 1, what, victim, request, done, refused));
          } else {
            log.refused(
                    answer.code(),
                    "Preemption: %s of victim %s failed: %s"
                        .formatted(what, victim, answer.message()))
                .ifPresent(LOG::warn);
            refused.accept(answer.message());
          }
        });
  }

  private ObjectNode condition(PodRef victim) {
    ObjectNode patch = JSON.objectNode();
    patch.putObject("metadata").put("uid", victim.uid());
    patch
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "DisruptionTarget")
        .put("status", "True")
        .put("reason", "PreemptionByScheduler")
        .put("message", schedulerName + ": preempting to accommodate a higher priority pod")
        .put("lastTransitionTime", clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
    return patch;
  }

  private static ObjectNode options(PodRef victim) {
    ObjectNode options = JSON.objectNode();
    options.put("apiVersion", "v1").put("kind", "DeleteOptions");
    options.putObject("preconditions").put("uid", victim.uid());
    return options;
  }
}
