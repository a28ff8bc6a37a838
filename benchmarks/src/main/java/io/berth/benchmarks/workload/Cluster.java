package io.berth.benchmarks.workload;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.Engine;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineDump;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** An engine with nodes and a simulated clock that advances only when the engine is idle. */
final class Cluster {
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  /**
   * The maximum memory of what an engine caches, in bytes: a quarter of the heap of {@code make
   * bench}. Engines do not share it, or the steps of one would depend on when the others are
   * reclaimed.
   */
  private static final long CACHE_BYTES = 512L << 20;

  private final Engine engine = new Engine(options());
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  Cluster() {
    this(SchedulingPolicySpec.defaults());
  }

  Cluster(SchedulingPolicySpec spec) {
    serve("bench", spec);
  }

  /** Returns the options of the engines of all workloads. */
  static EngineOptions options() {
    return EngineOptions.defaults().withCacheBytes(CACHE_BYTES);
  }

  /** Serves a policy; every cluster has the one called {@code bench} already. */
  void serve(String name, SchedulingPolicySpec spec) {
    PolicyCompilation compiled = new PolicyCompiler().compile(name, "1", spec);
    if (compiled instanceof PolicyCompilation.Compiled policy) {
      apply(new ClusterEvent.PolicyServed(policy.policy()));
    } else {
      throw new IllegalStateException("the policy does not compile: " + compiled);
    }
  }

  Engine engine() {
    return engine;
  }

  /** Returns the figures of what the engine caches. */
  EngineDump.Cache cache() {
    return engine.dump(0, now).cache();
  }

  void apply(ClusterEvent event) {
    engine.apply(event, now);
  }

  /** Applies an event at a time that the caller controls. */
  void apply(ClusterEvent event, Instant at) {
    engine.apply(event, at);
  }

  /** Returns the next outcome at a time that the caller controls. */
  Outcome next(Instant at) {
    return engine.next(at);
  }

  /**
   * Requests decisions until the engine is idle, as the operator does before it waits for events.
   */
  void drain(Instant at) {
    while (true) {
      Outcome outcome = engine.next(at);
      if (outcome instanceof Idle idle && !idle.until().isReached(at)) {
        return;
      }
      if (outcome instanceof Decision.Placed placed) {
        engine.apply(new ClusterEvent.BindingConfirmed(placed.pod()), at);
      }
    }
  }

  /** Returns a node of the size that scheduler_perf uses: 4 CPUs, 32 GiB of memory, 110 pods. */
  static NodeModel node(int number, int zones) {
    return node(number, zones, 4_000, 32L << 30, 110);
  }

  static NodeModel node(int number, int zones, long milliCpu, long memoryBytes, long pods) {
    return Nodes.node("node-" + number)
        .label(PodKind.ZONE, "zone" + (1 + number % zones))
        .milliCpu(milliCpu)
        .memoryBytes(memoryBytes)
        .allocatable(ResourceAmounts.EPHEMERAL_STORAGE, 100L << 30)
        .allocatable(ResourceAmounts.PODS, pods)
        .build();
  }

  void addNode(NodeModel node) {
    apply(new ClusterEvent.NodeUpserted(node));
  }

  /** Adds nodes of the size that scheduler_perf uses, in three zones. */
  void addNodes(int count) {
    for (int i = 0; i < count; i++) {
      addNode(node(i, 3));
    }
  }

  void addPod(PodModel pod) {
    apply(new ClusterEvent.PodUpserted(pod));
  }

  void removePod(PodRef pod) {
    apply(new ClusterEvent.PodRemoved(pod));
  }

  /** Returns the next decision, and advances the clock to its time. */
  Decision decide() {
    while (true) {
      Outcome outcome = engine.next(now);
      switch (outcome) {
        case Decision decision -> {
          return decision;
        }
        case AdviceRequest adviceRequest ->
            throw new IllegalStateException("asks for advice about " + adviceRequest.pod());
        case Idle idle -> {
          if (idle.until().equals(Due.NEVER)) {
            throw new IllegalStateException("nothing is waiting any more");
          }
          Duration pause = idle.until().pause(now, LONGEST_PAUSE);
          now = now.plus(pause.isPositive() ? pause : Duration.ofMillis(1));
        }
      }
    }
  }

  /** Adds and places these pods, all of which must fit. */
  void placeAll(List<PodModel> pods) {
    pods.forEach(this::addPod);
    for (int i = 0; i < pods.size(); i++) {
      Decision decision = decide();
      if (!(decision instanceof Decision.Placed)) {
        throw new IllegalStateException("not placed: " + decision.record().message());
      }
      apply(new ClusterEvent.BindingConfirmed(decision.pod()));
    }
  }

  /**
   * Measures the placement of pending pods, all of which must fit: from the queue to the assumed
   * pod, with a Binding that always succeeds.
   */
  Measurement measurePlacing(String workload, int pods) {
    long[] nanos = new long[pods];
    Meter meter = Meter.start(engine::steps);
    for (int i = 0; i < pods; i++) {
      long start = System.nanoTime();
      Decision decision = decide();
      if (!(decision instanceof Decision.Placed)) {
        throw new IllegalStateException(workload + ": " + decision.record().message());
      }
      apply(new ClusterEvent.BindingConfirmed(decision.pod()));
      nanos[i] = System.nanoTime() - start;
    }
    return meter.stop(workload, nanos, this);
  }
}
