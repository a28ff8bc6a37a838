package io.berth.operator.reconcile;

import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulerConfigBindingStatus;
import io.berth.crds.binding.Enforcement;
import io.berth.operator.reconcile.Conditions.Finding;
import io.berth.operator.record.EventRecorder;
import io.berth.operator.record.ObjectEvent;
import io.berth.operator.record.ObjectEvent.Subject;
import io.berth.webhook.binding.BindingKey;
import io.berth.webhook.binding.BindingReport;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the status of SchedulerConfigBindings: what they reach, to whom they lose, what a dry run
 * would change. A binding that cannot do what it says gets an event as well, since the webhook,
 * which meets the consequences, writes none.
 */
final class BindingReconciler
    extends StatusReconciler<SchedulerConfigBinding, SchedulerConfigBindingStatus> {

  private static final int REMEMBERED = 10_000;

  private final StoredObjectReview review;
  private final CountedPods pods;
  private final ToIntFunction<BindingKey> unrendered;
  private final EventRecorder events;
  private final Clock clock;

  /** The message of the last event, by the binding's UID. */
  private final Map<String, String> lastTold = new ConcurrentHashMap<>();

  /**
   * @param unrendered how many pods were admitted without a binding while the webhook was away
   */
  BindingReconciler(
      StoredObjectReview review,
      CountedPods pods,
      ToIntFunction<BindingKey> unrendered,
      EventRecorder events,
      Clock clock) {
    super(SchedulerConfigBinding::new);
    this.review = review;
    this.pods = pods;
    this.unrendered = unrendered;
    this.events = events;
    this.clock = clock;
  }

  @Override
  SchedulerConfigBindingStatus status(SchedulerConfigBinding binding) {
    long generation = generation(binding);
    @Nullable SchedulerConfigBindingStatus before = binding.getStatus();
    List<Condition> conditions = before == null ? List.of() : before.conditions();
    Instant now = clock.instant();
    Finding ready = review.ready(binding);
    if (!ready.isTrue() && saysOtherwise(conditions, ready) && isNews(binding, ready)) {
      events.report(
          ObjectEvent.warning(subject(binding), ready.reason(), "Reconciling", ready.message()));
    }
    if (ready.isTrue()) {
      lastTold.remove(binding.getMetadata().getUid());
    }
    BindingKey key =
        new BindingKey(binding.getMetadata().getNamespace(), binding.getMetadata().getName());
    Optional<BindingReport> report = Optional.ofNullable(pods.get().bindings().get(key));
    boolean dryRun =
        binding.getSpec() != null && binding.getSpec().enforcement() == Enforcement.DRY_RUN;
    return new SchedulerConfigBindingStatus(
        generation,
        report.map(BindingReport::matchedPods).orElse(0),
        dryRun ? wouldChange(ready, report) : null,
        unrendered.applyAsInt(key),
        report.map(BindingReport::losesTo).orElse(List.of()),
        report.map(BindingReport::winsOver).orElse(List.of()),
        Conditions.of(
            Conditions.ready(conditions, ready, generation, now),
            Conditions.served(conditions, ready.isTrue(), "rendered", generation, now)));
  }

  /** A binding that is not ready does nothing at all, so it would not if it were enforced. */
  private static int wouldChange(Finding ready, Optional<BindingReport> report) {
    return ready.isTrue() ? report.map(BindingReport::wouldChange).orElse(0) : 0;
  }

  /** The cache may show the status of before for a moment after it was written. */
  private boolean isNews(SchedulerConfigBinding binding, Finding ready) {
    String told = lastTold.put(binding.getMetadata().getUid(), ready.message());
    if (lastTold.size() > REMEMBERED) {
      lastTold.clear();
    }
    return !ready.message().equals(told);
  }

  private static boolean saysOtherwise(List<Condition> conditions, Finding ready) {
    return Conditions.find(conditions, Conditions.READY)
        .map(condition -> !ready.message().equals(condition.getMessage()))
        .orElse(true);
  }

  private static Subject subject(SchedulerConfigBinding binding) {
    return new Subject(
        binding.getApiVersion(),
        binding.getKind(),
        binding.getMetadata().getNamespace(),
        binding.getMetadata().getName(),
        binding.getMetadata().getUid());
  }
}
