package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.SpreadConstraint;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An engine that opens and closes whole zones decides the same as one that has a verdict for each
 * node. The other engine gets each hard spread constraint twice, which means the same, but is not
 * handled by zones.
 */
class ClosedDomainsEqualNodesTest {
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String HOST = "kubernetes.io/hostname";
  private static final int NODES = 600;
  private static final int APPS = 4;
  private static final int STEPS = 600;
  private static final int POOLS = 30;

  /** The pool that has no room without evictions. */
  private static final int POOL = 7;

  private final Engine byZone = new Engine(EngineOptions.defaults());
  private final Engine byNode = new Engine(EngineOptions.defaults());
  private final List<PodModel> placed = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private int zones = 3;
  private int names;
  private int selected;
  private int preempted;
  private int rejected;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void theSameNodesAreSelected_whicheverZonesAreFull(int seed) {
    Random random = new Random(seed);
    apply(
        new ClusterEvent.PolicyServed(TestCluster.policy("test", SchedulingPolicySpec.defaults())));
    for (int i = 0; i < NODES; i++) {
      apply(new ClusterEvent.NodeUpserted(node(i, random)));
    }
    for (int i = POOL; i < NODES; i += POOLS) {
      fill("n" + i);
    }
    for (int step = 0; step < STEPS; step++) {
      change(random);
      decide(pod(random), random, "seed " + seed + ", step " + step);
    }

    assertThat(selected).as("pods with a node").isGreaterThan(STEPS / 4);
    assertThat(rejected).as("pods without a node").isPositive();
    assertThat(preempted).as("pods that evict others").isPositive();
  }

  private NodeModel node(int number, Random random) {
    Nodes node = Nodes.node("n" + number).milliCpu(500 + 100L * random.nextInt(6));
    if (random.nextInt(10) > 0) {
      node.label(ZONE, "z" + random.nextInt(zones));
    }
    return node.label("pool", "pool" + number % POOLS).build();
  }

  private PodModel pod(Random random) {
    String app = "app" + random.nextInt(APPS);
    LabelSelector own = LabelSelector.ofPairs(Map.of("app", app));
    String name = "pod-" + names++;
    // Each app has one kind of pods, so that plans are used again. The last needs evictions.
    int kind = app.charAt(3) - '0';
    AffinityTerm term =
        new AffinityTerm(Set.of("default"), LabelSelector.nothing(), own, kind == 1 ? HOST : ZONE);
    boolean pinned = kind == APPS - 1;
    return Pods.pod(name)
        .policy("test")
        .ref(new PodRef("default", name, "uid-" + name))
        .labels(Map.of("app", app))
        .milliCpu(pinned ? 400 : 200)
        .priority(pinned ? 10 : 0)
        .nodes(
            pinned
                ? new NodeSelection(Map.of("pool", "pool" + POOL), Optional.empty(), List.of())
                : NodeSelection.none())
        .affinity(
            kind == 1 || (kind == 2 && random.nextInt(3) == 0)
                ? new PodAffinity(List.of(), List.of(term), List.of(), List.of())
                : PodAffinity.none())
        .spread(
            List.of(
                new SpreadConstraint(
                    1 + kind % 2, ZONE, true, own, kind == 2 ? 3 : 1, true, kind == 1)))
        .build();
  }

  private static PodModel doubled(PodModel pod) {
    List<SpreadConstraint> twice =
        pod.spec().spread().stream().flatMap(each -> Stream.of(each, each)).toList();
    return Pods.from(pod).spread(twice).build();
  }

  private void apply(ClusterEvent event) {
    apply(event, event);
  }

  private void apply(ClusterEvent event, ClusterEvent ofOther) {
    now = now.plusMillis(10);
    byZone.apply(event, now);
    byNode.apply(ofOther, now);
  }

  private void put(PodModel pod) {
    apply(new ClusterEvent.PodUpserted(pod), new ClusterEvent.PodUpserted(doubled(pod)));
  }

  private void change(Random random) {
    switch (random.nextInt(24)) {
      case 0, 1, 2 -> apply(new ClusterEvent.NodeUpserted(node(random.nextInt(NODES), random)));
      case 3 -> apply(new ClusterEvent.NodeRemoved("n" + random.nextInt(NODES)));
      case 4, 5, 6, 7, 8, 9 -> removeOne(random);
      case 10, 11 -> fill("n" + (POOL + POOLS * random.nextInt(NODES / POOLS)));
      case 12 -> {
        if (random.nextInt(4) == 0) {
          // With many zones, nodes are handled one by one; with few, zones are sets again.
          zones = zones == 3 ? 24 : 3;
          for (int i = 0; i < NODES; i++) {
            apply(new ClusterEvent.NodeUpserted(node(i, random)));
          }
        }
      }
      default -> {
        // The next pod arrives at once.
      }
    }
  }

  /** Places a pod of low priority that takes a node's room. */
  private void fill(String node) {
    put(Pods.pod("filler-" + names++).milliCpu(900).on(node).build());
  }

  private void removeOne(Random random) {
    if (!placed.isEmpty()) {
      apply(new ClusterEvent.PodRemoved(placed.remove(random.nextInt(placed.size())).ref()));
    }
  }

  private void decide(PodModel pod, Random random, String when) {
    put(pod);
    Outcome actual = byZone.next(now);
    Outcome expected = byNode.next(now);
    assertThat(actual).as(when).hasSameClassAs(expected);
    if (actual instanceof Decision one && expected instanceof Decision other) {
      assertThat(one.pod()).as(when).isEqualTo(other.pod());
      assertThat(one.record().message()).as(when).isEqualTo(other.record().message());
      assertThat(one.record().feasibleNodes()).as(when).isEqualTo(other.record().feasibleNodes());
      assertThat(one.record().rejections()).as(when).isEqualTo(other.record().rejections());
      assertThat(one.record().bestNodes()).as(when).isEqualTo(other.record().bestNodes());
    }
    if (actual instanceof Decision.Placed one && expected instanceof Decision.Placed other) {
      assertThat(one.nodeName()).as(when).isEqualTo(other.nodeName());
      selected++;
      if (random.nextInt(4) > 0) {
        apply(new ClusterEvent.BindingConfirmed(one.pod()));
        put(Pods.from(pod).on(one.nodeName()).build());
        placed.add(pod);
        return;
      }
      apply(new ClusterEvent.BindingFailed(one.pod(), "conflict", true));
    } else if (actual instanceof Decision.Nominated one
        && expected instanceof Decision.Nominated other) {
      assertThat(one.nodeName()).as(when).isEqualTo(other.nodeName());
      assertThat(one.victims()).as(when).isEqualTo(other.victims());
      preempted++;
    } else {
      rejected++;
    }
    apply(new ClusterEvent.PodRemoved(pod.ref()));
  }
}
