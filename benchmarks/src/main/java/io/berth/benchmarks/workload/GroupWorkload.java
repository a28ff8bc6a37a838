package io.berth.benchmarks.workload;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import java.time.Instant;
import java.util.Arrays;

/**
 * Groups of pods: many groups that fit, and a stream of pods that fit next to many groups that do
 * not.
 */
final class GroupWorkload {
  private static final int NODES = 5_000;
  private static final int GROUP_SIZE = 100;
  private static final PodKind POD = PodKind.plain(100, 500 * PodKind.MIB);

  /** A pod that requires a whole node. */
  private static final PodKind LARGE = PodKind.plain(4_000, 500 * PodKind.MIB);

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final int STREAM = 20_000;
  private static final int STREAM_PODS_PER_SECOND = 2_000;
  private static final int LIVING = 2_000;

  private GroupWorkload() {}

  private static PodModel member(PodKind kind, int group, int number) {
    GroupRef ref = new GroupRef(GroupDialect.BERTH, PodKind.NAMESPACE, "group-" + group);
    return Pods.from(kind.pod("group-" + group + "-" + number, ""))
        .memberOf(GroupModel.of(ref, GROUP_SIZE))
        .build();
  }

  private static Cluster cluster(int groups, PodKind kind) {
    Cluster cluster = new Cluster();
    cluster.addNodes(NODES);
    for (int group = 0; group < groups; group++) {
      for (int i = 0; i < GROUP_SIZE; i++) {
        cluster.addPod(member(kind, group, i));
      }
    }
    return cluster;
  }

  /** Measures the placement of 200 groups of 100 pods, from the queue to the assumed pod. */
  static Measurement placed() {
    int groups = 200;
    Cluster cluster = cluster(groups, POD);
    return cluster.measurePlacing("Groups", groups * GROUP_SIZE);
  }

  /**
   * Measures a stream of small pods, of which 2,000 run at a time, while groups are pending whose
   * pods each require an empty node and every node is in use. Times are CPU times of the engine's
   * thread.
   *
   * @param groups the number of groups; 0 to measure only the stream
   */
  static Measurement streamBeside(int groups, String name) {
    Cluster cluster = cluster(groups, LARGE);
    for (int i = 0; i < NODES; i++) {
      cluster.addPod(POD.pod("running-" + i, "node-" + i));
    }
    cluster.drain(START);
    long[] nanos = new long[STREAM];
    Meter meter = Meter.start(cluster);
    for (int i = 0; i < STREAM; i++) {
      Instant now = START.plusNanos(i * 1_000_000_000L / STREAM_PODS_PER_SECOND);
      PodModel pod = POD.pod("stream-" + i, "");
      long start = ProcessorTime.ofThisThread();
      cluster.apply(new ClusterEvent.PodUpserted(pod), now);
      cluster.drain(now);
      if (i >= LIVING) {
        int gone = i - LIVING;
        PodRef ref = new PodRef(PodKind.NAMESPACE, "stream-" + gone, "uid-stream-" + gone);
        cluster.apply(new ClusterEvent.PodRemoved(ref), now);
      }
      cluster.drain(now);
      nanos[i] = ProcessorTime.ofThisThread() - start;
    }
    return meter.stop(name, Arrays.stream(nanos).sum(), nanos, cluster);
  }
}
