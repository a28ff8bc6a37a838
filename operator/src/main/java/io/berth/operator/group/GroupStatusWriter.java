package io.berth.operator.group;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.GroupState;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupRef;
import io.berth.operator.api.Answer;
import io.berth.operator.api.ApiCalls;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.LimitedLog;
import io.berth.operator.feed.FedPod;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.Metric;
import io.berth.operator.record.ObjectEvent;
import io.berth.operator.record.ObjectEvent.Subject;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the status of the objects that describe groups, if no other component does.
 *
 * <p>It compares each report with the watched object, and patches the difference. A difference that
 * is not written now, because too many requests are in flight or the last one failed, is found
 * again with the next report. A status that differs only in its wording is written rarely, because
 * the message of a waiting group changes every second in a busy cluster.
 */
public final class GroupStatusWriter {
  /** The minimum time between two statuses that differ only in their wording. */
  static final Duration BETWEEN_WORDINGS = Duration.ofSeconds(30);

  /**
   * The scheduler name under which Berth replaces Volcano's scheduler and writes the status of its
   * PodGroups.
   */
  private static final String VOLCANO = "volcano";

  private static final Logger LOG = LoggerFactory.getLogger(GroupStatusWriter.class);

  /** The maximum number of requests in flight. */
  static final int IN_FLIGHT = 16;

