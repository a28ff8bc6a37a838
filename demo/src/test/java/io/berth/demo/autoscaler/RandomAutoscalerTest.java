package io.berth.demo.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Nodes that are bought for random pods and groups, against those that the same pods bring with the
 * signals of kube-scheduler, on a virtual clock. {@code berth.seeds} runs more of them.
 */
class RandomAutoscalerTest {
  private static final int SEEDS = Integer.getInteger("berth.seeds", 4);
  private static final int ROUNDS = 6;
  private static final int TICKS = 8;

  /** Enough for victims to end, and for their replacements to get nodes that are bought. */
  private static final int LAST_TICKS = 90;

  /** The kinds of runs, by what tenants and the autoscaler do. */
  private enum Life {
    /** Single pods and groups come, and single pods go. No node goes. */
    QUIET(Duration.ofHours(1), SEEDS),
    /**
     * Some pods are important and evict others, some belong to a queue with a limit, and some have
     * a controller; nodes that nothing needs are removed. In a single run, Berth may buy more: a
     * pod that was held starts after a node without pods was removed, which is bought again.
     */
    BUSY(Duration.ofSeconds(10), 2 * SEEDS);

    private final Duration unneeded;
    private final int seeds;

    Life(Duration unneeded, int seeds) {
      this.unneeded = unneeded;
      this.seeds = seeds;
    }
  }

  /**
   * The result of a run.
   *
   * @param bought the number of nodes that were bought
   * @param missing the pods without a node that could have one
   * @param evicted the number of pods that were evicted for others
   * @param held the number of pods that a queue held, once for each time that it was asked
   * @param removed the number of nodes that were removed
   */
  private record Result(int bought, List<String> missing, int evicted, int held, int removed) {}

  private static final String LIMITED = "limited";
  private static final NodeGroup SMALL = group("small", "4");
  private static final NodeGroup LARGE = group("large", "8");

  private static NodeGroup group(String name, String cpu) {
    return new NodeGroup(
        name,
        Map.of(
            "cpu", new Quantity(cpu), "memory", new Quantity("64Gi"), "pods", new Quantity("110")),
        Map.of("cloud.ctrip.com/pool", name),
        100,
        Duration.ofSeconds(2),
        List.of());
  }

  /** The tenants of one run: they do the same with every scheduler. */
  private static final class Tenants {
    private final Random random;
    private final ModelCluster cluster;
    private final Life life;
    private final List<String> names = new ArrayList<>();
    private final List<String> incomplete = new ArrayList<>();
    private int next;

    Tenants(long seed, ModelCluster cluster, Life life) {
      this.random = new Random(seed);
      this.cluster = cluster;
      this.life = life;
    }

    void act() {
      int singles = random.nextInt(4);
      for (int i = 0; i < singles; i++) {
        create("pod-" + next++, 1 + random.nextInt(4), Map.of());
      }
      if (random.nextInt(3) > 0) {
        createGroup();
      }
      for (int i = random.nextInt(3); i > 0 && !names.isEmpty(); i--) {
        String name = names.remove(random.nextInt(names.size()));
        cluster.delete(name);
        incomplete.remove(name);
      }
    }

    private void createGroup() {
      String group = "group-" + next++;
      int size = 2 + random.nextInt(3);
      int cpu = 1 + random.nextInt(3);
      boolean complete = random.nextInt(3) > 0;
      for (int i = 0; i < (complete ? size : size - 1); i++) {
        String name = group + "-" + i;
        // Only single pods are deleted, because a group without one of its pods is incomplete.
        cluster.create(
            name,
            String.valueOf(cpu),
            Map.of(
                "sched.cloud.ctrip.com/group",
                group,
                "sched.cloud.ctrip.com/group-min",
                String.valueOf(size)),
            0);
        if (!complete) {
          incomplete.add(name);
        }
      }
    }

    private void create(String name, int cpu, Map<String, String> annotations) {
      names.add(name);
      if (life == Life.QUIET) {
        cluster.create(name, String.valueOf(cpu), annotations, 0);
        return;
      }
      cluster.create(name, String.valueOf(cpu), annotations, random.nextInt(4) == 0 ? 1000 : 0);
      if (random.nextInt(3) == 0) {
        cluster.enqueue(name, LIMITED);
      }
      if (random.nextInt(2) == 0) {
        cluster.own(name);
      }
    }
  }

  private static Result run(
      KubernetesClient client, long seed, Rules rules, Life life, boolean asBerth) {
    ModelCluster cluster = new ModelCluster(client, asBerth);
    if (life == Life.BUSY) {
      cluster.createQueue("all", Optional.empty());
      cluster.createQueue(LIMITED, Optional.of("3"));
    }
    for (int i = 0; i < 3; i++) {
      cluster.join(SMALL.offered("first-" + i), true);
    }
    Autoscaler autoscaler =
        new Autoscaler(
            client,
            cluster,
            CapacityRequests.NONE,
            rules,
            List.of(SMALL, LARGE),
            new Autoscaler.Times(life.unneeded, Duration.ofMinutes(15)),
            line -> {});
    Tenants tenants = new Tenants(seed, cluster, life);
    Instant now = Instant.EPOCH.plus(Duration.ofDays(1));
    int held = 0;
    for (int round = 0; round < ROUNDS; round++) {
      tenants.act();
      int ticks = life == Life.BUSY && round == ROUNDS - 1 ? LAST_TICKS : TICKS;
      for (int tick = 0; tick < ticks; tick++) {
        cluster.schedule(now);
        held += cluster.held().size();
        autoscaler.step(now);
        now = now.plusSeconds(1);
      }
    }
    List<String> missing = new ArrayList<>(cluster.waiting());
    if (asBerth) {
      missing.removeAll(tenants.incomplete);
      missing.removeAll(cluster.held());
    }
    return new Result(autoscaler.bought(), missing, cluster.evicted(), held, cluster.removed());
  }

  @ParameterizedTest
  @EnumSource
  void randomPodsAndGroups_bringNotMoreNodesThanWithTheSignalsOfKubeScheduler(Rules rules) {
    berthAgainstKubeScheduler(rules, Life.QUIET);
  }

  @ParameterizedTest
  @EnumSource
  void evictionsQueuesAndRemovals_bringNotMoreNodesThanWithTheSignalsOfKubeScheduler(Rules rules) {
    List<Result> berth = berthAgainstKubeScheduler(rules, Life.BUSY);

    assertThat(berth)
        .anySatisfy(run -> assertThat(run.evicted()).isPositive())
        .anySatisfy(run -> assertThat(run.held()).isPositive())
        .anySatisfy(run -> assertThat(run.removed()).isPositive());
  }

  /** Compares the nodes that were bought, and returns the runs with Berth. */
  private static List<Result> berthAgainstKubeScheduler(Rules rules, Life life) {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      List<Result> berth =
          IntStream.range(0, life.seeds)
              .mapToObj(seed -> run(client, seed, rules, life, true))
              .toList();
      List<Result> other =
          IntStream.range(0, life.seeds)
              .mapToObj(seed -> run(client, seed, rules, life, false))
              .toList();
      assertThat(berth).allSatisfy(result -> assertThat(result.missing()).isEmpty());
      assertThat(berth.stream().mapToInt(Result::bought).sum())
          .as("%s against %s", berth, other)
          .isPositive()
          .isLessThanOrEqualTo(other.stream().mapToInt(Result::bought).sum());
      return berth;
    }
  }
}
