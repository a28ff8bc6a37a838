package io.berth.benchmarks.gpu;

import io.berth.benchmarks.gpu.GpuTrace.TracePod;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.CardChoice;
import io.berth.crds.policy.GpuPlacement;
import io.berth.engine.ClusterEvent;
import io.berth.engine.Decision;
import io.berth.engine.Engine;
import io.berth.engine.EngineOptions;
import io.berth.engine.Outcome;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.Pods;
import io.berth.engine.policy.CompiledPolicy;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The experiment of "Beware of Fragmentation" (USENIX ATC 2023): pods drawn from a trace arrive one
 * by one on an empty cluster until they have asked for 130 % of its GPU; each is placed at once or
 * fails for good, and none departs.
 *
 * <p>The policy is the one that is shipped for GPU pools. It knows nothing of the trace: the target
 * workload is learnt from the pods that arrive.
 */
final class TraceReplay {
  private static final int ARRIVAL_PERCENT = 130;
  private static final long MIB = 1 << 20;
  private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
  private static final String POLICY = "gpu-pool";

  private TraceReplay() {}

  /** The policy for GPU pools, as the samples ship it. */
  static SchedulingPolicySpec policy() {
    return SchedulingPolicySpec.defaults()
        .withGpu(new GpuPlacement(CardChoice.LEAST_FRAGMENTATION, List.of()));
  }

  /** Allocated GPU in percent of the cluster's. */
  static double allocatedPercent(GpuTrace trace, long seed) {
    long total = trace.clusterMilliGpu();
    Engine engine = engine(trace.nodes());
    long allocated = 0;
    int number = 0;
    for (TracePod pod : arrivals(trace, seed)) {
      PodModel model = model(pod, number++);
      engine.apply(new ClusterEvent.PodUpserted(model), CREATED);
      Outcome outcome = engine.next(CREATED);
      if (outcome instanceof Decision.Placed) {
        engine.apply(new ClusterEvent.BindingConfirmed(model.ref()), CREATED);
        allocated += pod.totalMilliGpu();
      } else if (outcome instanceof Decision.Unschedulable) {
        engine.apply(new ClusterEvent.PodRemoved(model.ref()), CREATED);
      } else {
        throw new IllegalStateException("neither placed nor refused: " + outcome);
      }
    }
    return 100.0 * allocated / total;
  }

  /** The pods in the order in which they arrive. */
  static List<TracePod> arrivals(GpuTrace trace, long seed) {
    long wanted = trace.clusterMilliGpu() * ARRIVAL_PERCENT / 100;
    Random random = new Random(seed);
    List<TracePod> pods = new ArrayList<>(trace.pods());
    long asked = pods.stream().mapToLong(TracePod::totalMilliGpu).sum();
    while (asked < wanted) {
      TracePod drawn = trace.pods().get(random.nextInt(trace.pods().size()));
      pods.add(drawn);
      asked += drawn.totalMilliGpu();
    }
    while (asked > wanted && pods.size() > 1) {
      asked -= pods.remove(random.nextInt(pods.size())).totalMilliGpu();
    }
    Collections.shuffle(pods, random);
    return pods;
  }

  private static Engine engine(List<NodeModel> nodes) {
    Engine engine = new Engine(EngineOptions.defaults());
    engine.apply(new ClusterEvent.PolicyServed(compiled()), CREATED);
    nodes.forEach(node -> engine.apply(new ClusterEvent.NodeUpserted(node), CREATED));
    return engine;
  }

  private static CompiledPolicy compiled() {
    return switch (new PolicyCompiler().compile(POLICY, "1", policy())) {
      case PolicyCompilation.Compiled compiled -> compiled.policy();
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException(invalid.problems().toString());
    };
  }

  /**
   * The pod of a trace as a pod of the cluster; as all are equally important, none evicts others.
   */
  static PodModel model(TracePod pod, int number) {
    return Pods.pod("pod-" + number)
        .policy(POLICY)
        .milliCpu(pod.milliCpu())
        .memoryBytes(pod.memoryMebibytes() * MIB)
        .createdAt(CREATED)
        .neverPreempts(true)
        .cards(pod.demand())
        .build();
  }
}
