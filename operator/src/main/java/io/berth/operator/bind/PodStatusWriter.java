package io.berth.operator.bind;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.WaitCause;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.DeferredTask;
import io.berth.operator.api.FairSlots;
import io.berth.operator.api.FairSlots.Slot;
import io.berth.operator.api.LimitedLog;
import io.berth.operator.api.LogKeys;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the scheduling part of a pending pod's status: the condition PodScheduled=False, whose
 * reason cluster autoscalers read, and {@code nominatedNodeName}. It writes only the difference to
 * the current status, with one request per pod at a time, and only the latest of several verdicts
 * on a pod. Namespaces take turns, and a slow one delays no other. A request that fails is sent
 * again after a growing pause, until it succeeds, a newer verdict replaces it, or the pod is bound
 * or gone: nobody reports the verdict on a member of a group again while it stays the same.
 */
public final class PodStatusWriter {

  static final String STRATEGIC_MERGE = "application/strategic-merge-patch+json";

  private static final Logger LOG = LoggerFactory.getLogger(PodStatusWriter.class);
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int IN_FLIGHT = 16;
  private static final int REMEMBERED = 100_000;
  private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(5));

  /** The number of failed attempts from which on they are logged. */
  private static final int LASTING = 5;

  /** The codes of answers that another attempt would get, too. */
  private static final Set<Integer> FINAL = Set.of(400, 404, 409, 422);

  private final ApiCalls api;
  private final Function<PodRef, Optional<SchedulingStatus>> known;
  private final Clock clock;
  private final Backoff backoff;

  private final LimitedLog failures;
  private final DeferredTask sendAgain;

  // Guarded by this.
  private int term;
  private final Map<String, Verdict> waiting = new HashMap<>();

  /** The UIDs of the pods in {@link #waiting}, except those in flight: these follow then. */
  private final FairSlots<String> slots = new FairSlots<>();

  private final Map<String, Verdict> inFlight = new LinkedHashMap<>();

  /** Verdicts that are sent again after a delay, unless a newer one arrives first. */
  private final Map<String, Verdict> pausing = new LinkedHashMap<>();

  private final Map<String, SchedulingStatus> written = limited();

  /**
   * The UIDs of pods for which the last request may have been executed or not. The next one writes
   * all that it has to say, whatever is known of the pod: a nomination that nobody removes would
   * hide the pod from autoscalers.
   */
  private final Set<String> unsure = Collections.newSetFromMap(limited());

  /**
   * The scheduling part of a pod's status.
   *
   * @param reason the reason of the condition PodScheduled=False; empty without this condition
   * @param message the message of this condition; empty without it
   * @param nominatedNode the nominated node; empty if there is none
   */
  public record SchedulingStatus(String reason, String message, String nominatedNode) {
    private static final SchedulingStatus NONE = new SchedulingStatus("", "", "");

    private boolean hasSameCondition(SchedulingStatus other) {
      return reason.equals(other.reason) && message.equals(other.message);
    }
  }

  /**
   * A status to write.
   *
   * @param term the number of the session that decided it, which {@link #clear} increments
   * @param attempt the number of the attempt, from 1
   * @param needed whether it has to be sent again if it fails
   */
  private record Verdict(
      PodRef pod, SchedulingStatus status, int term, int attempt, boolean needed) {
    Verdict again() {
      return new Verdict(pod, status, term, attempt + 1, needed);
    }

    Verdict outdated() {
      return new Verdict(pod, status, term, attempt, false);
    }
  }

  /**
   * @param known returns the status of a pending pod as the watch last reported it; empty for a pod
   *     that is bound or gone, for which nothing is written
   */
  public PodStatusWriter(
      ApiCalls api, Function<PodRef, Optional<SchedulingStatus>> known, Clock clock) {
    this(api, known, clock, BACKOFF);
  }

  PodStatusWriter(
      ApiCalls api,
      Function<PodRef, Optional<SchedulingStatus>> known,
      Clock clock,
      Backoff backoff) {
    this.backoff = backoff;
    this.api = api;
    this.known = known;
    this.clock = clock;
    this.failures = new LimitedLog(api::nanoTime);
    this.sendAgain = new DeferredTask(api, this::sendWaiting);
  }

  /** Returns an empty map that keeps the entries that were used last. */
  private static <V> Map<String, V> limited() {
    return new LinkedHashMap<>(16, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
        return size() > REMEMBERED;
      }
    };
  }

  /**
   * Records that the pod cannot be placed yet.
   *
   * @param cause what it waits for, from which the reason of the condition follows
   * @param nominatedNode the node where preemption makes room for the pod; empty if there is none
   */
  public void waits(PodRef pod, WaitCause cause, String message, String nominatedNode) {
    write(pod, new SchedulingStatus(reasonOf(cause), message, nominatedNode));
  }

  /**
   * Returns the reason of the condition PodScheduled. Cluster autoscalers take only {@code
   * Unschedulable} for a wish for nodes.
   */
  static String reasonOf(WaitCause cause) {
    return switch (cause) {
      case NO_ROOM -> "Unschedulable";
      case EVICTIONS_HELD -> "EvictionsHeld";
      case GROUP_INCOMPLETE -> "GroupIncomplete";
      case POLICY_MISSING -> "PolicyNotFound";
      case POLICY_NOT_ALLOWED -> "PolicyNotAllowed";
      case HELD_BY_QUEUE -> "HeldByQueue";
      case NO_ADVICE -> "SchedulerError";
    };
  }

  /** Records that the pod itself is wrong, so that no node can take it. */
  public void invalid(PodRef pod, String message) {
    write(pod, new SchedulingStatus("InvalidPod", message, ""));
  }

  /**
   * Records that an attempt failed, or that the pod was placed but could not be bound, as
   * kube-scheduler does.
   */
  public void failed(PodRef pod, String message) {
    write(pod, new SchedulingStatus("SchedulerError", message, ""));
  }

  /**
   * Records that the pod has a place on a node, and is bound as soon as its volumes and devices are
   * prepared. Its condition stays as it was.
   */
  public void nominated(PodRef pod, String nodeName) {
    latest(pod)
        .ifPresent(
            status ->
                write(pod, new SchedulingStatus(status.reason(), status.message(), nodeName)));
  }

  /**
   * Drops what is still to be written for the pod, because its Binding is sent now: API servers
   * from 1.35 on refuse a nomination of a bound pod.
   */
  public synchronized void bindingFollows(PodRef pod) {
    String uid = pod.uid();
    waiting.remove(uid);
    pausing.remove(uid);
    inFlight.computeIfPresent(uid, (same, verdict) -> verdict.outdated());
  }

  /** Removes the pod's nomination; its condition stays as it was. */
  public void nominationEnded(PodRef pod) {
    latest(pod)
        .ifPresent(
            status -> write(pod, new SchedulingStatus(status.reason(), status.message(), "")));
  }

  /** Returns the pod's status after all pending writes; empty for a deleted pod. */
  private synchronized Optional<SchedulingStatus> latest(PodRef pod) {
    String uid = pod.uid();
    Verdict verdict = waiting.getOrDefault(uid, inFlight.getOrDefault(uid, pausing.get(uid)));
    if (verdict != null) {
      return Optional.of(verdict.status());
    }
    return known.apply(pod).map(seen -> written.getOrDefault(pod.uid(), seen));
  }

  /**
   * Discards pending writes, because the session that decided them has ended. Failures of requests
   * in flight are not reported: the next leader writes its own verdicts.
   */
  public synchronized void clear() {
    term++;
    waiting.clear();
    slots.drop(uid -> true);
    pausing.clear();
    written.clear();
    unsure.clear();
  }

  private void write(PodRef pod, SchedulingStatus status) {
    synchronized (this) {
      pausing.remove(pod.uid());
      await(new Verdict(pod, status, term, 1, true));
    }
    sendWaiting();
  }

  /** Queues a verdict, instead of one on the same pod that waits. */
  private void await(Verdict verdict) {
    String uid = verdict.pod().uid();
    if (waiting.put(uid, verdict) == null && !inFlight.containsKey(uid)) {
      slots.add(verdict.pod().namespace(), uid);
    }
  }

  private void sendWaiting() {
    while (true) {
      Slot<String> slot;
      Verdict next;
      SchedulingStatus before;
      boolean inFull;
      synchronized (this) {
        long now = api.nanoTime();
        slot = slots.next(IN_FLIGHT, now);
        if (slot == null) {
          // A slot is also free once the namespaces that hold it have become slow.
          slots.untilNextIsSlow(now).ifPresent(sendAgain::runAfter);
          return;
        }
        String uid = slot.request();
        next = inFlight.containsKey(uid) ? null : waiting.remove(uid);
        if (next == null) { // written by the request under way, or cleared
          slots.ended(slot, FairSlots.Response.NOT_SENT, now);
          continue;
        }
        Optional<SchedulingStatus> seen = known.apply(next.pod());
        before = written.getOrDefault(uid, seen.orElse(SchedulingStatus.NONE));
        inFull = unsure.contains(uid);
        if (seen.isEmpty() || (!inFull && before.equals(next.status()))) {
          slots.ended(slot, FairSlots.Response.NOT_SENT, now);
          continue;
        }
        inFlight.put(uid, next);
      }
      send(next, patch(next, before, inFull, clock.instant()), slot);
    }
  }

  private void send(Verdict verdict, ObjectNode patch, Slot<String> slot) {
    PodRef pod = verdict.pod();
    String path = "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name() + "/status";
    api.patch(path, STRATEGIC_MERGE, patch, answer -> answered(verdict, answer, slot));
  }

  private void answered(Verdict verdict, Answer answer, Slot<String> slot) {
    String uid = verdict.pod().uid();
    boolean again = !answer.ok() && !answer.wasNotSent() && !FINAL.contains(answer.code());
    FairSlots.Response response = FairSlots.Response.of(answer);
    boolean needed;
    synchronized (this) {
      needed = inFlight.remove(uid).needed() && verdict.term() == term;
      slots.ended(slot, response, api.nanoTime());
      again &= needed && !waiting.containsKey(uid);
      if (again) {
        pausing.put(uid, verdict.again());
      }
      if (verdict.term() == term) {
        remember(verdict, answer);
      }
      if (waiting.containsKey(uid)) { // a newer verdict, for which this request was awaited
        slots.add(verdict.pod().namespace(), uid);
      }
    }
    if (again) {
      api.later(
          backoff.pause(verdict.attempt(), answer.retryAfter(), api.random()),
          () -> resume(verdict.again()));
    }
    boolean passing = again && isPassing(answer) && verdict.attempt() < LASTING;
    boolean gone = answer.code() == 404 || answer.code() == 409;
    if (needed && !answer.ok() && !answer.wasNotSent() && !gone && !passing) {
      failures
          .refused(
              answer.code(),
              "Status of pod %s was not written: %s%s"
                  .formatted(verdict.pod(), answer.message(), again ? "; retrying" : ""))
          .ifPresent(LogKeys.pod(verdict.pod()).warn(LOG));
    }
    sendWaiting();
  }

  private void remember(Verdict verdict, Answer answer) {
    String uid = verdict.pod().uid();
    if (answer.ok()) {
      written.put(uid, verdict.status());
      unsure.remove(uid);
    } else if (answer.ambiguous()) {
      unsure.add(uid);
    }
  }

  private static boolean isPassing(Answer answer) {
    return answer.throttled() || answer.ambiguous();
  }

  private void resume(Verdict verdict) {
    String uid = verdict.pod().uid();
    synchronized (this) {
      if (pausing.remove(uid, verdict)) {
        await(verdict);
      }
    }
    sendWaiting();
  }

  /**
   * Returns the patch that writes a status.
   *
   * @param before the status that the pod is known to have
   * @param inFull whether to write what this status has already, too
   */
  private static ObjectNode patch(
      Verdict verdict, SchedulingStatus before, boolean inFull, Instant now) {
    ObjectNode patch = JSON.objectNode();
    // A UID in the patch is a precondition, so that a pod that was recreated under the same name is
    // left unchanged.
    patch.putObject("metadata").put("uid", verdict.pod().uid());
    ObjectNode status = patch.putObject("status");
    SchedulingStatus after = verdict.status();
    if (!after.reason().isEmpty() && (inFull || !after.hasSameCondition(before))) {
      ObjectNode condition = status.putArray("conditions").addObject();
      condition
          .put("type", "PodScheduled")
          .put("status", "False")
          .put("reason", after.reason())
          .put("message", after.message());
      if (before.reason().isEmpty()) {
        condition.put("lastTransitionTime", now.truncatedTo(ChronoUnit.SECONDS).toString());
      }
    }
    if (inFull || !after.nominatedNode().equals(before.nominatedNode())) {
      if (after.nominatedNode().isEmpty()) {
        status.putNull("nominatedNodeName");
      } else {
        status.put("nominatedNodeName", after.nominatedNode());
      }
    }
    return patch;
  }
}
