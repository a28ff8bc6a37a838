package io.berth.operator.extender;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.Advice;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.extender.Extenders;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.LogKeys;
import io.berth.operator.api.ServiceCalls;
import io.berth.operator.api.Timing;
import io.berth.operator.extender.ClusterObjects.UnreadPodException;
import io.berth.operator.record.BerthMetrics;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the engine's consultations by calling extenders, in kube-scheduler's order. Each
 * consultation runs on its own thread; the engine limits how many are open at a time.
 */
public final class ExtenderAdvisor implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ExtenderAdvisor.class);

  private final ClusterObjects objects;
  private final ExtenderClients clients;
  private final Timing timing;

  /**
   * @param services creates the calls to extenders
   * @param mayBeSent evaluated right before a request to an extender is written
   */
  public ExtenderAdvisor(
      ClusterObjects objects,
      Timing timing,
      ServiceCalls.Opener services,
      BerthMetrics metrics,
      BooleanSupplier mayBeSent) {
    this.objects = objects;
    this.timing = timing;
    this.clients = new ExtenderClients(timing, services, metrics, mayBeSent);
  }

  /**
   * Answers a consultation; does not block.
   *
   * @param then called once with the answer
   */
  public void advise(AdviceRequest adviceRequest, Consumer<ClusterEvent.Advised> then) {
    timing.fork(
        "extender-advice",
        () ->
            then.accept(
                new ClusterEvent.Advised(
                    adviceRequest.pod(), adviceRequest.token(), advice(adviceRequest))));
  }

  private Advice advice(AdviceRequest adviceRequest) {
    if (!(adviceRequest.consultation() instanceof Extenders extenders)) {
      return new Advice.Unavailable(
          "SchedulingPolicy \"%s\" asks %s, which this version of Berth cannot reach: remove it from the policy"
              .formatted(adviceRequest.policy(), adviceRequest.consultation().name()));
    }
    try {
      List<ExtenderClient> asked =
          clients.of(adviceRequest.policy(), adviceRequest.policyRevision(), extenders);
      LazyPod pod = new LazyPod(objects, adviceRequest.pod());
      return switch (adviceRequest.question()) {
        case AdviceRequest.OfNodes(List<String> names) ->
            new NodeAdvice(adviceRequest.policy(), pod, objects, timing).about(names, asked);
        case AdviceRequest.OfVictims(List<PreemptionCandidate> candidates) ->
            new VictimAdvice(adviceRequest.policy(), pod, objects).about(candidates, asked);
      };
    } catch (UnreadPodException e) {
      return new Advice.Unavailable(e.getMessage());
    } catch (RuntimeException bug) {
      LogKeys.pod(adviceRequest.pod())
          .andPolicy(adviceRequest.policy())
          .error(
              LOG,
              "Calling the extenders of %s for pod %s failed"
                  .formatted(adviceRequest.policy(), adviceRequest.pod()),
              bug);
      return new Advice.Unavailable("calling the extenders failed, which is a bug: " + bug);
    }
  }

  /** Returns the binder that calls extenders to bind pods. */
  public ExtenderBinding binding() {
    return new ExtenderBinding(clients, timing);
  }

  @Override
  public void close() {
    clients.close();
  }

  /** The pod of a consultation, read at most once, and only if an extender is called. */
  static final class LazyPod {
    private final ClusterObjects objects;
    private final PodRef ref;
    private Optional<JsonNode> pod = Optional.empty();

    LazyPod(ClusterObjects objects, PodRef ref) {
      this.objects = objects;
      this.ref = ref;
    }

    JsonNode json() throws UnreadPodException {
      if (pod.isEmpty()) {
        pod = objects.pod(ref);
      }
      return pod.orElseThrow(() -> new UnreadPodException("pod " + ref + " is gone"));
    }
  }
}
