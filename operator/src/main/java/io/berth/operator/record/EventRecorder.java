package io.berth.operator.record;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.record.ObjectEvent.Subject;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Writes events (events.k8s.io/v1) without ever holding up who reports them.
 *
 * <p>Reports wait in a bounded queue; when it is full the newest is dropped and counted. While
 * bindings are under way they have the API server to themselves but for one event every {@link
 * #TRICKLE_PAUSE}, until the oldest event has waited for {@link #PATIENCE}. The same event about
 * the same object within {@link #SERIES_WINDOW} becomes a series: its count is patched, at once for
 * the first repeat and then no more often than {@link #SERIES_PAUSE}.
 */
public final class EventRecorder {

  static final Duration PATIENCE = Duration.ofSeconds(20);
  static final Duration TRICKLE_PAUSE = Duration.ofMillis(50);
  static final Duration SERIES_WINDOW = Duration.ofMinutes(6);
  static final Duration SERIES_PAUSE = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
  private static final int QUEUED = 50_000;
  private static final int IN_FLIGHT = 24;
  private static final int REMEMBERED = 20_000;
  private static final int NOTE_BYTES = 1024;

  private final ApiCalls api;
  private final String controller;
  private final String instance;
  private final Clock clock;
  private final BooleanSupplier yieldToOthers;
  private final Runnable onDropped;

  // Guarded by this.
  private final ArrayDeque<Report> queue = new ArrayDeque<>();
  private final Map<ObjectEvent, Series> recent =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ObjectEvent, Series> eldest) {
          return size() > REMEMBERED;
        }
      };
  private int inFlight;
  private boolean retrying;
  private long trickledAt = System.nanoTime() - TRICKLE_PAUSE.toNanos();
  private boolean looksAgain;

  private record Report(ObjectEvent event, Instant at, int attempts) {}

  /** An event that was written, and how often it was seen since. */
  private static final class Series {
    final String name;
    int count = 1;
    Instant lastSeen;
    Instant lastWritten;

    Series(String name, Instant at) {
      this.name = name;
      this.lastSeen = at;
      this.lastWritten = at;
    }
  }

  /**
   * @param controller who reports, such as the scheduler's name
   * @param instance which replica of it
   * @param yieldToOthers whether something more urgent is being written now
   * @param onDropped called for every event that is given up
   */
  public EventRecorder(
      ApiCalls api,
      String controller,
      String instance,
      Clock clock,
      BooleanSupplier yieldToOthers,
      Runnable onDropped) {
    this.api = api;
    this.controller = controller;
    this.instance = instance;
    this.clock = clock;
    this.yieldToOthers = yieldToOthers;
    this.onDropped = onDropped;
  }

  /** Takes a report and returns at once. */
  public void report(ObjectEvent event) {
    boolean dropped;
    synchronized (this) {
      dropped = queue.size() >= QUEUED;
      if (!dropped) {
        queue.add(new Report(event, clock.instant(), 0));
      }
    }
    if (dropped) {
      onDropped.run();
    } else {
      pump();
    }
  }

  /** Reports that wait or are being written. */
  public synchronized int pending() {
    return queue.size() + inFlight;
  }

  /**
   * Waits until everything reported has been written.
   *
   * @return whether that came about in time
   */
  public boolean awaitQuiet(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (pending() > 0) {
      pump();
      synchronized (this) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        if (queue.size() + inFlight > 0) {
          TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, Duration.ofMillis(100).toNanos()));
        }
      }
    }
    return true;
  }

  /**
   * Sends what may be sent now. Called when something is reported, answered, or has become less
   * urgent.
   */
  public void pump() {
    while (true) {
      Report next;
      synchronized (this) {
        if (queue.isEmpty() || inFlight >= IN_FLIGHT) {
          return;
        }
        if (retrying && inFlight > 0) {
          return; // the answer to that one comes back here
        }
        if (!retrying && yields() && !mayTrickle()) {
          lookAgainSoon();
          return;
        }
        next = queue.remove();
        inFlight++;
      }
      send(next);
    }
  }

  private boolean yields() {
    Report oldest = queue.element();
    return oldest.at().plus(PATIENCE).isAfter(clock.instant())
        && queue.size() < QUEUED / 2
        && yieldToOthers.getAsBoolean();
  }

  private boolean mayTrickle() {
    long now = System.nanoTime();
    if (now - trickledAt < TRICKLE_PAUSE.toNanos()) {
      return false;
    }
    trickledAt = now;
    return true;
  }

  /** Nobody says so when others have done: ask. */
  private void lookAgainSoon() {
    if (!looksAgain) {
      looksAgain = true;
      api.later(
          TRICKLE_PAUSE,
          () -> {
            synchronized (this) {
              looksAgain = false;
            }
            pump();
          });
    }
  }

  private void send(Report report) {
    Series series;
    int count;
    synchronized (this) {
      series = recent.get(report.event());
      if (series != null && series.lastSeen.plus(SERIES_WINDOW).isBefore(report.at())) {
        recent.remove(report.event());
        series = null;
      }
      if (series == null) {
        series = new Series(name(report), report.at());
        count = 1;
      } else {
        if (report.attempts() == 0) {
          series.count++;
        }
        series.lastSeen = report.at();
        count = series.count;
        boolean due = count == 2 || !series.lastWritten.plus(SERIES_PAUSE).isAfter(report.at());
        if (!due && report.attempts() == 0) {
          inFlight--;
          notifyAll();
          return;
        }
        series.lastWritten = report.at();
      }
    }
    String path = "/apis/events.k8s.io/v1/namespaces/" + namespace(report.event()) + "/events";
    Series written = series;
    if (count == 1) {
      api.post(path, event(report, written), answer -> answered(report, written, count, answer));
    } else {
      api.patch(
          path + "/" + written.name,
          "application/merge-patch+json",
          seriesPatch(written, count),
          answer -> answered(report, written, count, answer));
    }
  }

  private void answered(Report report, Series series, int count, Answer answer) {
    boolean again = answer.throttled() || answer.ambiguous();
    boolean expired = answer.code() == 404 && count > 1;
    boolean givenUp = false;
    synchronized (this) {
      inFlight--;
      if (answer.ok()) {
        retrying = false;
        recent.put(report.event(), series);
      } else if (expired) {
        recent.remove(report.event()); // the event was deleted or has expired: write it anew
        queue.addFirst(new Report(report.event(), report.at(), report.attempts() + 1));
      } else if (again && report.attempts() < 6) {
        retrying = true;
        queue.addFirst(new Report(report.event(), report.at(), report.attempts() + 1));
      } else {
        retrying = false;
        givenUp = true;
      }
      notifyAll();
    }
    if (givenUp) {
      onDropped.run();
      // A namespace that is ending takes no events any more: nothing to worry about.
      boolean worth = answer.code() != 403 && answer.code() != 404;
      LOG.atLevel(worth ? Level.WARN : Level.DEBUG)
          .log("Event on {} was not written: {}", report.event().regarding(), answer.message());
    }
    if (again && !givenUp) {
      long pause = Math.max(100L << report.attempts(), answer.retryAfter().toMillis());
      api.later(Duration.ofMillis(pause), this::pump);
    } else {
      pump();
    }
  }

  private String name(Report report) {
    Instant at = report.at();
    long nanos = at.getEpochSecond() * 1_000_000_000L + at.getNano();
    String subject = report.event().regarding().name();
    String suffix =
        "." + Long.toHexString(nanos) + Integer.toHexString(report.event().hashCode() & 0xffff);
    return subject.substring(0, Math.min(subject.length(), 253 - suffix.length())) + suffix;
  }

  private static String namespace(ObjectEvent event) {
    String namespace = event.regarding().namespace();
    return namespace.isEmpty() ? "default" : namespace;
  }

  private ObjectNode event(Report report, Series series) {
    ObjectEvent event = report.event();
    ObjectNode json = JSON.objectNode();
    json.put("apiVersion", "events.k8s.io/v1").put("kind", "Event");
    json.putObject("metadata").put("name", series.name).put("namespace", namespace(event));
    json.put("eventTime", MICRO_TIME.format(report.at()));
    json.put("type", event.warning() ? "Warning" : "Normal");
    json.put("reason", event.reason());
    json.put("action", event.action());
    json.put("note", cut(event.note()));
    json.put("reportingController", controller);
    json.put("reportingInstance", instance);
    reference(json.putObject("regarding"), event.regarding());
    event.related().ifPresent(related -> reference(json.putObject("related"), related));
    return json;
  }

  private static ObjectNode seriesPatch(Series series, int count) {
    ObjectNode json = JSON.objectNode();
    json.putObject("series")
        .put("count", count)
        .put("lastObservedTime", MICRO_TIME.format(series.lastSeen));
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

  /** Cuts as kube-scheduler does: to the limit, with an ellipsis. */
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
