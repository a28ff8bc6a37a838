package io.berth.benchmarks.workload;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * 20,000 pending pods of 200 queues in three levels, on 5,000 nodes: 4 departments, 36 teams, and
 * 160 leaves. Guarantees cover about half of the pods; 10,000 pods run already, most of them
 * borrowed.
 */
final class QueuesWorkload {
  private static final int NODES = 5_000;
  private static final int DEPARTMENTS = 4;
  private static final int TEAMS = 36;
  private static final int LEAVES = 160;
  private static final int RUNNING = 10_000;
  private static final int PENDING = 20_000;
  private static final long MILLI_CPU = 500;
  private static final Instant BEGIN = Instant.parse("2025-12-31T00:00:00Z");

  private final Cluster cluster = new Cluster();
  private final Random random;

  private QueuesWorkload(long seed) {
    this.random = new Random(seed);
  }

  static Measurement run(String name, long seed, boolean withQueues) {
    QueuesWorkload workload = new QueuesWorkload(seed);
    return workload.run(name, withQueues);
  }

  private Measurement run(String name, boolean withQueues) {
    cluster.addNodes(NODES);
    if (withQueues) {
      addQueues();
    }
    for (int i = 0; i < RUNNING; i++) {
      cluster.addPod(
          Pods.from(pod("running-" + i, i))
              .on("node-" + i % NODES)
              .startedAt(Optional.of(BEGIN.plusSeconds(i)))
              .build());
    }
    for (int i = 0; i < PENDING; i++) {
      cluster.addPod(pod("pod-" + i, i));
    }
    return cluster.measurePlacing(name, PENDING);
  }

  private void addQueues() {
    long perLeaf = MILLI_CPU * PENDING / LEAVES / 2;
    long perTeam = perLeaf * (LEAVES / TEAMS + 1);
    for (int i = 0; i < DEPARTMENTS; i++) {
      add("department-" + i, "", perTeam * (TEAMS / DEPARTMENTS), 1 + i);
    }
    for (int i = 0; i < TEAMS; i++) {
      add("team-" + i, "department-" + i % DEPARTMENTS, perTeam, 1 + i % 3);
    }
    for (int i = 0; i < LEAVES; i++) {
      add("leaf-" + i, "team-" + i % TEAMS, perLeaf, 1 + i % 2);
    }
  }

  private void add(String name, String parent, long milliCpu, int weight) {
    cluster.apply(
        new ClusterEvent.QueueUpserted(
            new QueueModel(
                name,
                parent,
                ResourceAmounts.of(Map.of("cpu", milliCpu)),
                ResourceAmounts.of(Map.of("cpu", 100 * milliCpu)),
                weight,
                0,
                Duration.ZERO,
                Set.of(name),
                LabelSelector.nothing())));
  }

  private PodModel pod(String name, int number) {
    String queue = "leaf-" + random.nextInt(LEAVES);
    return Pods.pod(name)
        .ref(new PodRef(queue, name, "uid-" + name))
        .policy("bench")
        .createdAt(BEGIN.plusMillis(number))
        .milliCpu(MILLI_CPU)
        .memoryBytes(500 * PodKind.MIB)
        .build();
  }
}
