package io.berth.operator.bind;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.FairCalls;
import io.berth.operator.api.LimitedLog;
import io.berth.operator.api.LogKeys;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evicts pods: each gets its DisruptionTarget condition, so that Job controllers know the cause,
 * and is then deleted with its UID as a precondition and its own grace period.
 */
public final class Evictor {

  private static final Logger LOG = LoggerFactory.getLogger(Evictor.class);
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int ATTEMPTS = 5;
  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(300), Duration.ofSeconds(5));

  /**
   * The cause of an eviction, as the DisruptionTarget condition states it.
   *
   * @param reason the condition's reason, in CamelCase
   * @param message the condition's message, without the name of the scheduler
   */
  public record Cause(String reason, String message) {

    /**
     * The cause of every victim of preemption, with the reason and message of kube-scheduler. Both
     * take a victim with this reason for one that ends in favor of a pod.
     */
    public static final Cause PREEMPTION =
        new Cause("PreemptionByScheduler", "preempting to accommodate a higher priority pod");

    /** Returns the cause of a pod that is evicted because its group did not become complete. */
    public static Cause groupIncomplete(String message) {
      return new Cause("GroupIncomplete", message);
    }
  }

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
   * Evicts a pod. Exactly one of the callbacks is called, or neither if the leader's term has
   * ended.
   *
   * @param going called when the pod is terminating or gone
   * @param refused called with the reason when the API server keeps rejecting the eviction
   */
  public void evict(PodRef pod, Cause cause, Runnable going, Consumer<String> refused) {
    String path = "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name();
    attempt(
        1,
        "condition",
        pod,
        (sent, answered) ->
            sent.patch(
                path + "/status", PodStatusWriter.STRATEGIC_MERGE, condition(pod, cause), answered),
        () ->
            attempt(
                1,
                "deletion",
                pod,
                (sent, answered) -> sent.delete(path, options(pod), answered),
                going,
                refused),
        refused);
  }

  private void attempt(
      int number,
      String what,
      PodRef pod,
      FairCalls.Request request,
      Runnable done,
      Consumer<String> refused) {
    calls.send(
        pod.namespace(),
        request,
        answer -> {
          if (answer.wasNotSent()) {
            LogKeys.pod(pod)
                .debug(LOG)
                .accept("Eviction: %s of pod %s: %s".formatted(what, pod, answer.message()));
          } else if (answer.ok() || answer.code() == 404 || answer.code() == 409) {
            done.run(); // terminating, gone, or replaced by another pod
          } else if ((answer.throttled() || answer.ambiguous()) && number < ATTEMPTS) {
            api.later(
                BACKOFF.pause(number, answer.retryAfter(), api.random()),
                () -> attempt(number + 1, what, pod, request, done, refused));
          } else {
            log.refused(
                    answer.code(),
                    "Eviction: the %s of pod %s failed: %s".formatted(what, pod, answer.message()))
                .ifPresent(LogKeys.pod(pod).warn(LOG));
            refused.accept(answer.message());
          }
        });
  }

  private ObjectNode condition(PodRef pod, Cause cause) {
    ObjectNode patch = JSON.objectNode();
    patch.putObject("metadata").put("uid", pod.uid());
    patch
        .putObject("status")
        .putArray("conditions")
        .addObject()
        .put("type", "DisruptionTarget")
        .put("status", "True")
        .put("reason", cause.reason())
        .put("message", schedulerName + ": " + cause.message())
        .put("lastTransitionTime", clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
    return patch;
  }

  private static ObjectNode options(PodRef pod) {
    ObjectNode options = JSON.objectNode();
    options.put("apiVersion", "v1").put("kind", "DeleteOptions");
    options.putObject("preconditions").put("uid", pod.uid());
    return options;
  }
}
