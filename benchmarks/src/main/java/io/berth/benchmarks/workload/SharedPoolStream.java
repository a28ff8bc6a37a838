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
 *       From time to time an app is updated, which gives its pods another template hash. The spread
 *       constraint counts only pods with the same hash, as with {@code matchLabelKeys}, and so each
 *       update is another shape.
 *   <li>5 %: jobs of 50 pods each, which prefer hosts without others of them. Their labels never
 *       come back.
 *   <li>4 %: the GPU pods of {@link GpuMix}.
 *   <li>2 %: pods of DaemonSets, each for one node.
 *   <li>5 %: pods of high priority that request about three quarters of a node, and so evict
 *       others. They are of {@link #URGENT_KINDS} kinds.
 * </ul>
 *
 * About 2 % of the pods are the first of their shape.
 */
final class SharedPoolStream {
  private static final int APPS = 2_000;
  private static final double EXPONENT = 1.1;
  private static final int PODS_OF_JOB = 50;

  /** The probability that a pod is the first one of an update of its app. */
  private static final double UPDATE = 0.024;

  /** The number of kinds of pods of high priority, more than those whose dry runs are cached. */
  private static final int URGENT_KINDS = 400;

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

  /** The phases of a pool, by which pods there are. */
  enum Phase {
    /** No app is updated. */
    FILLING,
    /** In addition, there are no pods of high priority, which would evict others. */
    ALMOST_FULL,
    /** All pods that are described above. */
    FULL
  }

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
  Drawn next(Phase phase) {
    int part = random.nextInt(phase == Phase.ALMOST_FULL ? 95 : 100);
    if (part < 84) {
      return ofApp(phase);
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
    return drawn(urgent(random.nextInt(URGENT_KINDS)), SPREAD);
  }

  /** Returns one of the kinds of pods of high priority, which differ in requests and selectors. */
  private static PodKind urgent(int number) {
    String name = "urgent-" + number;
    PodKind kind =
        PodKind.plain(5_600 + number % 9 * 100, (3_072 + number % 16 * 128) * PodKind.MIB)
            .withPriority(1_000)
            .labelled(Map.of("app", name));
    return switch (number % 3) {
      case 0 -> kind.on(inPool(number % 4));
      case 1 ->
          kind.spread(
              new SpreadConstraint(
                  5,
                  PodKind.ZONE,
                  true,
                  LabelSelector.ofPairs(Map.of("app", name)),
                  1,
                  true,
                  false));
      default -> kind.with(farFrom("app", name));
    };
  }

  private static NodeSelection inPool(int number) {
    return new NodeSelection(Map.of("pool", "pool-" + number), Optional.empty(), List.of());
  }

  /** Returns preferred anti-affinity to the hosts of pods with this label. */
  private static PodAffinity farFrom(String key, String value) {
    return new PodAffinity(
        List.of(),
        List.of(),
        List.of(),
        List.of(new WeightedAffinityTerm(100, PodKind.near(key, value, PodKind.HOSTNAME))));
  }

  private Drawn ofApp(Phase phase) {
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
    if (phase == Phase.FULL && random.nextDouble() < UPDATE) {
      revisions[low]++;
      kinds[low] = app(low);
    }
    return drawn(kinds[low], low % 2 == 0 ? SPREAD : PACK);
  }

  private PodKind app(int number) {
    String name = "app-" + number;
    Map<String, String> labels =
        Map.of("app", name, "pod-template-hash", number + "-" + revisions[number]);
    LabelSelector own = LabelSelector.ofPairs(labels);
    boolean required = number % 4 == 0;
    return PodKind.plain(200 + number % 9 * 100, (256 + number % 7 * 128) * PodKind.MIB)
        .labelled(labels)
        .on(number % 5 == 0 ? inPool(number % 4) : NodeSelection.none())
        .spread(new SpreadConstraint(5, PodKind.ZONE, required, own, 1, true, false))
        .with(farFrom("app", name));
  }

  private Drawn ofJob() {
    if (leftOfJob == 0) {
      leftOfJob = PODS_OF_JOB;
      jobs++;
      String name = "job-" + jobs;
      job =
          PodKind.plain(500 + jobs % 4 * 250, 1L << 30)
              .labelled(Map.of("job", name, "batch.kubernetes.io/controller-uid", "u" + jobs))
              .with(farFrom("job", name));
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
    Requirement name = Requirement.isOneOf("metadata.name", "node-" + random.nextInt(nodes));
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
