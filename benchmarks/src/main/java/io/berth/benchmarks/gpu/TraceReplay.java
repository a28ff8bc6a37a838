package io.berth.benchmarks.gpu;

import io.berth.benchmarks.gpu.GpuTrace.TracePod;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.CardChoice;
import io.berth.crds.policy.GpuPlacement;
import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.devices.DeviceClaim;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodModel;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * The experiment of "Beware of Fragmentation" (USENIX ATC 2023): pods drawn from a trace arrive one
 * by one on an empty cluster until they have requested 130 % of its GPU capacity. Each pod is
 * placed immediately or fails permanently, and no pod terminates.
 *
 * <p>The policy is the sample policy for GPU pools. It is not tuned to the trace: the target
 * workload is derived from the pods that have arrived.
 */
final class TraceReplay {
  private static final int ARRIVAL_PERCENT = 130;
  private static final long MIB = 1 << 20;
  private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
  private static final String POLICY = "gpu-pool";

  /** The means by which pods ask for GPUs, and the rule by which GPUs are chosen. */
  enum Way {
    /** As cards, by the sample policy. */
    CARDS,
    /** By claims, with the same policy. */
    CLAIMS,
    /** By claims, as kube-scheduler does: by its default scores, and the first devices that fit. */
    CLAIMS_FIRST_FIT
  }

  private TraceReplay() {}

  /** Returns the policy for GPU pools that is part of the samples. */
  static SchedulingPolicySpec policy() {
    return SchedulingPolicySpec.defaults()
        .withGpu(new GpuPlacement(CardChoice.LEAST_FRAGMENTATION, List.of()));
  }

  /** Returns the allocated percentage of the cluster's GPU capacity. */
  static double allocatedPercent(GpuTrace trace, long seed, Way way) {
    long total = trace.clusterMilliGpu();
    Engine engine = engine(trace.nodes(), way);
    long allocated = 0;
    int number = 0;
    for (TracePod pod : arrivals(trace, seed)) {
      PodModel model = model(pod, number++, way);
      Optional<DeviceClaim> claim =
          way == Way.CARDS ? Optional.empty() : ClaimedTrace.claim(pod, model);
      if (claim.isPresent()) {
        engine.apply(new ClusterEvent.DevicesUpserted(claim.get()), CREATED);
        model = ClaimedTrace.pod(model, claim.get());
      }
      engine.apply(new ClusterEvent.PodUpserted(model), CREATED);
      Outcome outcome = engine.next(CREATED);
      if (outcome instanceof Decision.Placed) {
        engine.apply(new ClusterEvent.BindingConfirmed(model.ref()), CREATED);
        allocated += pod.totalMilliGpu();
      } else if (outcome instanceof Decision.Unschedulable) {
        engine.apply(new ClusterEvent.PodRemoved(model.ref()), CREATED);
        claim.ifPresent(
            unused ->
                engine.apply(
                    new ClusterEvent.DevicesRemoved(
                        DeviceClaim.KIND, unused.namespace(), unused.name()),
                    CREATED));
      } else {
        throw new IllegalStateException("neither placed nor refused: " + outcome);
      }
    }
    return 100.0 * allocated / total;
  }

  /** Returns the pods in the order of their arrival. */
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

  private static Engine engine(List<NodeModel> nodes, Way way) {
    Engine engine = new Engine(EngineOptions.defaults());
    engine.apply(new ClusterEvent.PolicyServed(compiled(way)), CREATED);
    if (way == Way.CARDS) {
      nodes.forEach(node -> engine.apply(new ClusterEvent.NodeUpserted(node), CREATED));
      return engine;
    }
    engine.apply(new ClusterEvent.DevicesUpserted(ClaimedTrace.deviceClass()), CREATED);
    for (NodeModel node : nodes) {
      engine.apply(new ClusterEvent.NodeUpserted(ClaimedTrace.node(node)), CREATED);
      engine.apply(new ClusterEvent.DevicesUpserted(ClaimedTrace.slice(node)), CREATED);
    }
    return engine;
  }

  private static CompiledPolicy compiled(Way way) {
    SchedulingPolicySpec spec =
        way == Way.CLAIMS_FIRST_FIT ? SchedulingPolicySpec.defaults() : policy();
    return switch (new PolicyCompiler().compile(POLICY, "1", spec)) {
      case PolicyCompilation.Compiled compiled -> compiled.policy();
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException(invalid.problems().toString());
    };
  }

  /**
   * Converts a pod of a trace to a pod of the cluster that never preempts others, because all pods
   * have the same priority.
   */
  static PodModel model(TracePod pod, int number, Way way) {
    return Pods.pod("pod-" + number)
        .policy(POLICY)
        .milliCpu(pod.milliCpu())
        .memoryBytes(pod.memoryMebibytes() * MIB)
        .createdAt(CREATED.plusSeconds(number))
        .neverPreempts(true)
        .cards(way == Way.CARDS ? pod.demand() : PodCards.none())
        .build();
  }
}
