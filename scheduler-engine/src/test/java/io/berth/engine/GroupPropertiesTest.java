package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.GroupTopology;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.RunTime;
import io.berth.engine.queue.Nominations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Groups on random clusters, with failing Bindings, pods that are created and deleted, and
 * restarts: no group ever holds resources with a part that is useless by itself.
 */
class GroupPropertiesTest {
  private static final String RACK = "topology.kubernetes.io/rack";
  private static final int STEPS = 120;

  /** A cluster with its own API server, from which a new engine can be restored. */
  private static final class World {
    private final Random random;
    private final Map<String, NodeModel> nodes = new LinkedHashMap<>();
    private final Map<String, PodModel> pods = new LinkedHashMap<>();
    private final Map<String, String> binding = new LinkedHashMap<>();
    private final List<GroupModel> groups = new ArrayList<>();

    /** Groups with deleted members: the remaining ones may be fewer than the minimum. */
    private final Set<GroupRef> bereaved = new HashSet<>();

    private TestCluster cluster = newEngine();
    private int names;

    World(long seed) {
      this.random = new Random(seed);
      for (int i = 0; i < 2 + random.nextInt(6); i++) {
        putNode("n" + i);
      }
    }

    private static TestCluster newEngine() {
      return new TestCluster(EngineOptions.defaults());
    }

    void putNode(String name) {
      NodeModel node =
          Nodes.node(name)
              .label(RACK, "rack-" + name.hashCode() % 2)
              .milliCpu(1_000L * (1 + random.nextInt(6)))
              .build();
      nodes.put(name, node);
      cluster.apply(new ClusterEvent.NodeUpserted(node));
    }

    void putGroup() {
      GroupRef ref = new GroupRef(GroupDialect.BERTH, "default", "g" + groups.size());
      GroupModel group =
          GroupModel.of(ref, 1 + random.nextInt(5)).disruptedBy(GroupDisruption.GROUP);
      if (random.nextInt(3) == 0) {
        group = group.within(new GroupTopology(RACK, random.nextBoolean()));
      }
      groups.add(group);
      int members = group.minMember() + random.nextInt(3) - 1;
      for (int i = 0; i < members; i++) {
        putMember(group);
      }
    }

    void putMember(GroupModel group) {
      put(
          Pods.pod("p" + names++)
              .milliCpu(500L * (1 + random.nextInt(3)))
              .priority(random.nextInt(3))
              .runTime(runTime())
              .memberOf(group)
              .build());
    }

    RunTime runTime() {
      return switch (random.nextInt(3)) {
        case 0 -> RunTime.endless();
        case 1 -> RunTime.toCompletion();
        default -> RunTime.of(Duration.ofMinutes(1 + random.nextInt(20)));
      };
    }

    /** Finishes a pod that ends by itself, successfully. */
    void finish(PodModel pod) {
      if (pod.nodeName().isEmpty() || !pod.runTime().ends()) {
        return;
      }
      PodModel finished = Pods.from(pod).succeeded().build();
      pods.remove(pod.ref().uid());
      pod.group().ifPresent(membership -> bereaved.add(membership.group()));
      cluster.apply(new ClusterEvent.PodUpserted(finished));
    }

    void put(PodModel pod) {
      pods.put(pod.ref().uid(), pod);
      cluster.apply(new ClusterEvent.PodUpserted(pod));
    }

    void remove(PodModel pod) {
      pods.remove(pod.ref().uid());
      binding.remove(pod.ref().uid());
      pod.group().ifPresent(membership -> bereaved.add(membership.group()));
      cluster.apply(new ClusterEvent.PodRemoved(pod.ref()));
    }

