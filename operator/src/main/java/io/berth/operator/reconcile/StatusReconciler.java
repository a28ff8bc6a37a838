package io.berth.operator.reconcile;

import io.berth.crds.schema.ResourceStatus;
import io.berth.webhook.rollout.Rollouts;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Maintains the status of one kind: it computes the desired status and writes it if it differs.
 * Each object is reconciled at least every {@link #LOOK_AGAIN}, because changes of pods do not
 * trigger it, and at once when nudged.
 *
 * @param <P> the kind of the objects
 * @param <S> the type of the status
 */
abstract class StatusReconciler<P extends CustomResource<?, S>, S extends ResourceStatus>
    implements Reconciler<P> {

  static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

  private static final RandomGenerator RANDOM = new SecureRandom();

  private final Supplier<P> blank;
  private final StatusFailures failures;
  private final SimpleInboundEventSource<P> nudges = new SimpleInboundEventSource<>("nudges");

  /** The latest generation of each object that {@link #reconcile} has received, by UID. */
  private final ConcurrentMap<String, Long> given = new ConcurrentHashMap<>();

  /**
   * @param blank creates an empty object
   */
  StatusReconciler(Supplier<P> blank, StatusFailures failures) {
    this.blank = blank;
    this.failures = failures;
  }

  /** Returns the desired status. */
  abstract S status(P resource);

  /** Triggers reconciliation of one object. */
  final void nudge(ResourceID resource) {
    nudges.propagateEvent(resource);
  }

  @Override
  public List<EventSource<?, P>> prepareEventSources(EventSourceContext<P> context) {
    return List.of(nudges);
  }

  /** Returns the latest generation of an object that was received; 0 if none was. */
  final long givenGeneration(String uid) {
    return given.getOrDefault(uid, 0L);
  }

  /** Removes the generations of objects that no longer exist. */
  final void keepGiven(Set<String> uids) {
    given.keySet().retainAll(uids);
  }

  /**
   * Reconciles an object. Returns the object with only the status to apply; empty if its status is
   * as it should be.
   */
  final Optional<P> patch(P resource) {
    given.merge(resource.getMetadata().getUid(), generation(resource), Math::max);
    S wanted = status(resource);
    return wanted.equals(resource.getStatus())
        ? Optional.empty()
        : Optional.of(withStatus(resource, wanted));
  }

  @Override
  public UpdateControl<P> reconcile(P resource, Context<P> context) {
    UpdateControl<P> control =
        patch(resource).map(UpdateControl::patchStatus).orElseGet(UpdateControl::noUpdate);
    return control.rescheduleAfter(LOOK_AGAIN);
  }

  @Override
  public ErrorStatusUpdateControl<P> updateErrorStatus(
      P resource, Context<P> context, Exception failure) {
    AfterFailure then = failures.react(resource, failure);
    if (!then.again()) {
      return ErrorStatusUpdateControl.<P>noStatusUpdate().withNoRetry();
    }
    return then.asked().isZero()
        ? ErrorStatusUpdateControl.noStatusUpdate()
        : ErrorStatusUpdateControl.<P>noStatusUpdate()
            .rescheduleAfter(Reconciliation.RETRIES.pause(1, then.asked(), RANDOM));
  }

  /**
   * Returns an object with only the status to apply; server-side apply would otherwise take
   * ownership of the spec. The status of an object that can be rolled out is only written over the
   * one from which it was computed: a leader that lags behind must not continue a rollout that was
   * aborted.
   */
  private P withStatus(P resource, S status) {
    P patch = blank.get();
    ObjectMetaBuilder metadata =
        new ObjectMetaBuilder()
            .withNamespace(resource.getMetadata().getNamespace())
            .withName(resource.getMetadata().getName());
    if (Rollouts.areOf(resource)) {
      metadata.withResourceVersion(resource.getMetadata().getResourceVersion());
    }
    patch.setMetadata(metadata.build());
    patch.setStatus(status);
    return patch;
  }

  static long generation(HasMetadata resource) {
    return Optional.ofNullable(resource.getMetadata().getGeneration()).orElse(0L);
  }
}
