package io.berth.operator;

import io.berth.engine.cards.CardTotals;
import io.berth.engine.kube.KubeEvents;
import io.berth.operator.devices.DeviceCounts;
import io.berth.operator.feed.ClusterFeed;
import io.berth.operator.feed.WatchFailure;
import io.berth.operator.feed.WatchOutage;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.http.Health;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.CountedNodes;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.Metric;
import io.berth.operator.schedule.SchedulerSession;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** The health checks and gauges of a replica, and its fitness to lead. */
final class ReplicaHealth {

  private final Supplier<Optional<SchedulerSession>> session;
  private final ClusterFeed feed;
  private final WatchTimes times;

  /**
   * @param session the session of the current term; empty while the replica does not lead
   */
  ReplicaHealth(Supplier<Optional<SchedulerSession>> session, ClusterFeed feed, WatchTimes times) {
    this.session = session;
    this.feed = feed;
    this.times = times;
  }

  /** Returns a consumer that counts failed watches by resource, verb and reason. */
  static Consumer<WatchFailure> counting(BerthMetrics metrics) {
    return failure ->
        metrics.count(Metric.WATCH_FAILURES, failure.resource(), failure.verb(), failure.reason());
  }

  /**
   * Returns the reason why this replica should not lead, if any. A leader is unfit once it has not
   * received pods, nodes or policies for {@link WatchTimes#termLimit}, because its decisions then
   * rest on stale state; a replica that does not lead is unfit as soon as one of these watches
   * fails. If the API server does not serve SchedulingPolicies any more, a replica goes on with the
   * last ones: no other replica would know better.
   */
  Optional<String> unfit(boolean leading) {
    Duration limit = leading ? times.termLimit() : Duration.ZERO;
    return feed.watchOutages().stream()
        .filter(blind -> blind.vital() && !blind.isUnserved())
        .filter(blind -> blind.lasting().compareTo(limit) >= 0)
        .map(WatchOutage::text)
        .findFirst();
  }

  private Optional<String> unseen() {
    String all =
        feed.watchOutages().stream()
            .filter(blind -> blind.lasting().compareTo(times.grace()) >= 0)
            .map(WatchOutage::text)
            .collect(Collectors.joining("; "));
    return all.isEmpty() ? Optional.empty() : Optional.of(all);
  }

  private double unseenSeconds(String resource) {
    return feed.watchOutages().stream()
        .filter(blind -> blind.failure().resource().equals(resource))
        .mapToDouble(blind -> blind.lasting().toMillis() / 1000.0)
        .findFirst()
        .orElse(0);
  }

  /**
   * Registers the health checks.
   *
   * @param synced returns whether the initial list of the cluster is complete
   */
  void check(Health health, BooleanSupplier synced) {
    health.ready("engine", () -> session.get().flatMap(current -> current.loop().problem()));
    health.ready(
        "cluster",
        () ->
            synced.getAsBoolean()
                ? Optional.empty()
                : Optional.of("the initial list is not complete"));
    health.ready("watches", this::unseen);
  }

  /** Registers the gauges. */
  void gauge(BerthMetrics metrics, EventRecorder events) {
    metrics.gauge(Metric.LEADING, () -> ofTerm(term -> 1));
    metrics.gauge(Metric.BINDINGS_PENDING, () -> ofTerm(term -> term.binder().pending()));
    metrics.gauge(Metric.BINDINGS_LIMIT, () -> ofTerm(term -> term.binder().inFlightLimit()));
    metrics.gauge(Metric.MAILBOX_MESSAGES, () -> ofTerm(term -> term.loop().backlog()));
    metrics.pendingPods("active", () -> ofTerm(term -> term.counts().active()));
    metrics.pendingPods("backoff", () -> ofTerm(term -> term.counts().backoff()));
    metrics.pendingPods("unschedulable", () -> ofTerm(term -> term.counts().unschedulable()));
    metrics.pendingPods("gated", () -> ofTerm(term -> term.counts().gated()));
    metrics.gpuCards(this::cards);
    metrics.devices(
        () -> DeviceCounts.of(feed.deviceSlices(), feed.deviceClaims()),
        () -> CountedNodes.of(feed.deviceClasses(), feed.deviceSlices(), feed::node));
    metrics.gauge(Metric.EVENTS_PENDING, events::pending);
    metrics.counter(Metric.EVENTS_SUPPRESSED, events::suppressed);
    metrics.startAtZero(Metric.REFUSED_OBJECTS, KubeEvents.KINDS);
    for (String resource : feed.resources()) {
      metrics.gauge(Metric.WATCH_UNSEEN, () -> unseenSeconds(resource), resource);
    }
  }

  private int ofTerm(ToIntFunction<SchedulerSession> value) {
    return session.get().map(value::applyAsInt).orElse(0);
  }

  private CardTotals cards() {
    return session.get().map(term -> term.loop().cardTotals()).orElseGet(CardTotals::none);
  }
}
