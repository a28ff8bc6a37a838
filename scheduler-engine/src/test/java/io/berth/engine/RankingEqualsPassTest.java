package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An engine that keeps its nodes in order selects the same node, with the same runners-up, as an
 * engine that computes the scores of all nodes for every pod.
 */
class RankingEqualsPassTest {
  private static final int NODES = 640;
  private static final int SHAPES = 8;
  private static final int STEPS = 500;

  private final Engine ranking = new Engine(EngineOptions.defaults());

  /** Records the scores of every node, which requires a pass over all of them. */
  private final Engine passing =
      new Engine(
          new EngineOptions(
              EngineOptions.defaults().schedulerNames(),
              EngineOptions.TieOrder.ROUND_ROBIN,
              Integer.MAX_VALUE,
              false,
              EngineOptions.defaults().backoffInitial(),
              EngineOptions.defaults().backoffMax(),
              EngineOptions.defaults().unschedulableTimeout(),
              EngineOptions.defaults().cacheLimit()));

  private final List<PodModel> shapes = new ArrayList<>();
  private final List<PodModel> placed = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private int names;
  private long passes;
  private long passesOfPassing;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void theSameNodesAreBest_whateverHappens(int seed) {
    Random random = new Random(seed);
    RandomCluster objects = new RandomCluster(random);
    serve(random);
    for (int i = 0; i < NODES; i++) {
      apply(new ClusterEvent.NodeUpserted(objects.node(i)));
    }
    for (int i = 0; i < SHAPES; i++) {
      PodModel pod = objects.pod();
      // Most pods fit on several nodes, so that there is a choice.
      shapes.add(i % 4 == 0 ? pod : withoutDemands(pod));
    }
    for (int i = 0; i < NODES; i++) {
      PodModel pod = Pods.from(next(random)).on("n" + random.nextInt(NODES)).build();
      apply(new ClusterEvent.PodUpserted(pod));
      placed.add(pod);
    }
    for (int step = 0; step < STEPS; step++) {
      change(random, objects);
      PodModel pod = next(random);
      apply(new ClusterEvent.PodUpserted(pod));
      decide(random, pod, "seed " + seed + ", step " + step);
    }

    count();
    assertThat(passes).isLessThan(passesOfPassing * 4 / 5);
  }

  /** Adds the passes so far, which are reset with the plans of a policy. */
  private void count() {
    passes += ranking.plans().passes();
    passesOfPassing += passing.plans().passes();
  }

  private void serve(Random random) {
    count();
    SchedulingPolicySpec spec =
        SchedulingPolicySpec.of(
            List.of(),
            List.of(new PriorityPolicy("ImageLocality", 1 + random.nextInt(5), true, Map.of())));
    apply(new ClusterEvent.PolicyServed(TestCluster.policy("test", spec)));
  }

  private static PodModel withoutDemands(PodModel pod) {
    PodAffinity affinity = pod.spec().affinity();
    return Pods.from(pod)
        .cards(PodCards.none())
        .requests(RandomCluster.requests(100, 100L << 20))
        .affinity(
            new PodAffinity(
                List.of(), List.of(), affinity.preferredAffinity(), affinity.preferredAnti()))
        .build();
  }

  private PodModel next(Random random) {
    PodModel shape = shapes.get(random.nextInt(SHAPES));
    String name = "pod-" + names++;
    return RandomCluster.named(shape, new PodRef(shape.ref().namespace(), name, "uid-" + name));
  }

  private void apply(ClusterEvent event) {
    now = now.plusMillis(10);
    assertThat(ranking.apply(event, now)).isEqualTo(passing.apply(event, now));
  }

  private void change(Random random, RandomCluster objects) {
    int number = random.nextInt(NODES);
    switch (random.nextInt(20)) {
      case 0, 1, 2 -> apply(new ClusterEvent.NodeUpserted(objects.node(number)));
      case 3 -> apply(new ClusterEvent.NodeRemoved("n" + number));
      case 4, 5, 6, 7, 8 ->
          apply(new ClusterEvent.PodRemoved(placed.remove(random.nextInt(placed.size())).ref()));
      case 9 -> {
        PodModel pod = placed.get(random.nextInt(placed.size()));
        apply(new ClusterEvent.PodUpserted(Pods.from(pod).labels(objects.labels()).build()));
      }
      case 10 -> {
        if (random.nextInt(5) == 0) {
          serve(random);
        }
      }
      case 11 -> {
        // A change that affects more nodes than are worth following one by one.
        int every = random.nextInt(10) == 0 ? 1 + random.nextInt(8) : NODES;
        for (int i = 0; i < NODES; i += every) {
          apply(new ClusterEvent.NodeUpserted(objects.node(i)));
        }
      }
      default -> {
        // The next pod arrives at once.
      }
    }
  }

  private void decide(Random random, PodModel pod, String when) {
    Outcome actual = ranking.next(now);
    Outcome expected = passing.next(now);
    assertThat(actual).as(when).hasSameClassAs(expected);
    if (actual instanceof Decision.Placed one && expected instanceof Decision.Placed other) {
      assertThat(one.nodeName()).as(when).isEqualTo(other.nodeName());
      List<NodeScore> all = other.record().bestNodes();
      assertThat(all)
          .as(when)
          .isSortedAccordingTo(Comparator.comparingLong(NodeScore::total).reversed());
      assertThat(one.record().bestNodes())
          .as(when)
          .isEqualTo(all.subList(0, Math.min(3, all.size())));
      if (random.nextInt(4) > 0) {
        apply(new ClusterEvent.BindingConfirmed(pod.ref()));
        placed.add(Pods.from(pod).on(one.nodeName()).build());
        return;
      }
      apply(new ClusterEvent.BindingFailed(pod.ref(), "conflict", true));
    }
    if (actual instanceof Decision decision) {
      assertThat(decision.record().message())
          .as(when)
          .isEqualTo(((Decision) expected).record().message());
    }
    apply(new ClusterEvent.PodRemoved(pod.ref()));
  }
}
