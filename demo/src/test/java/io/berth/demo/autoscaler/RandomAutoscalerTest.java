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

  /**
   * The result of a run.
   *
   * @param bought the number of nodes that were bought
   * @param missing the pods without a node that could have one
   */
  private record Result(int bought, List<String> missing) {}

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
    private final List<String> names = new ArrayList<>();
    private final List<String> incomplete = new ArrayList<>();
    private int next;

    Tenants(long seed, ModelCluster cluster) {
      this.random = new Random(seed);
      this.cluster = cluster;
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
      cluster.create(name, String.valueOf(cpu), annotations, 0);
    }
  }

  private static Result run(KubernetesClient client, long seed, Rules rules, boolean asBerth) {
    ModelCluster cluster = new ModelCluster(client, asBerth);
    for (int i = 0; i < 3; i++) {
      cluster.join(SMALL.promised("first-" + i), true);
    }
    Autoscaler autoscaler =
        new Autoscaler(
            client,
            cluster,
            CapacityRequests.NONE,
            rules,
            List.of(SMALL, LARGE),
            new Autoscaler.Times(Duration.ofHours(1), Duration.ofMinutes(15)),
            line -> {});
    Tenants tenants = new Tenants(seed, cluster);
    Instant now = Instant.EPOCH.plus(Duration.ofDays(1));
    for (int round = 0; round < ROUNDS; round++) {
      tenants.act();
      for (int tick = 0; tick < TICKS; tick++) {
        cluster.schedule(now);
        autoscaler.step(now);
        now = now.plusSeconds(1);
      }
    }
    List<String> missing = new ArrayList<>(cluster.waiting());
    if (asBerth) {
      missing.removeAll(tenants.incomplete);
    }
    return new Result(autoscaler.bought(), missing);
  }

  @ParameterizedTest
  @EnumSource
  void randomPodsAndGroups_bringNotMoreNodesThanWithTheSignalsOfKubeScheduler(Rules rules) {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      List<Result> berth =
          IntStream.range(0, SEEDS).mapToObj(seed -> run(client, seed, rules, true)).toList();
      List<Result> other =
          IntStream.range(0, SEEDS).mapToObj(seed -> run(client, seed, rules, false)).toList();
      assertThat(berth).allSatisfy(result -> assertThat(result.missing()).isEmpty());
      assertThat(berth.stream().mapToInt(Result::bought).sum())
          .isPositive()
          .isLessThanOrEqualTo(other.stream().mapToInt(Result::bought).sum());
    }
  }
}
