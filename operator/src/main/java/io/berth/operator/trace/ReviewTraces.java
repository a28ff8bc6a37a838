package io.berth.operator.trace;

import io.berth.webhook.admission.PodTracing;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** Traces admission reviews; each review begins the trace of a pod. */
final class ReviewTraces implements PodTracing {

  private final Tracer tracer;
  private final SignedTraceIds ids;
  private final Set<String> schedulerNames;
  private final Clock clock;

  ReviewTraces(Tracer tracer, SignedTraceIds ids, Set<String> schedulerNames, Clock clock) {
    this.tracer = tracer;
    this.ids = ids;
    this.schedulerNames = Set.copyOf(schedulerNames);
    this.clock = clock;
  }

  @Override
  public Optional<String> reviewed(CreatedPod pod, Duration took) {
    if (!schedulerNames.contains(pod.schedulerName())) {
      return Optional.empty();
    }
    // The API server may send two reviews for one pod; the first one has begun the trace.
    Optional<TraceParent> begun =
        TraceParent.parse(pod.traceparent()).filter(parent -> ids.isSigned(parent.traceId()));
    if (begun.isPresent()) {
      return begun.map(TraceParent::text);
    }
    Instant now = clock.instant();
    Span span =
        Spans.beginning(tracer.spanBuilder().setNoParent().name("webhook"), now.minus(took))
            .tag("k8s.namespace.name", pod.namespace())
            .tag("k8s.pod.name", pod.name())
            .tag("berth.policy", pod.policy())
            .start();
    Spans.end(span, now);
    return Boolean.TRUE.equals(span.context().sampled())
        ? Optional.of(new TraceParent(span.context().traceId(), span.context().spanId()).text())
        : Optional.empty();
  }
}
