package io.berth.operator.reconcile;

import io.berth.crds.schema.ResourceStatus;
import io.berth.operator.api.Backoff;
import io.berth.operator.api.TermOverException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a status true: works out what it should say and writes it where it says something else.
 * Looks again every {@link #LOOK_AGAIN}, since pods come and go without telling, and at once when
 * nudged.
 *
 * @param <P> the kind
 * @param <S> the status
 */
abstract class StatusReconciler<P extends CustomResource<?, S>, S extends ResourceStatus>
    implements Reconciler<P> {

  static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(StatusReconciler.class);
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1), new SecureRandom());

  private final Supplier<P> blank;
  private final SimpleInboundEventSource<P> nudges = new SimpleInboundEventSource<>("nudges");

  /** The latest generation of each object that {@link #reconcile} was given, by UID. */
  private final ConcurrentMap<String, Long> given = new ConcurrentHashMap<>();

  /**
   * @param blank makes an object without content
   */
  StatusReconciler(Supplier<P> blank) {
    this.blank = blank;
  }

  /** Returns the desired status. */
  abstract S status(P resource);

  /** Looks at one object soon. */
  final void nudge(ResourceID resource) {
    nudges.propagateEvent(resource);
  }

  @Override
  public List<EventSource<?, P>> prepareEventSources(EventSourceContext<P> context) {
    return List.of(nudges);
  }

  /** Returns the latest generation that came here of an object; 0 if it never came. */
  final long givenGeneration(String uid) {
    return given.getOrDefault(uid, 0L);
  }

  /** Forgets the generations of objects that are gone. */
  final void keepGiven(Set<String> uids) {
    given.keySet().retainAll(uids);
  }

  @Override
  public UpdateControl<P> reconcile(P resource, Context<P> context) {
    given.merge(resource.getMetadata().getUid(), generation(resource), Math::max);
    S wanted = status(resource);
    if (wanted.equals(resource.getStatus())) {
      return UpdateControl.<P>noUpdate().rescheduleAfter(LOOK_AGAIN);
    }
    return UpdateControl.patchStatus(withStatus(resource, wanted)).rescheduleAfter(LOOK_AGAIN);
  }

  @Override
  public ErrorStatusUpdateControl<P> updateErrorStatus(
      P resource, Context<P> context, Exception failure) {
    if (failure instanceof TermOverException) {
      LOG.debug("{}: {}", ResourceID.fromResource(resource), failure.getMessage());
      return ErrorStatusUpdateControl.<P>noStatusUpdate().withNoRetry();
    }
    LOG.warn(
        "{} {}: {}; trying again",
        resource.getKind(),
        ResourceID.fromResource(resource),
        failure.getMessage());
    Optional<Duration> asked = asked(failure);
    return asked.isEmpty()
        ? ErrorStatusUpdateControl.noStatusUpdate()
        : ErrorStatusUpdateControl.<P>noStatusUpdate().rescheduleAfter(asked.get());
  }

  /** Returns the delay that the API server requests, if any. */
  private static Optional<Duration> asked(Exception failure) {
    return failure instanceof KubernetesClientException refused
        ? Optional.ofNullable(refused.getStatus())
            .map(Status::getDetails)
            .map(StatusDetails::getRetryAfterSeconds)
            .filter(seconds -> seconds > 0)
            .map(seconds -> BACKOFF.pause(1, Duration.ofSeconds(seconds)))
        : Optional.empty();
  }

  /** Only what is applied: with more in it, server-side apply would take the spec over. */
  private P withStatus(P resource, S status) {
    P patch = blank.get();
    patch.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(resource.getMetadata().getNamespace())
            .withName(resource.getMetadata().getName())
            .build());
    patch.setStatus(status);
    return patch;
  }

  static long generation(HasMetadata resource) {
    return Optional.ofNullable(resource.getMetadata().getGeneration()).orElse(0L);
  }
}
