package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random trees of queues of up to five levels, three resources, and pods that return when they are
 * evicted: limits are never exceeded, every eviction follows the rules, and evictions end.
 */
class QueuePropertiesTest {
  private static final int NODES = 6;
  private static final int DEPTH = 5;
  private static final int PODS = 90;
  private static final long GIBI = 1L << 30;

  private final Map<String, PodModel> placed = new LinkedHashMap<>();
  private final Map<String, PodModel> pending = new LinkedHashMap<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private int evictions;
  private int generation;

  private final Engine engine =
      new Engine(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));

  private void apply(ClusterEvent event) {
    now = now.plusMillis(1);
    assertThat(engine.apply(event, now)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24
      })
  void queues_keepTheirRulesAndComeToRest_whateverTheTree(int seed) {
    run(seed, 0);
  }

  /** Past shares change who is next, and forbid evictions, but allow none. */
  @ParameterizedTest
  @ValueSource(ints = {31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42})
  void queues_keepTheirRulesAndComeToRest_whateverTheirPast(int seed) {
    run(seed, 0.3);
  }

  private void run(int seed, double mostPast) {
    Random random = new Random(seed);
    long[] capacity = {NODES * 8_000L, NODES * 4L, NODES * 32 * GIBI};
    RandomQueues tree = new RandomQueues(random, capacity, DEPTH, mostPast);
    QueueOracle oracle = new QueueOracle(tree.queues(), capacity);
    apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy("default", SchedulingPolicySpec.defaults())));
    apply(new ClusterEvent.DefaultPolicyChanged("default"));
    for (int i = 0; i < NODES; i++) {
      apply(
          new ClusterEvent.NodeUpserted(
              Nodes.node("n" + i)
                  .milliCpu(8_000)
                  .memoryBytes(32 * GIBI)
                  .allocatable("example.com/gpu", 4)
                  .build()));
    }
    tree.queues().forEach(queue -> apply(new ClusterEvent.QueueUpserted(queue)));
    for (int i = 0; i < PODS; i++) {
      create(pod(random, tree, i));
      if (random.nextInt(4) == 0) {
        decide(oracle, "seed " + seed + ", pod " + i, 20_000);
      }
    }
    evictions = 0;
    int quiet = 0;
    int before = -1;
    for (int round = 0; round < 200 && quiet < 3; round++) {
      decide(oracle, "seed " + seed + ", round " + round, 20_000);
      assertThat(FairShareOracle.wrong(engine.queues(), tree.queues(), capacity))
          .as("seed %s, round %s", seed, round)
          .isEmpty();
      now = now.plus(Duration.ofMinutes(6)); // each waiting unit is tried again
      quiet = before == evictions + placed.size() * 10_000 ? quiet + 1 : 0;
      before = evictions + placed.size() * 10_000;
    }
    assertThat(quiet).as("seed %s: evictions end", seed).isEqualTo(3);
    assertThat(evictions).as("evictions").isLessThanOrEqualTo(PODS * DEPTH);
    assertThat(pending.values())
        .as("seed %s: pods for which room is reserved", seed)
        .noneMatch(pod -> engine.nominatedNode(pod.ref()).isPresent());
  }

  private PodModel pod(Random random, RandomQueues tree, int i) {
    String queue = tree.leaves().get(random.nextInt(tree.leaves().size()));
    String name = "p" + i;
    Pods pod =
        Pods.pod(name)
            .ref(new PodRef(queue, name, "uid-" + name))
            .createdAt(now)
            .priority(random.nextInt(3) * 100)
            .milliCpu(500L * (1 + random.nextInt(6)))
            .memoryBytes(GIBI * (1 + random.nextInt(10)));
    return random.nextInt(3) == 0
        ? pod.asks("example.com/gpu", 1 + random.nextInt(3)).build()
        : pod.build();
  }

  private void create(PodModel pod) {
    pending.put(pod.ref().uid(), pod);
    apply(new ClusterEvent.PodUpserted(pod));
  }

  private void decide(QueueOracle oracle, String where, int most) {
    for (int i = 0; i < most; i++) {
      Outcome outcome = engine.next(now);
      if (outcome instanceof Idle idle) {
        if (!idle.until().isReached(now)) {
          return;
        }
        continue;
      }
      now = now.plusMillis(10);
      take((Decision) outcome, oracle, where);
    }
    throw new AssertionError(where + ": no end of decisions");
  }

  private void take(Decision decision, QueueOracle oracle, String where) {
    String uid = decision.pod().uid();
    switch (decision) {
      case Decision.Placed found -> {
        PodModel pod = pending.remove(uid);
        PodModel bound = Pods.from(pod).on(found.nodeName()).startedAt(Optional.of(now)).build();
        placed.put(uid, bound);
        apply(new ClusterEvent.BindingConfirmed(found.pod()));
        apply(new ClusterEvent.PodUpserted(bound));
        assertThat(oracle.overLimit(placed.values())).as(where + ": over its limit").isEmpty();
      }
      case Decision.Nominated found -> {
        PodModel pod = pending.get(uid);
        List<PodModel> victims =
            found.victims().stream().map(ref -> placed.get(ref.uid())).toList();
        List<PodModel> before = new ArrayList<>(placed.values());
        pending.values().stream()
            .filter(other -> !other.equals(pod) && engine.nominatedNode(other.ref()).isPresent())
            .forEach(before::add);
        assertThat(oracle.wrong(pod, victims, before)).as(where).isEmpty();
        victims.forEach(this::evict);
      }
      case Decision.Unschedulable _ -> {}
      default -> throw new AssertionError(where + ": " + decision);
    }
  }

  private void evict(PodModel victim) {
    evictions++;
    placed.remove(victim.ref().uid());
    apply(new ClusterEvent.PodRemoved(victim.ref()));
    String name = victim.ref().name();
    create(
        Pods.from(victim)
            .ref(new PodRef(victim.ref().namespace(), name, "uid-" + name + "-" + ++generation))
            .on("")
            .startedAt(Optional.empty())
            .createdAt(now)
            .build());
  }
}
