package io.berth.operator.reconcile;

import io.berth.crds.SchedulingQueue;
import io.berth.crds.SchedulingQueueStatus;
import io.berth.crds.queue.SharePercent;
import io.berth.engine.api.QueueState;
import io.berth.engine.model.ResourceAmounts;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Maintains the status of SchedulingQueues, from what the engine counts. Queues reach the engine
 * independently of this.
 */
final class QueueReconciler extends StatusReconciler<SchedulingQueue, SchedulingQueueStatus> {

  private final StoredObjectReview review;
  private final Supplier<Optional<List<QueueState>>> states;
  private final Clock clock;

  /**
   * @param states returns the states of all queues; empty while they are unknown
   */
  QueueReconciler(
      StoredObjectReview review,
      Supplier<Optional<List<QueueState>>> states,
      StatusFailures failures,
      Clock clock) {
    super(SchedulingQueue::new, failures);
    this.review = review;
    this.states = states;
    this.clock = clock;
  }

  @Override
  SchedulingQueueStatus status(SchedulingQueue queue) {
    long generation = generation(queue);
    @Nullable SchedulingQueueStatus before = queue.getStatus();
    List<Condition> conditions =
        Conditions.of(
            Conditions.ready(
                before == null ? List.of() : before.conditions(),
                review.ready(queue),
                generation,
                clock.instant()));
    String name = queue.getMetadata().getName();
    Optional<QueueState> state =
        states.get().flatMap(all -> all.stream().filter(it -> it.name().equals(name)).findFirst());
    Optional<PastShare> past =
        PastShare.next(queue.getSpec(), before, state.map(QueueState::share), clock.instant());
    return state
        .map(known -> status(generation, known, past, conditions))
        .orElseGet(() -> unknown(generation, before, past, conditions));
  }

  private static SchedulingQueueStatus status(
      long generation, QueueState state, Optional<PastShare> past, List<Condition> conditions) {
    return new SchedulingQueueStatus(
        generation,
        state.pods(),
        quantities(state.used()),
        quantities(state.borrowed()),
        quantities(state.lent()),
        quantities(state.fairShare()),
        SharePercent.rounded(state.share()),
        past.map(PastShare::percent).orElse(null),
        past.map(PastShare::at).map(Instant::toString).orElse(null),
        state.guaranteeMet(),
        state.pending().pods(),
        state.pending().groups(),
        quantities(state.pending().requested()),
        state.pending().firstWaits().isEmpty() ? null : state.pending().firstWaits(),
        conditions);
  }

  /** Returns the status while the engine has not counted the queue yet: the last known numbers. */
  private static SchedulingQueueStatus unknown(
      long generation,
      @Nullable SchedulingQueueStatus before,
      Optional<PastShare> past,
      List<Condition> conditions) {
    @Nullable String percent = past.map(PastShare::percent).orElse(null);
    @Nullable String at = past.map(PastShare::at).map(Instant::toString).orElse(null);
    return before == null
        ? new SchedulingQueueStatus(
            generation,
            null,
            Map.of(),
            Map.of(),
            Map.of(),
            Map.of(),
            null,
            percent,
            at,
            null,
            null,
            null,
            Map.of(),
            null,
            conditions)
        : new SchedulingQueueStatus(
            generation,
            before.pods(),
            before.used(),
            before.borrowed(),
            before.lent(),
            before.fairShare(),
            before.share(),
            percent,
            at,
            before.guaranteeMet(),
            before.pendingPods(),
            before.pendingGroups(),
            before.pending(),
            before.firstWaits(),
            conditions);
  }

  private static Map<String, Quantity> quantities(ResourceAmounts amounts) {
    Map<String, Quantity> quantities = new TreeMap<>();
    for (int i = 0; i < amounts.size(); i++) {
      String name = amounts.name(i);
      quantities.put(
          name,
          new Quantity(
              name.equals(ResourceAmounts.CPU)
                  ? amounts.amount(i) + "m"
                  : String.valueOf(amounts.amount(i))));
    }
    return quantities;
  }
}
