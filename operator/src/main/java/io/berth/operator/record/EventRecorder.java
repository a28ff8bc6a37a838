package io.berth.operator.record;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.DeferredTask;
import io.berth.operator.api.FairSlots;
import io.berth.operator.api.FairSlots.Slot;
import io.berth.operator.record.EventCorrelator.Series;
import io.berth.operator.record.ObjectEvent.Subject;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Writes events (events.k8s.io/v1) without blocking the reporters.
 *
 * <p>Reports wait in a bounded queue; if it is full, or a namespace has as many waiting as are left
 * for all others, a new report is dropped and counted. Namespaces take turns, and one in which
 * events get no answers delays no other ({@link FairSlots}). While Bindings are in flight, they
 * have priority: only one event is written every {@link #TRICKLE_PAUSE}, until the oldest report
 * has waited for {@link #PATIENCE}. {@link EventCorrelator} decides which reports become events and
 * which only increase a count.
 */
public final class EventRecorder {

  static final Duration PATIENCE = Duration.ofSeconds(20);
  static final Duration TRICKLE_PAUSE = Duration.ofMillis(250);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(200), Duration.ofSeconds(10));
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
  private static final int QUEUED = 50_000;
  private static final int IN_FLIGHT = 24;
  private static final int NOTE_BYTES = 1024;

  private final ApiCalls api;
  private final Function<Subject, String> controller;
  private final String instance;
  private final Clock clock;
  private final BooleanSupplier yieldToOthers;
  private final Runnable onDropped;
  private final LostEvents lost;
  private final LongAdder suppressed = new LongAdder();

  private final DeferredTask pumpWhenOthersMayHaveEnded;
  private final DeferredTask pumpWhenOthersAreSlow;

  // Guarded by this.
  private final FairSlots<Waiting> slots = new FairSlots<>();

  /** The waiting reports in the order of their arrival. */
  private final LinkedHashSet<Waiting> arrivals = new LinkedHashSet<>();

  private final EventCorrelator correlator = new EventCorrelator();

  /** The number of reports that are sent again after a pause. */
  private int pausing;

  /** True while the server is given a pause, after it failed to answer a namespace that is well. */
  private boolean serverRests;

  /** True after such a failure, until a write succeeds: writes are then sent one at a time. */
  private boolean retrying;

  private boolean finished;
  private long trickledAt;

  /** A report in the queue; equal only to itself. */
  private static final class Waiting {
    final Report report;

    Waiting(Report report) {
      this.report = report;
    }
  }

  /**
   * A report in the queue.
   *
   * @param event the event
   * @param at the time of the report
   * @param action the action for it, decided when it is first taken from the queue
   * @param attempts the number of failed attempts
   */
  private record Report(
      ObjectEvent event, Instant at, Optional<EventCorrelator.Action> action, int attempts) {

    Report again(EventCorrelator.Action tried) {
      return new Report(event, at, Optional.of(tried), attempts + 1);
    }
  }

  /**
   * @param controller returns the reporting controller for an object: for a pod, the name of its
   *     scheduler
   * @param instance the identity of the reporting replica
   * @param yieldToOthers returns whether more urgent requests are in flight
   * @param onDropped called for every event that is dropped
   */
  public EventRecorder(
      ApiCalls api,
      Function<Subject, String> controller,
      String instance,
      Clock clock,
      BooleanSupplier yieldToOthers,
      Runnable onDropped) {
    this.api = api;
    this.trickledAt = api.nanoTime() - TRICKLE_PAUSE.toNanos();
    this.controller = controller;
    this.instance = instance;
    this.clock = clock;
    this.yieldToOthers = yieldToOthers;
    this.onDropped = onDropped;
    this.lost = new LostEvents(api::later);
    this.pumpWhenOthersMayHaveEnded = new DeferredTask(api, this::pump);
    this.pumpWhenOthersAreSlow = new DeferredTask(api, this::pump);
  }

  /** Accepts a report, or discards it after {@link #finish}; does not block. */
  public void report(ObjectEvent event) {
    boolean dropped;
    synchronized (this) {
      if (finished) {
        return;
      }
      int free = QUEUED - slots.waiting();
      dropped = free <= slots.waitingOf(namespace(event));
      if (!dropped) {
        Waiting waiting = new Waiting(new Report(event, clock.instant(), Optional.empty(), 0));
        slots.add(namespace(event), waiting);
        arrivals.addLast(waiting);
      }
    }
    if (dropped) {
      onDropped.run();
    } else {
      pump();
    }
  }

  /** The number of reports that wait or are being written. */
  public synchronized int pending() {
    return slots.waiting() + slots.underWay() + pausing;
  }

  /** The number of reports that were not written because of the rate limit of their object. */
  public long suppressed() {
    return suppressed.sum();
  }

  /**
   * Waits until all reports have been written.
   *
   * @return whether that happened before the timeout
   */
  public boolean awaitQuiet(Duration atMost) throws InterruptedException {
    long deadline = api.nanoTime() + atMost.toNanos();
    while (pending() > 0) {
      pump();
      synchronized (this) {
        long left = deadline - api.nanoTime();
        if (left <= 0) {
          return false;
        }
        if (pending() > 0) {
          TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, Duration.ofMillis(100).toNanos()));
        }
      }
    }
    return true;
  }

  /**
   * Ends this recorder: waits until all reports have been written, and discards the others. Later
   * reports, such as of an eviction that is confirmed late, are discarded too. A write that is
   * still in flight is not retried, and its failure is not logged.
   *
   * @return the number of reports that were not written before the timeout
   */
  public int finish(Duration atMost) throws InterruptedException {
    int left;
    try {
      awaitQuiet(atMost);
    } finally {
      left = discard();
    }
    return left;
  }

  private synchronized int discard() {
    finished = true;
    int left = pending();
    slots.drop(waiting -> true);
    arrivals.clear();
    pausing = 0;
    return left;
  }

  /**
   * Sends the reports that may be sent now. Called after a report, after a response, and when the
   * write load decreases.
   */
  public void pump() {
    while (true) {
      Slot<Waiting> next;
      synchronized (this) {
        if (slots.waiting() == 0 || serverRests) {
          return; // the end of the pause calls this again
        }
        if (!retrying && yields() && !mayTrickle()) {
          pumpWhenOthersMayHaveEnded.runAfter(LOOK_AGAIN); // that is not signaled
          return;
        }
        long now = api.nanoTime();
        next = slots.next(retrying ? 1 : IN_FLIGHT, now);
        if (next == null) {
          slots.untilNextIsSlow(now).ifPresent(pumpWhenOthersAreSlow::runAfter);
          return; // a response calls this again
        }
        arrivals.remove(next.request());
      }
      send(next);
    }
  }

  private boolean yields() {
    return !arrivals.isEmpty()
        && arrivals.getFirst().report.at().plus(PATIENCE).isAfter(clock.instant())
        && slots.waiting() < QUEUED / 2
        && yieldToOthers.getAsBoolean();
  }

  private boolean mayTrickle() {
    long now = api.nanoTime();
    if (now - trickledAt < TRICKLE_PAUSE.toNanos()) {
      return false;
    }
    trickledAt = now;
    return true;
  }

  private void send(Slot<Waiting> slot) {
    Report report = slot.request().report;
    EventCorrelator.Action action;
    synchronized (this) {
      action = report.action().orElseGet(() -> correlator.correlate(report.event(), report.at()));
    }
    switch (action) {
      case EventCorrelator.Create(Series series) ->
          api.post(path(report), event(series), answer -> answered(slot, action, series, answer));
      case EventCorrelator.Count(Series series) ->
          api.patch(
              path(report) + "/" + name(series),
              ApiCalls.MERGE_PATCH,
              count(series),
              answer -> answered(slot, action, series, answer));
      case EventCorrelator.Wait() -> done(slot);
      case EventCorrelator.Suppress() -> {
        suppressed.increment();
        done(slot);
      }
    }
  }

  private synchronized void done(Slot<Waiting> slot) {
    slots.ended(slot, FairSlots.Response.NOT_SENT, api.nanoTime());
    notifyAll();
  }

  private void answered(
      Slot<Waiting> slot, EventCorrelator.Action action, Series series, Answer answer) {
    Report report = slot.request().report;
    String namespace = namespace(report.event());
    boolean creating = action instanceof EventCorrelator.Create;
    FairSlots.Response response = FairSlots.Response.of(answer);
    boolean again = response == FairSlots.Response.SERVER_FAILED;
    // A Create whose response was lost may have succeeded; every attempt uses the same name.
    boolean ok = answer.ok() || (creating && report.attempts() > 0 && answer.code() == 409);
    boolean givenUp = false;
    boolean resting = false;
    synchronized (this) {
      slots.ended(slot, response, api.nanoTime());
      if (finished) {
        return;
      }
      if (ok) {
        retrying = false;
        correlator.created(series);
      } else if (!creating && answer.code() == 404) {
        correlator.forget(series); // deleted or expired, so create a new event
        addFirst(new Report(report.event(), report.at(), Optional.empty(), 0));
      } else if (again && report.attempts() < 6) {
        pausing++;
        resting = !slots.isSlow(namespace);
        retrying |= resting;
        serverRests |= resting;
      } else {
        retrying = false;
        givenUp = true;
        if (creating) {
          correlator.forget(series);
        }
      }
      notifyAll();
    }
    if (givenUp) {
      onDropped.run();
      // A namespace that is being terminated rejects new events, which is expected.
      if (answer.code() != 404 && !isEnding(answer)) {
        lost.lost(report.event().regarding(), answer.message());
      }
    }
    if (again && !givenUp) {
      boolean rested = resting;
      api.later(
          BACKOFF.pause(report.attempts() + 1, answer.retryAfter(), api.random()),
          () -> resume(report.again(action), rested));
    }
    pump();
  }

  private void resume(Report report, boolean rested) {
    synchronized (this) {
      if (finished) {
        return;
      }
      pausing--;
      serverRests &= !rested;
      addFirst(report);
    }
    pump();
  }

  private void addFirst(Report report) {
    Waiting waiting = new Waiting(report);
    slots.addFirst(namespace(report.event()), waiting);
    arrivals.addFirst(waiting);
  }

  private static boolean isEnding(Answer answer) {
    return answer.code() == 403 && answer.message().contains("because it is being terminated");
  }

  private static String path(Report report) {
    return "/apis/events.k8s.io/v1/namespaces/" + namespace(report.event()) + "/events";
  }

  private static String name(Series series) {
    Instant at = series.began();
    long nanos = at.getEpochSecond() * 1_000_000_000L + at.getNano();
    String subject = series.event().regarding().name();
    String suffix =
        "." + Long.toHexString(nanos) + Integer.toHexString(series.event().hashCode() & 0xffff);
    return subject.substring(0, Math.min(subject.length(), 253 - suffix.length())) + suffix;
  }

  private static String namespace(ObjectEvent event) {
    String namespace = event.regarding().namespace();
    return namespace.isEmpty() ? "default" : namespace;
  }

  private ObjectNode event(Series series) {
    ObjectEvent event = series.event();
    ObjectNode json = JSON.objectNode();
    json.put("apiVersion", "events.k8s.io/v1").put("kind", "Event");
    json.putObject("metadata").put("name", name(series)).put("namespace", namespace(event));
    json.put("eventTime", MICRO_TIME.format(series.began()));
    json.put("type", event.warning() ? "Warning" : "Normal");
    json.put("reason", event.reason());
    json.put("action", event.action());
    json.put("note", cut(event.note()));
    json.put("reportingController", controller.apply(event.regarding()));
    json.put("reportingInstance", instance);
    reference(json.putObject("regarding"), event.regarding());
    event.related().ifPresent(related -> reference(json.putObject("related"), related));
    return json;
  }

  private synchronized ObjectNode count(Series series) {
    ObjectNode json = JSON.objectNode();
    json.putObject("series")
        .put("count", series.count())
        .put("lastObservedTime", MICRO_TIME.format(series.lastSeen()));
    return json;
  }

  private static void reference(ObjectNode json, Subject subject) {
    json.put("apiVersion", subject.apiVersion())
        .put("kind", subject.kind())
        .put("name", subject.name());
    if (!subject.namespace().isEmpty()) {
      json.put("namespace", subject.namespace());
    }
    json.put("uid", subject.uid());
  }

  /** Truncates a note to the limit, with an ellipsis, as kube-scheduler does. */
  static String cut(String note) {
    byte[] bytes = note.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= NOTE_BYTES) {
      return note;
    }
    int end = NOTE_BYTES - 4;
    while (end > 0 && (bytes[end] & 0xC0) == 0x80) {
      end--;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8) + " ...";
  }
}
