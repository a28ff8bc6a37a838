package io.berth.operator.trace;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Decision.GivenBack;
import io.berth.engine.api.Decision.Nominated;
import io.berth.engine.api.Decision.Placed;
import io.berth.engine.api.Decision.Quarantined;
import io.berth.engine.api.Decision.Unschedulable;
import io.berth.engine.model.PodRef;
import io.berth.operator.record.DecisionLog;
import io.berth.operator.record.DecisionLog.LoggedDecision;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/**
 * Traces the leader's work on a pod, as spans in the trace that the webhook began.
 *
 * <p>A pod is traced if its traceparent is signed by a replica, and if no other pod has used the
 * same one, so that a copied annotation creates no second trace.
 */
final class TracedAttempts implements PodTraces {

  /** The number of attempts after which only the successful one is traced. */
  private static final int MOST_ATTEMPTS = 16;

  private static final int TRACES_REMEMBERED = 10_000;

  private final Tracer tracer;
  private final SignedTraceIds ids;
  private final Function<PodRef, String> traceparentOf;
  private final DecisionLog decisions;
  private final Clock clock;
  private final Cache<String, String> podOfTrace =
      Caffeine.newBuilder().maximumSize(TRACES_REMEMBERED).build();

  TracedAttempts(
      Tracer tracer,
      SignedTraceIds ids,
      Function<PodRef, String> traceparentOf,
      DecisionLog decisions,
      Clock clock) {
    this.tracer = tracer;
    this.ids = ids;
    this.traceparentOf = traceparentOf;
    this.decisions = decisions;
    this.clock = clock;
  }

  @Override
  public void decided(Decision decision, Instant at, long tookNanos) {
    if (decision instanceof GivenBack
        || (decision.attempt().number() > MOST_ATTEMPTS && !(decision instanceof Placed))) {
      return;
    }
    PodRef pod = decision.pod();
    Optional<TraceContext> parent = parent(pod);
    if (parent.isEmpty()) {
      return;
    }
    Instant began = at.minus(Duration.ofNanos(tookNanos));
    Instant queued =
        last(pod).map(LoggedDecision::at).orElseGet(() -> decision.attempt().firstActive());
    Span queue = span("queue", parent.get(), queued, pod).start();
    Spans.end(queue, began.isBefore(queued) ? queued : began);
    Span attempt =
        span("attempt", parent.get(), began, pod)
            .tag("berth.attempt", decision.attempt().number())
            .tag("berth.policy", decision.record().policy())
            .tag("berth.policy.revision", decision.record().policyRevision())
            .tag("berth.nodes", decision.record().nodes())
            .tag("berth.nodes.feasible", decision.record().feasibleNodes())
            .start();
    switch (decision) {
      case Placed placed ->
          attempt.tag("berth.result", "placed").tag("k8s.node.name", placed.nodeName());
      case Nominated nominated ->
          attempt
              .tag("berth.result", "nominated")
              .tag("k8s.node.name", nominated.nodeName())
              .tag("berth.message", nominated.message());
      case Unschedulable unschedulable ->
          attempt
              .tag("berth.result", "unschedulable")
              .tag("berth.message", unschedulable.message());
      case Quarantined quarantined ->
          attempt.tag("berth.result", "quarantined").tag("berth.message", quarantined.message());
      case GivenBack _ -> throw new IllegalStateException("not an attempt");
    }
    Spans.end(attempt, at);
  }

  @Override
  public void bound(Placed placed) {
    parent(placed.pod())
        .ifPresent(parent -> Spans.end(binding(placed, parent).start(), clock.instant()));
  }

  @Override
  public void failed(Placed placed, String reason) {
    parent(placed.pod())
        .ifPresent(
            parent ->
                Spans.end(
                    binding(placed, parent).start().error(new BindingFailedException(reason)),
                    clock.instant()));
  }

  /** The reason why a pod was not bound, in the form that spans require. */
  private static final class BindingFailedException extends Exception {
    private static final long serialVersionUID = 1;

    BindingFailedException(String reason) {
      super(reason, null, false, false);
    }
  }

  /** Returns a span from the decision to the end of the Binding, including its preparation. */
  private Span.Builder binding(Placed placed, TraceContext parent) {
    Instant decidedAt = last(placed.pod()).map(LoggedDecision::at).orElseGet(clock::instant);
    return span("binding", parent, decidedAt, placed.pod()).tag("k8s.node.name", placed.nodeName());
  }

  private Span.Builder span(String name, TraceContext parent, Instant start, PodRef pod) {
    return Spans.beginning(tracer.spanBuilder().setParent(parent).name(name), start)
        .tag("k8s.namespace.name", pod.namespace())
        .tag("k8s.pod.name", pod.name())
        .tag("k8s.pod.uid", pod.uid());
  }

  private Optional<LoggedDecision> last(PodRef pod) {
    return decisions
        .find(pod.namespace(), pod.name())
        .filter(logged -> logged.decision().pod().uid().equals(pod.uid()));
  }

  private Optional<TraceContext> parent(PodRef pod) {
    String given = traceparentOf.apply(pod);
    return given.isEmpty()
        ? Optional.empty()
        : TraceParent.parse(given)
            .filter(parent -> ids.isSigned(parent.traceId()))
            .filter(parent -> podOfTrace.get(parent.traceId(), _ -> pod.uid()).equals(pod.uid()))
            .map(
                parent ->
                    tracer
                        .traceContextBuilder()
                        .traceId(parent.traceId())
                        .spanId(parent.spanId())
                        .sampled(true)
                        .build());
  }
}
