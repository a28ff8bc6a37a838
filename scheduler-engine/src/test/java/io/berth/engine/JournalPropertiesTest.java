package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.journal.Journal;
import io.berth.engine.model.HostPort;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodVolume;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Holding;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import io.berth.engine.volume.VolumeStep;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random changes, with nested savepoints that are kept or rolled back, and answers read at any
 * time: the state is as if the undone changes had never been made, and every answer equals that of
 * a new engine.
 */
class JournalPropertiesTest {
  private static final int NODES = 12;
  private static final int PODS = 40;
  private static final int WAITING = 20;
  private static final int ROUNDS = 12;

  /** The state that must be unchanged after a rollback. */
  private record Snapshot(
      Map<String, Integer> slots,
      Map<String, Long> arrivals,
      Map<String, List<Holding>> holdings,
      Map<String, List<String>> nominations,
      int assumptions,
      List<Boolean> ports) {}

  private final CompiledPolicy policy = TestCluster.policy("test", SchedulingPolicySpec.defaults());
  private final Engine engine = new Engine(EngineOptions.defaults());
  private final ClusterState state = engine.state();
  private final Nominations nominations = engine.nominations();
  private final List<NodeModel> nodes = new ArrayList<>();
  private final List<PodEntry> pods = new ArrayList<>();

  /** Pending pods; answers are read for their shapes. */
  private final List<PodEntry> waiting = new ArrayList<>();

  private final Deque<Journal.Savepoint> open = new ArrayDeque<>();
  private final Deque<Snapshot> snapshots = new ArrayDeque<>();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void whatIsTakenBack_leavesNoTrace_andAnswersAreThoseOfANewEngine(int seed) {
    Random random = new Random(seed);
    RandomCluster objects = new RandomCluster(random);
    for (int i = 0; i < NODES; i++) {
      NodeModel node = objects.node(i);
      nodes.add(node);
      state.putNode(node);
    }
    for (int i = 0; i < PODS; i++) {
      pods.add(state.addPod(withHoldings(objects.pod(), random)));
    }
    for (int i = 0; i < WAITING; i++) {
      waiting.add(state.addPod(withHoldings(objects.pod(), random)));
    }
    for (int round = 0; round < ROUNDS; round++) {
      for (int step = 0; step < 60; step++) {
        step(random);
      }
      while (!open.isEmpty()) {
        close(random);
      }
      assertThat(state.journal().size()).isZero();
      answersAreThoseOfANewEngine("seed " + seed + ", round " + round);
    }
  }

  /**
   * Returns the pod, sometimes with a host port and a disk that pods on the same node cannot share.
   */
  private static PodModel withHoldings(PodModel pod, Random random) {
    List<HostPort> ports =
        random.nextInt(3) > 0
            ? List.of()
            : List.of(new HostPort(HostPort.ANY_IP, "TCP", 80 + random.nextInt(3)));
    List<PodVolume> volumes =
        random.nextInt(3) > 0
            ? List.of()
            : List.of(new PodVolume.Disk("gcePersistentDisk", "disk-" + random.nextInt(3), false));
    return Pods.from(pod).ports(ports).volumes(volumes).build();
  }

