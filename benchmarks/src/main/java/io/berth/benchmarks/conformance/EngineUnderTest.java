package io.berth.benchmarks.conformance;

import io.berth.engine.Engine;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.Refusal;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The engine on which the vectors run, through its ordinary events and scheduling cycle. */
final class EngineUnderTest {
  static final String SCHEDULER = "default-scheduler";

  private final Engine engine =
      new Engine(
          EngineOptions.defaults()
              .withSchedulerNames(List.of(SCHEDULER))
              .withTieOrder(EngineOptions.TieOrder.BY_NAME)
              .recordingEverything());
  private final KubeEvents events = new KubeEvents();
  private Instant now = Instant.parse("2026-06-01T00:00:00Z");

  /** Adds or updates an object. */
  void upsert(HasMetadata object) {
    apply(events.upserted(object));
  }

  /** Removes an object. */
  void remove(HasMetadata object) {
    apply(events.removed(object));
  }

  void serve(CompiledPolicy policy) {
    apply(new ClusterEvent.PolicyServed(policy));
  }

  /**
   * Schedules a pod with this policy. A placed pod stays assumed on its node until it is {@link
   * #forget forgotten} or {@link #bind bound}.
   */
  Decision decide(Pod pod, String policy) {
    PodModel model = pending(pod, policy);
    apply(new ClusterEvent.PodUpserted(model));
    Outcome outcome = engine.next(now);
    return switch (outcome) {
      case Decision decision -> {
        if (!decision.pod().equals(model.ref())) {
          throw new IllegalStateException("decided on " + decision.pod() + ", not " + model.ref());
        }
        yield decision;
      }
      case AdviceRequest adviceRequest ->
          throw new IllegalStateException("asks for advice about " + adviceRequest.pod());
      case Idle idle -> throw new IllegalStateException("idle although a pod is pending: " + pod);
    };
  }

  /** Removes a pod, whether it is pending or placed, and what it has chosen. */
  void forget(PodRef pod) {
    apply(new ClusterEvent.PodRemoved(pod));
    apply(new ClusterEvent.BindingFailed(pod, "it was a question", false));
  }

  /** Confirms the binding of a pod, and applies the pod on its node as the watch would. */
  void bind(Pod pod, String nodeName) {
    apply(new ClusterEvent.BindingConfirmed(ref(pod)));
    pod.getSpec().setNodeName(nodeName);
    upsert(pod);
  }

  static PodRef ref(HasMetadata pod) {
    return new PodRef(
        pod.getMetadata().getNamespace(), pod.getMetadata().getName(), pod.getMetadata().getUid());
  }

  private void apply(ClusterEvent event) {
    now = now.plus(Duration.ofMillis(1));
    Optional<Refusal> refusal = engine.apply(event, now);
    if (refusal.isPresent()) {
      throw new IllegalStateException("refused: " + refusal.get());
    }
  }

  /** Converts a pod to a pending one; a node name in its spec becomes the node that it requests. */
  private PodModel pending(Pod pod, String policy) {
    ClusterEvent event = events.upserted(pod);
    if (!(event instanceof ClusterEvent.PodUpserted upserted)) {
      throw new IllegalStateException("refused: " + event);
    }
    PodModel model = upserted.pod();
    return Pods.from(model).policy(policy).requestedNode(model.nodeName()).on("").build();
  }
}
