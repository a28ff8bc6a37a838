package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodVolume;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.WeightedAffinityTerm;
import io.berth.engine.quantity.ExactQuantity;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeClaim;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Preemptors whose nodes depend on pods of other nodes (spread constraints, affinity), or on limits
 * of volumes, are tried in order of rank too. The result is that of an engine that tries all nodes,
 * as it does when it records everything.
 */
class PreemptionAcrossNodesInOrderTest {
  private static final int NODES = 30;
  private static final int STEPS = 150;
  private static final int KINDS = 6;
  private static final int HIGH = 1_000;
  private static final String DRIVER = "disk.example.com";
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String HOST = "kubernetes.io/hostname";
  private static final EngineOptions BY_NAME =
      EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME);

  private final CompiledPolicy policy = TestCluster.policy("test", SchedulingPolicySpec.defaults());
  private final Engine inOrder = new Engine(BY_NAME);
  private final Engine passing = new Engine(BY_NAME.recordingEverything());
  private final Map<String, PodModel> bound = new LinkedHashMap<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private int names;

  private void apply(ClusterEvent event) {
    inOrder.apply(event, now);
    passing.apply(event, now);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 144, 272, 334, 688, 978})
  void theNodeAndTheVictims_areThoseOfAPassOverAllNodes(int seed) {
    Random random = new Random(seed);
    RandomCluster objects = new RandomCluster(random);
    apply(new ClusterEvent.PolicyServed(policy));
    for (int i = 0; i < NODES; i++) {
      apply(new ClusterEvent.NodeUpserted(objects.node(i)));
      limitVolumes(i, 1 + random.nextInt(20));
    }
    List<PodModel> kinds = new ArrayList<>();
    for (int i = 0; i < KINDS; i++) {
      kinds.add(preemptor(objects.pod(), random));
    }
    for (int i = 0; i < 6 * NODES; i++) {
      bind(random, objects.pod());
    }
    int nominated = 0;
    for (int step = 0; step < STEPS; step++) {
      change(random, objects);
      nominated +=
          preempt(random, kinds.get(random.nextInt(KINDS)), "seed " + seed + ", step " + step);
    }

    assertThat(nominated).as("preemptors that found room").isGreaterThan(STEPS / 10);
    assertThat(inOrder.preemption().dryRuns()).isLessThan(passing.preemption().dryRuns());
  }

  private static PodModel preemptor(PodModel pod, Random random) {
    return Pods.from(pod)
        .priority(HIGH + random.nextInt(2))
        .neverPreempts(false)
        .requests(RandomCluster.requests(800 + 400L * random.nextInt(4), 1L << 30))
        .build();
  }

  private void limitVolumes(int node, int limit) {
    apply(
        new ClusterEvent.StorageUpserted(
            new CsiNode("n" + node, Map.of(DRIVER, limit), Set.of()), "" + names++));
  }

  private void bind(Random random, PodModel pod) {
    PodModel placed =
        RandomCluster.with(pod, pod.labels(), pod.spec(), "n" + random.nextInt(NODES), false);
    upsert(random.nextInt(3) == 0 ? withVolume(placed) : placed);
  }

  /** Returns the pod with a volume that counts towards the limit of its node. */
  private PodModel withVolume(PodModel pod) {
    String namespace = pod.ref().namespace();
    String claim = "claim-" + names++;
    String volume = "volume-of-" + claim;
    apply(
        new ClusterEvent.StorageUpserted(
            new Volume(
                volume,
                Map.of(),
                Optional.of(new Volume.ClaimRef(namespace, claim, "uid-" + claim)),
                "",
                ExactQuantity.ZERO,
                "Filesystem",
                Set.of("ReadWriteOnce"),
                false,
                false,
                Optional.empty(),
                Optional.empty(),
                DRIVER,
                "handle-" + claim,
                ""),
            "1"));
    apply(
        new ClusterEvent.StorageUpserted(
            new VolumeClaim(
                namespace,
                claim,
                "uid-" + claim,
                "",
                "",
                volume,
                true,
                "",
                false,
                false,
                Set.of("ReadWriteOnce"),
                Optional.empty(),
                "Filesystem",
                Optional.empty(),
                ""),
            "1"));
    return Pods.from(pod).volumes(List.of(new PodVolume.Claim(claim, Optional.empty()))).build();
  }

  private void upsert(PodModel pod) {
    bound.put(pod.ref().uid(), pod);
    apply(new ClusterEvent.PodUpserted(pod));
  }

  private void end(PodRef pod) {
    bound.remove(pod.uid());
    apply(new ClusterEvent.PodRemoved(pod));
  }

  private void change(Random random, RandomCluster objects) {
    now = now.plusMillis(10);
    List<PodModel> pods = new ArrayList<>(bound.values());
    PodModel pod = pods.get(random.nextInt(pods.size()));
    switch (random.nextInt(10)) {
      case 0 -> apply(new ClusterEvent.NodeUpserted(objects.node(random.nextInt(NODES))));
      case 1 -> limitVolumes(random.nextInt(NODES), 1 + random.nextInt(20));
      case 2 -> {
        if (bound.size() > 4 * NODES) {
          end(pod.ref());
        }
      }
      case 3, 4 -> bind(random, objects.pod());
      case 5 ->
          upsert(
              RandomCluster.with(
                  pod, objects.labels(), pod.spec(), pod.nodeName(), pod.terminating()));
      case 6 ->
          apply(
              new ClusterEvent.NamespaceUpserted(
                  random.nextBoolean() ? "a" : "b",
                  Map.of("env", random.nextBoolean() ? "prod" : "dev")));
      default -> {
        // The next preemptor starts from the same state.
      }
    }
  }

  /** Returns 1 if the pod preempts others, otherwise 0. */
  private int preempt(Random random, PodModel kind, String when) {
    String name = "preemptor-" + names++;
    PodModel plain =
        RandomCluster.named(kind, new PodRef(kind.ref().namespace(), name, "uid-" + name));
    PodModel pod = random.nextInt(3) == 0 ? withVolume(plain) : plain;
    apply(new ClusterEvent.PodUpserted(pod));
    Decision found = (Decision) inOrder.next(now);
    Decision expected = (Decision) passing.next(now);
    assertThat(TestCluster.describe(found)).as(when).isEqualTo(TestCluster.describe(expected));
    switch (found) {
      case Decision.Placed placed ->
          upsert(RandomCluster.with(pod, pod.labels(), pod.spec(), placed.nodeName(), false));
      case Decision.Nominated nominated when random.nextInt(4) > 0 -> {
        nominated.victims().forEach(this::end);
        upsert(RandomCluster.with(pod, pod.labels(), pod.spec(), nominated.nodeName(), false));
      }
      case Decision.Nominated nominated -> {
        // The nomination for the node is kept.
      }
      default -> apply(new ClusterEvent.PodRemoved(pod.ref()));
    }
    return found instanceof Decision.Nominated ? 1 : 0;
  }

  @Test
  void aSpreadPreemptor_examinesAFewNodes_andNotThoseOfClosedZones() {
    int nodes = 600;
    fill(nodes);
    PodModel high =
        high(
            Pods.pod("high")
                .spread(
                    List.of(
                        new SpreadConstraint(
                            1,
                            ZONE,
                            true,
                            LabelSelector.ofPairs(Map.of("app", "high")),
                            1,
                            true,
                            false))));

    assertThat(examinedBy(high, 30)).isLessThan(30 * 10);
    assertThat(inOrder.preemption().dryRuns()).isLessThan(30 * 4);
  }

  @Test
  void aPreemptorWithAntiAffinityToItsReplicas_examinesAFewNodes() {
    fill(600);
    PodModel high = high(Pods.pod("high").affinity(antiAffinity(HOST)));

    assertThat(examinedBy(high, 30)).isLessThan(30 * 10);
  }

  @Test
  void aPreemptorWithAVolume_examinesAFewNodes_ifNoneIsCloseToItsLimit() {
    fill(600);
    for (int i = 0; i < 600; i++) {
      limitVolumes(i, 25);
    }
    PodModel high = high(Pods.pod("high"));
    assertThat(examinedBy(withVolume(high), 30)).isLessThan(30 * 10);
  }

  @Test
  void theFirstPodWithAntiAffinityToThem_keepsPreemptorsOutOfItsZone() {
    fill(9);
    PodModel high = high(Pods.pod("high"));
    // The selector of the term is known before any pod has anti-affinity.
    bindBeside("friend", new PodAffinity(List.of(), List.of(), preferred(), List.of()), "n8");
    assertThat(nominatedFor(passing, high, "first").nodeName()).isEqualTo("n0");

    bindBeside("unwilling", antiAffinity(ZONE), "n7");

    assertThat(nominatedFor(passing, high, "second").nodeName()).isEqualTo("n2");
  }

  /** Binds a pod that takes no resources, and is never evicted. */
  private void bindBeside(String name, PodAffinity affinity, String nodeName) {
    PodModel pod =
        Pods.pod(name)
            .namespace("team")
            .policy("test")
            .priority(HIGH)
            .affinity(affinity)
            .on(nodeName)
            .build();
    apply(new ClusterEvent.PodUpserted(pod));
  }

  private Decision.Nominated nominatedFor(Engine engine, PodModel kind, String name) {
    PodModel pod =
        RandomCluster.named(kind, new PodRef(kind.ref().namespace(), name, "uid-" + name));
    apply(new ClusterEvent.PodUpserted(pod));
    return (Decision.Nominated) engine.next(now);
  }

  private static PodAffinity antiAffinity(String topologyKey) {
    return new PodAffinity(List.of(), List.of(toPreemptors(topologyKey)), List.of(), List.of());
  }

  private static List<WeightedAffinityTerm> preferred() {
    return List.of(new WeightedAffinityTerm(1, toPreemptors(ZONE)));
  }

  private static AffinityTerm toPreemptors(String topologyKey) {
    return new AffinityTerm(
        Set.of("team"),
        LabelSelector.nothing(),
        LabelSelector.ofPairs(Map.of("app", "high")),
        topologyKey);
  }

  /** Fills nodes in three zones with four pods each. */
  private void fill(int nodes) {
    apply(new ClusterEvent.PolicyServed(policy));
    for (int i = 0; i < nodes; i++) {
      String name = "n" + i;
      apply(
          new ClusterEvent.NodeUpserted(
              Nodes.bare(name)
                  .labels(Map.of(HOST, name, ZONE, "z" + i % 3))
                  .allocatable(
                      ResourceAmounts.of(Map.of("cpu", 4_000L, "memory", 32L << 30, "pods", 110L)))
                  .build()));
      for (int j = 0; j < 4; j++) {
        PodModel low =
            Pods.pod("low-" + i + "-" + j)
                .namespace("team")
                .policy("test")
                .requests(RandomCluster.requests(1_000, 1L << 30))
                .build();
        apply(new ClusterEvent.PodUpserted(Pods.from(low).on(name).build()));
      }
    }
  }

  private static PodModel high(Pods pod) {
    return pod.namespace("team")
        .policy("test")
        .labels(Map.of("app", "high"))
        .priority(HIGH)
        .requests(RandomCluster.requests(3_000, 3L << 30))
        .build();
  }

  /** Returns the number of nodes that the search for evictions examines for replicas of the pod. */
  private long examinedBy(PodModel kind, int replicas) {
    long before = inOrder.preemption().examined();
    for (int i = 0; i < replicas; i++) {
      Decision.Nominated nominated = nominatedFor(inOrder, kind, "high-" + i);
      assertThat(nominated.victims()).hasSize(3);
      nominated.victims().forEach(victim -> apply(new ClusterEvent.PodRemoved(victim)));
      Decision.Placed placed = (Decision.Placed) inOrder.next(now);
      assertThat(placed.nodeName()).isEqualTo(nominated.nodeName());
      apply(new ClusterEvent.BindingConfirmed(placed.pod()));
    }
    return inOrder.preemption().examined() - before;
  }
}
