package io.berth.benchmarks.workload;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.AlgorithmNames;
import io.berth.crds.policy.CardChoice;
import io.berth.crds.policy.GpuPlacement;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Operator;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.WeightedAffinityTerm;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * The pods of a {@link SharedPool}, drawn one by one:
 *
 * <ul>
 *   <li>84 %: 2,000 apps, with frequencies by Zipf's law with exponent 1.1. Each has its own
 *       selector, a spread constraint over zones, and preferred anti-affinity to its own hosts.
 *       From time to time an app is updated, which gives its pods another template hash.
 *   <li>5 %: jobs of 50 pods each, with labels that never come back.
 *   <li>4 %: the GPU pods of {@link GpuMix}.
 *   <li>2 %: pods of DaemonSets, each for one node.
 *   <li>5 %: pods of high priority that request three quarters of a node, and so evict others.
 * </ul>
 *
 * About 2 % of the pods are the first of their shape.
 */
final class SharedPoolStream {
  private static final int APPS = 2_000;
  private static final double EXPONENT = 1.1;
  private static final int PODS_OF_JOB = 50;

  /** The probability that a pod is the first one of an update of its app. */
  private static final double UPDATE = 0.018;

  private static final String SPREAD = "spread";
  private static final String PACK = "pack";
  private static final String GPU = "gpu";

  private final Random random;
  private final int nodes;
  private final GpuMix mix = new GpuMix();
  private final double[] upTo = new double[APPS];
  private final int[] revisions = new int[APPS];
  private final PodKind[] kinds = new PodKind[APPS];
  private long pods;
  private long jobs;
  private int leftOfJob;
  private PodKind job = PodKind.plain(0, 0);

  /**
   * A pod with what it requests.
   *
   * @param milliCpu CPU in thousandths
   * @param milliCards cards in thousandths, 0 for most pods
   */
  record Drawn(PodModel pod, long milliCpu, long milliCards) {}

  /**
   * @param nodes the number of nodes, called {@code node-0} and so on
   */
  SharedPoolStream(Random random, int nodes) {
    this.random = random;
    this.nodes = nodes;
    double sum = 0;
    for (int i = 0; i < APPS; i++) {
      sum += 1 / Math.pow(i + 1, EXPONENT);
      upTo[i] = sum;
    }
    for (int i = 0; i < APPS; i++) {
      upTo[i] /= sum;
      kinds[i] = app(i);
    }
  }

  /** Returns the three policies by name. */
  static Map<String, SchedulingPolicySpec> policies() {
    return Map.of(
        SPREAD,
        SchedulingPolicySpec.defaults(),
        PACK,
        SchedulingPolicySpec.of(
            List.of(),
            List.of(
                new PriorityPolicy(
                    "NodeResourcesFit",
                    1,
                    true,
                    Map.of(
                        "scoringStrategy",
                        AlgorithmNames.strategyOf("MostRequestedPriority").orElseThrow())))),
        GPU,
        SchedulingPolicySpec.defaults()
            .withGpu(new GpuPlacement(CardChoice.LEAST_FRAGMENTATION, List.of())));
  }

  /** Draws the next pod. */
  Drawn next() {
    int part = random.nextInt(100);
    if (part < 84) {
      return ofApp();
    }
    if (part < 89) {
      return ofJob();
    }
    if (part < 93) {
      return onCards();
    }
    if (part < 95) {
      return ofDaemonSet();
    }
    return drawn(
        PodKind.plain(6_000, 4L << 30)
            .withPriority(1_000)
            .labelled(Map.of("app", "urgent-" + random.nextInt(20))),
        SPREAD);
  }

  private Drawn ofApp() {
    double at = random.nextDouble();
    int low = 0;
    int high = APPS - 1;
    while (low < high) {
      int middle = (low + high) / 2;
      if (upTo[middle] < at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (random.nextDouble() < UPDATE) {
      revisions[low]++;
      kinds[low] = app(low);
    }
    return drawn(kinds[low], low % 2 == 0 ? SPREAD : PACK);
  }

  private PodKind app(int number) {
    String name = "app-" + number;
    LabelSelector own = LabelSelector.ofPairs(Map.of("app", name));
    boolean required = number % 4 == 0;
    return PodKind.plain(200 + number % 9 * 100, (256 + number % 7 * 128) * PodKind.MIB)
        .labelled(Map.of("app", name, "pod-template-hash", number + "-" + revisions[number]))
        .on(
            number % 5 == 0
                ? new NodeSelection(
                    Map.of("pool", "pool-" + number % 4), Optional.empty(), List.of())
                : NodeSelection.none())
        .spread(new SpreadConstraint(5, PodKind.ZONE, required, own, 1, true, false))
        .with(
            new PodAffinity(
                List.of(),
                List.of(),
                List.of(),
                List.of(
                    new WeightedAffinityTerm(100, PodKind.near("app", name, PodKind.HOSTNAME)))));
  }

  private Drawn ofJob() {
    if (leftOfJob == 0) {
      leftOfJob = PODS_OF_JOB;
      jobs++;
      job =
          PodKind.plain(500 + jobs % 4 * 250, 1L << 30)
              .labelled(
                  Map.of("job", "job-" + jobs, "batch.kubernetes.io/controller-uid", "u" + jobs));
    }
    leftOfJob--;
    return drawn(job, PACK);
  }

  /** Draws a pod with cards; its CPUs are reduced to what a node of the pool has for its cards. */
  private Drawn onCards() {
    while (true) {
      PodKind kind = mix.draw(random);
      long milliCards =
          kind.spec().cards().requests().stream().mapToLong(SharedPoolStream::milliCards).sum();
      if (milliCards > 0) {
        PodKind small = PodKind.plain(100, 256 * PodKind.MIB).withCardsOf(kind);
        return new Drawn(small.pod(name(), "", GPU), 100, milliCards);
      }
    }
  }

  private static long milliCards(CardRequest request) {
    return (long) request.cards() * request.milliCores();
  }

  private Drawn ofDaemonSet() {
    Requirement name =
        new Requirement("metadata.name", Operator.IN, List.of("node-" + random.nextInt(nodes)));
    NodeTerm onNode = new NodeTerm(List.of(), List.of(name), false);
    return drawn(
        PodKind.plain(10, 16 * PodKind.MIB)
            .withPriority(2_000)
            .on(new NodeSelection(Map.of(), Optional.of(List.of(onNode)), List.of())),
        SPREAD);
  }

  private Drawn drawn(PodKind kind, String policy) {
    return new Drawn(kind.pod(name(), "", policy), kind.milliCpu(), 0);
  }

  private String name() {
    return "pod-" + pods++;
  }
}
