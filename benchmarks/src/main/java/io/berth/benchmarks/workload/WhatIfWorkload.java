package io.berth.benchmarks.workload;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.PodModel;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.whatif.Hypothesis;
import io.berth.engine.whatif.Mirror;
import io.berth.engine.whatif.PlacementAnswer;
import io.berth.engine.whatif.PlacementQuestion;
import io.berth.engine.whatif.PolicyAnswer;
import io.berth.engine.whatif.PolicyQuestion;
import io.berth.engine.whatif.PolicyTrial;
import io.berth.engine.whatif.WhatIf;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A workload of what-if questions on a mirror with 5,000 nodes and 50,000 pods: each is about a pod
 * of another shape. The times are those of whole answers, with the changes that would help a pod
 * that does not fit.
 */
final class WhatIfWorkload {
  private static final int NODES = 5_000;
  private static final int PODS_OF_NODE = 10;
  private static final int ZONES = 3;
  private static final long MILLI_CPU_OF_NODE = 16_000;
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  /** The kinds of questions. */
  enum Kind {
    /** A pod that fits. */
    ONE_POD("WhatIf", 500, 1),
    /** A pod that no node fits, so that changes are tried. */
    NO_ROOM("WhatIf-NoRoom", 50, 1),
    /** A thousand replicas of a template. */
    REPLICAS("WhatIf-1000Replicas", 20, 1_000),
    /** A changed policy of all pods. */
    POLICY("WhatIf-Policy", 3, NODES * PODS_OF_NODE);

    private final String title;
    private final int questions;
    private final int replicas;

    Kind(String title, int questions, int replicas) {
      this.title = title;
      this.questions = questions;
      this.replicas = replicas;
    }

    /** Returns the name of the workload. */
    String title() {
      return title;
    }
  }

  private final Kind kind;
  private final Random random;
  private final Mirror mirror = new Mirror(Cluster.options());
  private int asked;

  private WhatIfWorkload(Kind kind, long seed) {
    this.kind = kind;
    this.random = new Random(seed);
  }

  /**
   * Fills a cluster, and asks.
   *
   * @return the times of the answers; the rate counts pods
   */
  static Measurement run(Kind kind, long seed) {
    return new WhatIfWorkload(kind, seed).run();
  }

  private Measurement run() {
    apply(new ClusterEvent.PolicyServed(policy("bench", SchedulingPolicySpec.defaults())));
    apply(new ClusterEvent.DefaultPolicyChanged("bench"));
    for (int i = 0; i < NODES; i++) {
      apply(
          new ClusterEvent.NodeUpserted(Cluster.node(i, ZONES, MILLI_CPU_OF_NODE, 64L << 30, 110)));
      for (int j = 0; j < PODS_OF_NODE; j++) {
        apply(
            new ClusterEvent.PodUpserted(
                Pods.pod("running-" + i + "-" + j)
                    .milliCpu(800 + random.nextInt(400))
                    .memoryBytes((1L + random.nextInt(4)) << 30)
                    .label("app", "app-" + random.nextInt(2_000))
                    .on("node-" + i)
                    .build()));
      }
    }
    for (int i = 0; i < Math.max(1, kind.questions / 10); i++) {
      ask();
    }
    long[] nanos = new long[kind.questions];
    Meter meter = Meter.start(mirror::steps);
    for (int i = 0; i < nanos.length; i++) {
      nanos[i] = ask();
    }
    long pods = (long) kind.questions * kind.replicas;
    return meter.stop(kind.title(), pods * 1e9 / meter.busyNanos(), pods, nanos, this);
  }

  private static CompiledPolicy policy(String name, SchedulingPolicySpec spec) {
    return switch (new PolicyCompiler().compile(name, "1", spec)) {
      case PolicyCompilation.Compiled(CompiledPolicy policy) -> policy;
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException("the policy does not compile: " + invalid);
    };
  }

  private void apply(ClusterEvent event) {
    mirror.apply(event, NOW);
  }

  /** Asks a question, and returns the time of the answer, in nanoseconds. */
  private long ask() {
    return kind == Kind.POLICY ? askAboutAPolicy() : askAboutAPod();
  }

  private long askAboutAPolicy() {
    SchedulingPolicySpec withoutSpread =
        SchedulingPolicySpec.of(
            List.of(), List.of(new PriorityPolicy("PodTopologySpread", 0, false, Map.of())));
    PolicyQuestion question =
        new PolicyQuestion("bench", policy("(changed)", withoutSpread), "bench", "", pod -> false);
    long start = System.nanoTime();
    PolicyAnswer answer = PolicyTrial.answer(mirror, question, NOW, () -> false);
    long nanos = System.nanoTime() - start;
    if (answer.tried() != kind.replicas) {
      throw new IllegalStateException("only %d pods were tried".formatted(answer.tried()));
    }
    return nanos;
  }

  private long askAboutAPod() {
    PodModel pod =
        Pods.pod("asked-" + asked++)
            .milliCpu(
                kind == Kind.NO_ROOM ? 14_000 + random.nextInt(999) : 100 + random.nextInt(900))
            .memoryBytes((1L + random.nextInt(2_000)) << 20)
            .label("app", "app-" + random.nextInt(2_000))
            .build();
    PlacementQuestion question =
        new PlacementQuestion(pod, kind.replicas, false, Hypothesis.none());
    long start = System.nanoTime();
    PlacementAnswer answer = WhatIf.answer(mirror, question, NOW, () -> false);
    long nanos = System.nanoTime() - start;
    int expected = kind == Kind.NO_ROOM ? 0 : kind.replicas;
    if (answer.placements().size() != expected) {
      throw new IllegalStateException(
          "%s: %d pods are placed, and not %d"
              .formatted(kind.title(), answer.placements().size(), expected));
    }
    return nanos;
  }
}