  private void step(Random random) {
    PodEntry pod = pods.get(random.nextInt(PODS));
    String uid = pod.ref().uid();
    int slot = random.nextInt(NODES);
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> state.place(pod, slot);
      case 3 -> state.assume(pod, slot);
      case 4 -> state.displace(pod);
      case 5 -> state.takeOff(pod);
      case 6 -> nominations.nominate(uid, nodes.get(slot).name());
      case 7 -> nominations.end(uid);
      case 8 -> {
        if (random.nextBoolean()) {
          state
              .storage()
              .assume(uid, List.of(new VolumeStep.Provision("a", "claim-" + uid, "n0", "1")));
        } else {
          state.storage().forget(uid);
        }
      }
      case 9 -> {
        open.push(state.journal().savepoint());
        snapshots.push(snapshot());
      }
      case 10 -> {
        if (!open.isEmpty()) {
          close(random);
        }
      }
      default -> read(plan(engine, waiting.get(random.nextInt(WAITING))));
    }
    if (!open.isEmpty() && random.nextInt(10) == 0 && pod.slot() != PodEntry.NOWHERE) {
      state.evictInDryRun(pod);
    }
  }

  /**
   * Closes an open savepoint; if it is not the last one, those inside it are closed in the same
   * way.
   */
  private void close(Random random) {
    int outwards = random.nextInt(open.size());
    for (int i = 0; i < outwards; i++) {
      open.pop();
      snapshots.pop();
    }
    Journal.Savepoint point = open.pop();
    Snapshot before = snapshots.pop();
    if (random.nextInt(3) > 0) {
      state.journal().rollback(point);
      assertThat(snapshot()).isEqualTo(before);
    } else {
      state.journal().keep(point);
    }
  }

  private Snapshot snapshot() {
    Map<String, Integer> slots = new TreeMap<>();
    Map<String, Long> arrivals = new TreeMap<>();
    Map<String, List<Holding>> holdings = new TreeMap<>();
    Map<String, List<String>> nominated = new TreeMap<>();
    List<Boolean> ports = new ArrayList<>();
    for (PodEntry pod : pods) {
      slots.put(pod.ref().uid(), pod.slot());
      arrivals.put(pod.ref().uid(), pod.arrival());
      holdings.put(pod.ref().uid(), List.copyOf(pod.holdings()));
    }
    nominations.nodes().forEach(node -> nominated.put(node, List.copyOf(nominations.podsOn(node))));
    for (int slot = 0; slot < NODES; slot++) {
      for (int port = 80; port < 83; port++) {
        ports.add(
            state.hostPorts().conflict(slot, List.of(new HostPort(HostPort.ANY_IP, "TCP", port))));
      }
    }
    return new Snapshot(slots, arrivals, holdings, nominated, state.storage().assumptions(), ports);
  }

  private ShapePlan plan(Engine of, PodEntry pod) {
    return of.plans().planFor(0, policy, of.plans().shapeOf(pod, policy));
  }

  private void read(ShapePlan plan) {
    NodeSet feasible = state.nodes().alive();
    plan.filters().forEach(NodeFilter::refresh);
    plan.scorers().forEach(scorer -> scorer.refresh(feasible));
  }

  /** Compares with an engine without dry runs, with the same pods on the same nodes. */
  private void answersAreThoseOfANewEngine(String when) {
    // Ports that were forgotten in a dry run are counted again once their pods move.
    for (PodEntry pod : pods) {
      if (pod.slot() != PodEntry.NOWHERE) {
        state.place(pod, pod.slot());
      }
    }
    Engine fresh = new Engine(EngineOptions.defaults());
    nodes.forEach(fresh.state()::putNode);
    List<PodEntry> copies = new ArrayList<>();
    waiting.forEach(pod -> copies.add(fresh.state().addPod(pod.model())));
    for (PodEntry pod : pods) {
      PodEntry copy = fresh.state().addPod(asBound(pod));
      if (pod.slot() != PodEntry.NOWHERE) {
        fresh.state().place(copy, pod.slot());
      }
    }
    for (int i = 0; i < WAITING; i++) {
      ShapePlan living = plan(engine, waiting.get(i));
      ShapePlan rebuilt = plan(fresh, copies.get(i));
      read(living);
      read(rebuilt);
      assertThat(living.filterNames()).as(when).isEqualTo(rebuilt.filterNames());
      for (int filter = 0; filter < living.filters().size(); filter++) {
        assertThat(verdicts(living.filters().get(filter)))
            .as(when + ", " + waiting.get(i) + ", " + living.filterNames().get(filter))
            .isEqualTo(verdicts(rebuilt.filters().get(filter)));
      }
      for (int scorer = 0; scorer < living.scorers().size(); scorer++) {
        assertThat(scores(living.scorers().get(scorer)))
            .as(when + ", " + pods.get(i) + ", scorer " + scorer)
            .isEqualTo(scores(rebuilt.scorers().get(scorer)));
      }
    }
  }

  /** Returns the pod as seen after its Binding; its cards depend on the history. */
  private PodModel asBound(PodEntry pod) {
    return pod.slot() == PodEntry.NOWHERE
        ? pod.model()
        : Pods.from(pod.model())
            .on(state.nodes().name(pod.slot()))
            .givenCards(state.cards().assignmentOf(pod))
            .build();
  }

  private static List<Optional<String>> verdicts(NodeFilter filter) {
    List<Optional<String>> verdicts = new ArrayList<>();
    for (int slot = 0; slot < NODES; slot++) {
      int verdict = filter.verdictAt(slot);
      verdicts.add(
          verdict == NodeFilter.PASSES
              ? Optional.empty()
              : Optional.of(filter.verdict(verdict).toString()));
    }
    return verdicts;
  }

  private static List<Integer> scores(NodeScorer scorer) {
    List<Integer> scores = new ArrayList<>();
    for (int slot = 0; slot < NODES && !scorer.isSkipped(); slot++) {
      scores.add(scorer.raw(slot));
    }
    return scores;
  }
}