  private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(2));

  private final Parts parts;
  private final LimitedLog log;
  private final Map<GroupDialect, GroupStatus> statuses = new EnumMap<>(GroupDialect.class);
  private final AtomicReference<@Nullable List<GroupState>> latest = new AtomicReference<>();

  // Guarded by this.
  private final Map<GroupRef, Progress> progress = new HashMap<>();
  private final Set<GroupDialect> withoutSubresource = new HashSet<>();
  private int inFlight;

  /**
   * The dependencies.
   *
   * @param api calls that are sent only while this replica leads
   * @param schedulerNames the scheduler names whose pods Berth places
   * @param objects returns the watched object that describes a group
   * @param pods returns all pods
   */
  public record Parts(
      ApiCalls api,
      Set<String> schedulerNames,
      Function<GroupRef, Optional<GenericKubernetesResource>> objects,
      Supplier<Stream<FedPod>> pods,
      EventRecorder events,
      BerthMetrics metrics,
      Clock clock) {}

  /**
   * The state of the requests about an object.
   *
   * @param writtenOver the resource version of the object when it was last patched
   * @param writtenAt the time of that patch
   * @param failures the number of consecutive failures
   * @param notBefore the time before which no request may be sent; {@link Instant#MAX} while one is
   *     in flight
   */
  private record Progress(String writtenOver, Instant writtenAt, int failures, Instant notBefore) {
    private static final Progress NONE = new Progress("", Instant.MIN, 0, Instant.MIN);

    Progress underWay() {
      return new Progress(writtenOver, writtenAt, failures, Instant.MAX);
    }

    Progress failed(Instant until) {
      return new Progress(writtenOver, writtenAt, failures + 1, until);
    }

    Progress released() {
      return new Progress(writtenOver, writtenAt, failures, Instant.MIN);
    }
  }

  /** A patch of one object's status. */
  private record Write(
      GroupRef group,
      GroupStatus dialect,
      StatusView object,
      StatusChange change,
      boolean ofStatus) {

    String path() {
      return object.collection(group.namespace())
          + "/"
          + group.name()
          + (ofStatus ? "/status" : "");
    }

    /**
     * Returns the patch. The resource version is a precondition, because conditions are replaced as
     * a list.
     */
    ObjectNode patch() {
      ObjectNode patch = JsonNodeFactory.instance.objectNode();
      patch.putObject("metadata").put("resourceVersion", object.resourceVersion());
      patch.set("status", change.fields());
      return patch;
    }
  }

  /** A patch, with its place among all of them: the lowest is sent first. */
  private record Turn(int number, Write write) {}

  /** Creates a writer that has received no reports. */
  public GroupStatusWriter(Parts parts) {
    this.parts = parts;
    this.log = new LimitedLog(parts.api()::nanoTime);
    statuses.put(GroupDialect.KUBERNETES, new KubernetesStatus());
    if (parts.schedulerNames().contains(VOLCANO)) {
      statuses.put(GroupDialect.VOLCANO, new VolcanoStatus());
    }
  }

  /** Accepts the current reports on all groups; does not block. */
  public void take(List<GroupState> reports) {
    if (latest.getAndSet(reports) == null) {
      parts.api().fork("group-status", this::work);
    }
  }

  private void work() {
    List<GroupState> reports = latest.get();
    while (reports != null) {
      try {
        compare(reports);
      } catch (RuntimeException bug) {
        LOG.error("The status of groups could not be compared with their objects", bug);
      }
      reports = latest.compareAndSet(reports, null) ? null : latest.get();
    }
  }

  private void compare(List<GroupState> reports) {
    Instant now = parts.clock().instant();
    PodPhases phases =
        statuses.containsKey(GroupDialect.VOLCANO)
                && reports.stream().anyMatch(it -> it.group().dialect() == GroupDialect.VOLCANO)
            ? PodPhases.of(GroupDialect.VOLCANO, parts.pods().get())
            : PodPhases.of(GroupDialect.VOLCANO, Stream.of());
    Set<GroupRef> known = new HashSet<>();
    List<Write> writes = new ArrayList<>();
    for (GroupState report : reports) {
      GroupStatus dialect = statuses.get(report.group().dialect());
      if (dialect != null) {
        known.add(report.group());
        parts
            .objects()
            .apply(report.group())
            .map(StatusView::of)
            .flatMap(object -> write(report, dialect, object, phases, now))
            .ifPresent(writes::add);
      }
    }
    sendInTurns(writes);
    synchronized (this) {
      progress
          .entrySet()
          .removeIf(
              entry ->
                  !known.contains(entry.getKey())
                      && !entry.getValue().notBefore().equals(Instant.MAX));
    }
  }

  private Optional<Write> write(
      GroupState report, GroupStatus dialect, StatusView object, PodPhases phases, Instant now) {
    GroupRef group = report.group();
    Progress done;
    boolean ofStatus;
    synchronized (this) {
      done = progress.getOrDefault(group, Progress.NONE);
      ofStatus = !withoutSubresource.contains(group.dialect());
    }
    if (done.notBefore().isAfter(now) || done.writtenOver().equals(object.resourceVersion())) {
      return Optional.empty(); // wait for the response, the end of the delay, or the watch
    }
    return dialect
        .change(object, report, phases, now)
        .filter(change -> change.urgent() || !done.writtenAt().isAfter(now.minus(BETWEEN_WORDINGS)))
        .map(change -> new Write(group, dialect, object, change, ofStatus));
  }

  /**
   * Sends as many writes as may be in flight: those first that controllers wait for, and in turns
   * of the namespaces, so that the groups of one do not delay those of others.
   */
  private void sendInTurns(List<Write> writes) {
    Map<String, Integer> urgentIn = new HashMap<>();
    Map<String, Integer> othersIn = new HashMap<>();
    List<Turn> turns = new ArrayList<>();
    for (Write write : writes) {
      boolean urgent = write.change().urgent();
      int turn = (urgent ? urgentIn : othersIn).merge(write.group().namespace(), 1, Integer::sum);
      turns.add(new Turn(urgent ? turn : turn + writes.size(), write));
    }
    turns.sort(Comparator.comparingInt(Turn::number));
    turns.forEach(turn -> send(turn.write()));
  }

  private void send(Write write) {
    synchronized (this) {
      if (inFlight >= IN_FLIGHT) {
        return;
      }
      inFlight++;
      progress.merge(write.group(), Progress.NONE.underWay(), (before, begun) -> before.underWay());
    }
    parts
        .api()
        .patch(
            write.path(), ApiCalls.MERGE_PATCH, write.patch(), answer -> answered(write, answer));
  }

  private void answered(Write write, Answer answer) {
    Instant now = parts.clock().instant();
    boolean taken = answer.ok() && isTaken(write, answer);
    boolean failed = false;
    synchronized (this) {
      inFlight--;
      Progress before = progress.getOrDefault(write.group(), Progress.NONE);
      Progress after = before.released();
      if (taken) {
        after = new Progress(write.object().resourceVersion(), now, 0, Instant.MIN);
      } else if (answer.ok()) {
        // The server has added a status subresource, and ignores a status that is written
        // elsewhere.
        withoutSubresource.remove(write.group().dialect());
      } else if (answer.code() == 404 && write.ofStatus()) {
        withoutSubresource.add(write.group().dialect()); // or the object is gone, which is harmless
      } else if (answer.code() != 404 && answer.code() != 409 && !answer.wasNotSent()) {
        failed = true;
        after =
            before.failed(
                now.plus(
                    BACKOFF.pause(
                        before.failures() + 1, answer.retryAfter(), parts.api().random())));
      }
      progress.put(write.group(), after);
    }
    if (taken) {
      write.change().news().ifPresent(news -> report(write, news));
    } else if (failed) {
      parts.metrics().count(Metric.GROUP_STATUS_FAILURES, write.group().dialect().label());
      log.refused(
              answer.code(),
              "The status of %s was not written: %s".formatted(write.group(), answer.message()))
          .ifPresent(LOG::warn);
    }
  }

  /** Returns whether the object now has the status that was sent. */
  private static boolean isTaken(Write write, Answer answer) {
    return write.ofStatus()
        || write.change().fields().properties().stream()
            .allMatch(
                field ->
                    answer.json().path("status").path(field.getKey()).equals(field.getValue()));
  }

  private void report(Write write, StatusChange.News news) {
    Subject subject =
        new Subject(
            write.object().apiVersion(),
            "PodGroup",
            write.group().namespace(),
            write.group().name(),
            write.object().uid());
    parts
        .events()
        .report(
            news.warning()
                ? ObjectEvent.warning(subject, news.reason(), "Scheduling", news.note())
                : ObjectEvent.normal(subject, news.reason(), "Scheduling", news.note()));
  }
}
