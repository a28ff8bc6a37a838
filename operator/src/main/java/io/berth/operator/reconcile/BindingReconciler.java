package io.berth.operator.reconcile;

import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulerConfigBindingStatus;
import io.berth.crds.binding.Enforcement;
import io.berth.crds.binding.Repair;
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
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Maintains the status of SchedulerConfigBindings: the pods that they match, the bindings that take
 * precedence over them, and the changes that a dry run would make. A binding that cannot take
 * effect also gets an event, because the webhook, which finds out when it handles a pod, writes
 * none.
 */
final class BindingReconciler
    extends StatusReconciler<SchedulerConfigBinding, SchedulerConfigBindingStatus> {

  private static final int REMEMBERED = 10_000;

  private final StoredObjectReview review;
  private final CountedPods pods;
  private final ToIntFunction<BindingKey> unrendered;
  private final Function<BindingKey, Optional<String>> obstacle;
  private final EventRecorder events;
  private final Clock clock;

  /** The message of the last event, by the binding's UID. */
  private final Map<String, String> lastReported = new ConcurrentHashMap<>();

  /**
   * @param unrendered returns the number of pods that were admitted without a binding while the
   *     webhook was unavailable
   * @param obstacle returns why these pods are not recreated, although a binding requests that
   */
  BindingReconciler(
      StoredObjectReview review,
      CountedPods pods,
      ToIntFunction<BindingKey> unrendered,
      Function<BindingKey, Optional<String>> obstacle,
      EventRecorder events,
      StatusFailures failures,
      Clock clock) {
    super(SchedulerConfigBinding::new, failures);
    this.review = review;
    this.pods = pods;
    this.unrendered = unrendered;
    this.obstacle = obstacle;
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
      lastReported.remove(binding.getMetadata().getUid());
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
        conditions(binding, ready, key, generation, now));
  }

  private List<Condition> conditions(
      SchedulerConfigBinding binding, Finding ready, BindingKey key, long generation, Instant now) {
    @Nullable SchedulerConfigBindingStatus before = binding.getStatus();
    List<Condition> known = before == null ? List.of() : before.conditions();
    List<Condition> conditions =
        Conditions.of(
            Conditions.ready(known, ready, generation, now),
            Conditions.served(known, ready.isTrue(), "rendered", generation, now));
    if (binding.getSpec() != null && binding.getSpec().repair() == Repair.RECREATE) {
      Finding repaired =
          obstacle
              .apply(key)
              .map(why -> new Finding(false, "CannotRecreate", why))
              .orElse(new Finding(true, "NoObstacle", ""));
      conditions.add(Conditions.of(Conditions.REPAIRED, known, repaired, generation, now));
    }
    return conditions;
  }

  /**
   * Returns the number of pods that enforcing the binding would change; 0 if it is not ready,
   * because it would have no effect then.
   */
  private static int wouldChange(Finding ready, Optional<BindingReport> report) {
    return ready.isTrue() ? report.map(BindingReport::wouldChange).orElse(0) : 0;
  }

  /**
   * Returns whether this message has not been reported yet. The status in the cache cannot tell,
   * because it may be outdated for a moment after a write.
   */
  private boolean isNews(SchedulerConfigBinding binding, Finding ready) {
    String reported = lastReported.put(binding.getMetadata().getUid(), ready.message());
    if (lastReported.size() > REMEMBERED) {
      lastReported.clear();
    }
    return !ready.message().equals(reported);
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
