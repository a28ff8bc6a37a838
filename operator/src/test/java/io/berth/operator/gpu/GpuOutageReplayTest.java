package io.berth.operator.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.QueueCounts;
import io.berth.engine.cards.CardMap;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardInventory;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.operator.gpu.CardProtocol.Placement;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A replay of the outage in which GPU pods whose annotations changed during scheduling were
 * scheduled twice and held resources that nobody used: 10,000 pods that fill every card to the last
 * thousandth, whose updates, Bindings, responses and failures reach the engine in random orders.
 * The watch reports the changes of each pod in order, and late.
 */
class GpuOutageReplayTest {
  private static final int NODES = 125;
  private static final int CARDS = 8;
  private static final int PODS = NODES * CARDS * 10;
  private static final int CREATED_AT_ONCE = 200;

  private final Engine engine = new Engine(EngineOptions.defaults());
  private final KubeEvents events = new KubeEvents(new CardProtocols());
  private final Map<String, Node> nodes = new HashMap<>();
  private final Map<String, Pod> store = new TreeMap<>();
  private final Map<String, Deque<Pod>> watches = new HashMap<>();
  private final List<Runnable> open = new ArrayList<>();
  private final Map<String, Integer> placements = new HashMap<>();
  private final Map<String, Integer> failures = new HashMap<>();
  private final List<String> refusals = new ArrayList<>();
  private Random random = new Random();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private void begin() {
    switch (new PolicyCompiler().compile("default", "1", SchedulingPolicySpec.defaults())) {
      case PolicyCompilation.Compiled compiled ->
          apply(new ClusterEvent.PolicyServed(compiled.policy()));
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException(invalid.problems().toString());
    }
    apply(new ClusterEvent.DefaultPolicyChanged("default"));
    String inventory =
        IntStream.range(0, CARDS)
            .mapToObj("{\"index\":%d,\"memory\":16384}"::formatted)
            .collect(Collectors.joining(",", "[", "]"));
    for (int i = 0; i < NODES; i++) {
      Node node = GpuObjects.plainNode("node-" + i, inventory);
      nodes.put("node-" + i, node);
      apply(events.upserted(node));
    }
  }

  private void apply(ClusterEvent event) {
    engine.apply(event, now);
  }

  private void put(Pod pod) {
    String name = pod.getMetadata().getName();
    store.put(name, pod);
    watches.computeIfAbsent(name, absent -> new ArrayDeque<>()).add(pod);
    open.add(() -> apply(events.upserted(watches.get(name).remove())));
  }

  /** Changes the pod from another client, at some time. */
  private void patchLater(String name) {
    open.add(
        () -> put(GpuObjects.annotated(store.get(name), Map.of("written", "" + random.nextInt()))));
  }

  private void create(String name) {
    put(GpuObjects.pod(name, GpuObjects.container("c", Map.of(PlainCards.MILLI_GPU, "100"))));
    patchLater(name);
    patchLater(name);
  }

  private void decide() {
    Outcome outcome = engine.next(now);
    while (!(outcome instanceof Idle)) {
      switch (outcome) {
        case Decision.Placed placed -> {
          placements.merge(placed.pod().name(), 1, Integer::sum);
          open.add(() -> bind(placed));
        }
        case Decision.Unschedulable unschedulable -> refusals.add(unschedulable.message());
        default -> throw new IllegalStateException("" + outcome);
      }
      outcome = engine.next(now);
    }
    now = now.plus(Duration.ofMillis(200));
  }

  /**
   * Binds a pod. One Binding in ten fails; for the others, the response arrives before or after the
   * watch event.
   */
  private void bind(Decision.Placed placed) {
    String name = placed.pod().name();
    if (random.nextInt(10) == 0) {
      failures.merge(name, 1, Integer::sum);
      apply(new ClusterEvent.BindingFailed(placed.pod(), "the server is overloaded", true));
      return;
    }
    CardInventory cards = new CardProtocols().inventory(nodes.get(placed.nodeName()));
    Pod pod = store.get(name);
    Map<String, String> written =
        new PlainCards()
            .write(
                new Placement(
                    placed.pod(),
                    CardProtocols.podOf(pod).orElseThrow(),
                    placed.assignment(CardAssignment.class).orElseThrow(),
                    placed.nodeName(),
                    cards,
                    now))
            .annotations();
    put(GpuObjects.bound(pod, placed.nodeName(), written));
    open.add(() -> apply(new ClusterEvent.BindingConfirmed(placed.pod())));
    patchLater(name);
  }

  private void runUntil(int left) {
    while (open.size() > left) {
      int drawn = random.nextInt(open.size());
      Runnable action = open.get(drawn);
      open.set(drawn, open.getLast());
      open.removeLast();
      action.run();
      decide();
    }
  }

  private int waiting() {
    QueueCounts counts = engine.queueCounts();
    return counts.active() + counts.backoff() + counts.unschedulable();
  }

  private void delete(String name) {
    apply(events.removed(store.remove(name)));
  }

  private static Map<String, List<Integer>> used(Engine by) {
    Map<String, List<Integer>> used = new TreeMap<>();
    for (CardMap map : by.cardMaps()) {
      used.put(map.nodeName(), map.cards().stream().map(CardMap.CardUse::usedMilliCores).toList());
    }
    return used;
  }

  /** Returns the used cards according to the annotations of all pods, without an engine. */
  private Map<String, List<Integer>> usedFromScratch() {
    Map<String, List<Integer>> used = new TreeMap<>();
    for (String node : nodes.keySet()) {
      used.put(node, new ArrayList<>(IntStream.range(0, CARDS).mapToObj(card -> 0).toList()));
    }
    for (Pod pod : store.values()) {
      String given = pod.getMetadata().getAnnotations().get(CardAssignment.ANNOTATION);
      int card = Integer.parseInt(given.replaceAll("[^0-9]", ""));
      List<Integer> cards = used.get(pod.getSpec().getNodeName());
      cards.set(card, cards.get(card) + 100);
    }
    return used;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void tenThousandPods_areScheduledOnce_andEveryCardIsCountedOnce(long seed) {
    random = new Random(seed);
    begin();
    for (int i = 0; i < PODS; i++) {
      create("pod-" + i);
      runUntil(CREATED_AT_ONCE);
    }
    while (!open.isEmpty() || waiting() > 0) {
      runUntil(0);
      now = now.plus(Duration.ofSeconds(20)); // pods whose Binding failed are retried
      decide();
    }

    assertThat(refusals).as("messages of FailedScheduling").isEmpty();
    assertThat(placements).hasSize(PODS);
    assertThat(placements)
        .allSatisfy(
            (pod, times) -> assertThat(times).as(pod).isEqualTo(1 + failures.getOrDefault(pod, 0)));
    assertThat(failures).hasSizeGreaterThan(PODS / 20);
    assertThat(used(engine).values())
        .allSatisfy(cards -> assertThat(cards).hasSize(CARDS).containsOnly(1_000));
    assertThat(used(engine)).isEqualTo(usedFromScratch());

    for (int i = 0; i < PODS; i += 3) {
      delete("pod-" + i);
    }
    assertThat(used(engine)).isEqualTo(usedFromScratch());
    Engine restarted = new Engine(EngineOptions.defaults());
    nodes.values().forEach(node -> restarted.apply(events.upserted(node), now));
    store.values().forEach(pod -> restarted.apply(events.upserted(pod), now));
    assertThat(used(restarted)).isEqualTo(usedFromScratch());
  }
}
