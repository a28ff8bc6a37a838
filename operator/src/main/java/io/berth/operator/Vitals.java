package io.berth.operator;

import io.berth.operator.http.Health;
import io.berth.operator.record.BerthMetrics;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.schedule.SchedulerSession;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** What a replica's health checks and gauges look at. */
final class Vitals {

  private final Supplier<Optional<SchedulerSession>> session;

  /**
   * @param session the running term; empty while the replica does not lead
   */
  Vitals(Supplier<Optional<SchedulerSession>> session) {
    this.session = session;
  }

  /**
   * Registers the checks.
   *
   * @param synced whether the cluster has been listed
   */
  void check(Health health, BooleanSupplier synced) {
    health.live("engine", () -> session.get().flatMap(current -> current.loop().problem()));
    health.ready(
        "cluster",
        () ->
            synced.getAsBoolean()
                ? Optional.empty()
                : Optional.of("is being listed for the first time"));
  }

  /** Registers the gauges. */
  void gauge(BerthMetrics metrics, EventRecorder events) {
    metrics.gauge("berth.leading", "1 while this replica leads.", () -> ofTerm(term -> 1));
    metrics.gauge(
        "berth.bindings.pending",
        "Bindings that were decided and not answered yet.",
        () -> ofTerm(term -> term.binder().pending()));
    metrics.gauge(
        "berth.bindings.limit",
        "How many Bindings may be in flight now, as learned from the API server's answers.",
        () -> ofTerm(term -> term.binder().inFlightLimit()));
    metrics.gauge(
        "berth.mailbox.messages",
        "Messages that wait for the engine.",
        () -> ofTerm(term -> term.loop().backlog()));
    metrics.gauge("berth.events.pending", "Events that wait to be written.", events::pending);
  }

  private int ofTerm(ToIntFunction<SchedulerSession> value) {
    return session.get().map(value::applyAsInt).orElse(0);
  }
}