    Optional<PodModel> any() {
      List<PodModel> all = new ArrayList<>(pods.values());
      return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    Optional<String> anyBinding() {
      List<String> all = new ArrayList<>(binding.keySet());
      return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    void bind(String uid) {
      String nodeName = binding.remove(uid);
      PodModel pod =
          Pods.from(pods.get(uid)).on(nodeName).startedAt(Optional.of(cluster.now())).build();
      pods.put(uid, pod);
      cluster.apply(new ClusterEvent.BindingConfirmed(pod.ref()));
      cluster.apply(new ClusterEvent.PodUpserted(pod));
    }

    void failBinding(String uid) {
      binding.remove(uid);
      PodModel pod = pods.get(uid);
      boolean retry = random.nextInt(3) > 0;
      if (!retry) {
        remove(pod);
      } else {
        cluster.apply(new ClusterEvent.BindingFailed(pod.ref(), "conflict", true));
      }
    }

    /** Restarts the process; pending Bindings may have succeeded or not. */
    void restart() {
      for (String uid : List.copyOf(binding.keySet())) {
        if (random.nextBoolean()) {
          String nodeName = binding.get(uid);
          pods.put(uid, Pods.from(pods.get(uid)).on(nodeName).build());
        }
      }
      binding.clear();
      TestCluster before = cluster;
      cluster = newEngine();
      cluster.later(Duration.between(cluster.now(), before.now()));
      nodes.values().forEach(node -> cluster.apply(new ClusterEvent.NodeUpserted(node)));
      pods.values().forEach(pod -> cluster.apply(new ClusterEvent.PodUpserted(pod)));
    }

    void decide(int atMost) {
      for (int i = 0; i < atMost; i++) {
        switch (cluster.next()) {
          case Decision.Placed placed -> binding.put(placed.pod().uid(), placed.nodeName());
          case Decision.GivenBack back -> giveBack(back.pod());
          case Decision.Quarantined failed -> throw new AssertionError(failed.cause());
          case Decision.Nominated nominated -> nominated.victims().forEach(this::evict);
          case Decision.Unschedulable ignored -> {
            // It is pending.
          }
          case AdviceRequest adviceRequest ->
              throw new AssertionError("asks for advice: " + adviceRequest);
          case Idle idle -> {
            if (!idle.until().isReached(cluster.now())) {
              return;
            }
          }
        }
      }
    }

    private void evict(PodRef victim) {
      remove(pods.get(victim.uid()));
    }

    private void giveBack(PodRef ref) {
      PodModel pod = pods.get(ref.uid());
      if (binding.remove(ref.uid()) != null) {
        cluster.apply(new ClusterEvent.BindingFailed(ref, "given back", true));
      } else {
        // Its controller creates a replacement.
        pods.remove(ref.uid());
        cluster.apply(new ClusterEvent.PodRemoved(ref));
        put(Pods.from(pod).ref(new PodRef("default", "p" + names, "uid-p" + names)).on("").build());
        names++;
      }
    }

    /** Lets the cluster settle: Bindings succeed, and time passes. */
    void settle() {
      for (int i = 0; i < 60; i++) {
        decide(10_000);
        List.copyOf(binding.keySet()).forEach(this::bind);
        cluster.later(Duration.ofSeconds(30));
      }
    }

    void check() {
      Map<GroupRef, Integer> placed = new HashMap<>();
      for (PodModel pod : pods.values()) {
        if (!pod.nodeName().isEmpty() && pod.group().isPresent()) {
          placed.merge(pod.group().get().group(), 1, Integer::sum);
        }
      }
      for (GroupModel group : groups) {
        int count = placed.getOrDefault(group.ref(), 0);
        if (!bereaved.contains(group.ref())) {
          assertThat(count == 0 || count >= group.minMember())
              .as("%s has %d of at least %d", group.ref(), count, group.minMember())
              .isTrue();
        }
      }
      nominationsAreOfPodsThatWait();
      notOvercommitted();
      inOneRack();
      assertThat(cluster.engine.state().journal().size()).isZero();
    }

    private void nominationsAreOfPodsThatWait() {
      Nominations nominations = cluster.engine.nominations();
      for (String node : nominations.nodes()) {
        for (String uid : nominations.podsOn(node)) {
          assertThat(pods.get(uid)).as("nominated to " + node).isNotNull();
          assertThat(pods.get(uid).nodeName()).isEmpty();
        }
      }
    }

    private void notOvercommitted() {
      Map<String, Long> used = new HashMap<>();
      pods.values()
          .forEach(
              pod ->
                  used.merge(
                      pod.nodeName(), pod.spec().requests().held().amountOf("cpu"), Long::sum));
      nodes.forEach(
          (name, node) ->
              assertThat(used.getOrDefault(name, 0L))
                  .as("CPU of " + name)
                  .isLessThanOrEqualTo(node.allocatable().amountOf("cpu")));
    }

    private void inOneRack() {
      for (GroupModel group : groups) {
        if (group.topology().isEmpty()
            || !group.topology().get().required()
            || bereaved.contains(group.ref())) {
          continue;
        }
        long together =
            pods.values().stream()
                .filter(pod -> pod.group().filter(it -> it.group().equals(group.ref())).isPresent())
                .filter(pod -> !pod.nodeName().isEmpty())
                .map(pod -> nodes.get(pod.nodeName()).labels().get(RACK))
                .distinct()
                .count();
        assertThat(together).as("racks of " + group.ref()).isLessThanOrEqualTo(1);
      }
    }
  }

  @Property(tries = 150, shrinking = ShrinkingMode.OFF)
  void atRest_everyGroupHasNothingOrItsMinimum(@ForAll long seed) {
    World world = new World(seed);
    for (int step = 0; step < STEPS; step++) {
      world.cluster.later(Duration.ofMillis(world.random.nextInt(20_000)));
      switch (world.random.nextInt(14)) {
        case 0, 1 -> world.putGroup();
        case 2 ->
            world.put(Pods.pod("p" + world.names++).milliCpu(500).runTime(world.runTime()).build());
        case 3 -> world.any().ifPresent(world.random.nextBoolean() ? world::remove : world::finish);
        case 4 -> world.putNode("n" + world.nodes.size());
        case 5, 6 -> world.anyBinding().ifPresent(world::bind);
        case 7 -> world.anyBinding().ifPresent(world::failBinding);
        case 8 -> {
          if (world.random.nextInt(6) == 0) {
            world.restart();
          }
        }
        default -> world.decide(1 + world.random.nextInt(4));
      }
    }
    world.settle();
    world.check();
  }

  /** Groups leave little more of a full cluster unused than single pods do. */
  @Property(tries = 25, shrinking = ShrinkingMode.OFF)
  void fullCluster_isUsedByGroupsAsBySinglePods(@ForAll long seed) {
    long grouped = allocated(seed, true);
    long single = allocated(seed, false);

    assertThat(grouped).isGreaterThanOrEqualTo((long) (single * 0.95));
  }

  private static long allocated(long seed, boolean inGroups) {
    Random random = new Random(seed);
    World world = new World(seed);
    for (int i = 0; i < 40; i++) {
      world.put(Pods.pod("warm-" + i).milliCpu(0).build());
      world.cluster.apply(
          new ClusterEvent.NodeUpserted(Nodes.node("big-" + i).milliCpu(16_000).build()));
    }
    for (int g = 0; g < 150; g++) {
      GroupRef ref = new GroupRef(GroupDialect.BERTH, "default", "g" + g);
      int size = 2 + random.nextInt(7);
      long milliCpu = 500L * (1 + random.nextInt(4));
      for (int i = 0; i < size; i++) {
        Pods pod = Pods.pod("g" + g + "-" + i).milliCpu(milliCpu);
        world.put(inGroups ? pod.memberOf(GroupModel.of(ref, size)).build() : pod.build());
      }
    }
    world.settle();
    return world.pods.values().stream()
        .filter(pod -> !pod.nodeName().isEmpty())
        .mapToLong(pod -> pod.spec().requests().held().amountOf("cpu"))
        .sum();
  }
}
