package io.berth.benchmarks.quality;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeUsage;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An engine with one policy and a simulated clock. */
final class Pool {
  static final String POLICY = "quality";

  private final Engine engine = new Engine(EngineOptions.defaults());
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  /**
   * Creates a pool without nodes.
   *
   * @param policy the spec of its SchedulingPolicy as JSON
   */
  Pool(String policy) {
    try {
      SchedulingPolicySpec spec = new ObjectMapper().readValue(policy, SchedulingPolicySpec.class);
      PolicyCompilation compilation = new PolicyCompiler().compile(POLICY, "1", spec);
      if (!(compilation instanceof PolicyCompilation.Compiled compiled)) {
        throw new IllegalArgumentException(policy + " does not compile: " + compilation);
      }
      apply(new ClusterEvent.PolicyServed(compiled.policy()));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(policy + " is not a policy", e);
    }
  }

  private void apply(ClusterEvent event) {
    now = now.plus(Duration.ofMillis(1));
    engine.apply(event, now);
  }

  /** Advances the clock. */
  void elapse(Duration duration) {
    now = now.plus(duration);
  }

  /** Returns the time on the pool's clock. */
  Instant now() {
    return now;
  }

  /** Reports the actual usage of nodes. */
  void report(List<NodeUsage> usages) {
    apply(new ClusterEvent.UsageReported(usages));
  }

  void add(NodeModel node) {
    apply(new ClusterEvent.NodeUpserted(node));
  }

  /** Adds a pod, which stays pending until {@link #decide}. */
  void add(PodModel pod) {
    apply(new ClusterEvent.PodUpserted(pod));
  }

  /** Schedules all pending pods and returns those that were placed. */
  List<Decision.Placed> decide() {
    List<Decision.Placed> placed = new ArrayList<>();
    for (Outcome outcome = engine.next(now);
        !(outcome instanceof Idle);
        outcome = engine.next(now)) {
      if (outcome instanceof Decision.Placed decision) {
        apply(new ClusterEvent.BindingConfirmed(decision.pod()));
        placed.add(decision);
      }
    }
    return placed;
  }

  /** Schedules a pod and returns its node. A pod that does not fit on any node is removed again. */
  Optional<String> place(PodModel pod) {
    add(pod);
    if (engine.next(now) instanceof Decision.Placed placed) {
      apply(new ClusterEvent.BindingConfirmed(placed.pod()));
      return Optional.of(placed.nodeName());
    }
    remove(pod.ref());
    return Optional.empty();
  }

  void remove(PodRef pod) {
    apply(new ClusterEvent.PodRemoved(pod));
  }
}
