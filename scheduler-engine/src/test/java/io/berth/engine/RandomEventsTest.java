package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.PredicatePolicy;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.PodRef;
import io.berth.engine.state.NodeTable;
import io.berth.engine.volume.VolumeStep;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraintBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random events: nodes and pods are created, changed and deleted, Bindings fail, policies are
 * replaced. After every few steps, the engine is equivalent to one that was built from the current
 * objects.
 */
class RandomEventsTest {
  private static final String[] APPS = {"web", "db", "cache"};
  private static final String[] ZONES = {"a", "b", "c"};
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final int STEPS = 300;
  private static final int STEPS_BETWEEN_LOOKS = 5;
  private static final int PROBE_PRIORITY = 1_000_000;

  private final Map<String, Node> nodes = new LinkedHashMap<>();

  /** Pods on nodes, bound or assumed; the engine keeps track of the pending ones. */
  private final Map<String, Pod> placed = new LinkedHashMap<>();

  private final List<Pod> assumed = new ArrayList<>();
  private final Map<String, List<VolumeStep>> volumeSteps = new LinkedHashMap<>();
  private final Map<String, HasMetadata> others = new LinkedHashMap<>();
  private final List<Pod> pending = new ArrayList<>();
  private final TestCluster living = new TestCluster();
  private final RandomStorage storage = new RandomStorage(living::upsert, living::remove);
  private CompiledPolicy policy =
      TestCluster.policy(TestCluster.POLICY, SchedulingPolicySpec.defaults());
  private int names;
  private int claimsDecided;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void theLivingEngine_answersAsARebuiltOne(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 8; i++) {
      putNode(random, "n" + i);
    }
    for (int step = 0; step < STEPS; step++) {
      living.later(Duration.ofMillis(random.nextInt(2_000)));
      step(random);
      if (step % STEPS_BETWEEN_LOOKS == 0) {
        lookAlike(random);
      }
    }
    assertThat(claimsDecided).as("pods whose claims were decided on").isPositive();
    columnsEndEmpty();
  }

  private void step(Random random) {
    switch (random.nextInt(17)) {
      case 12, 13 -> storage.step(random, anyNode(random));
      case 14 -> putBudget(random);
      case 15 -> putService(random);
      case 0 -> putNode(random, "n" + random.nextInt(12));
      case 1 -> removeNode(random);
      case 2, 3, 4, 5 -> {
        Pod pod = withClaim(random, randomPod(random, "p" + names++, random.nextInt(3) * 10));
        pending.add(pod);
        living.upsert(pod);
      }
      case 6 -> {
        Pod pod =
            TestCluster.bound(
                withClaim(random, randomPod(random, "p" + names++, 0)), anyNode(random));
        placed.put(pod.getMetadata().getName(), pod);
        living.upsert(pod);
      }
      case 7 -> removePod(random);
      case 8 -> relabel(random);
      case 9 -> endBinding(random);
      case 10 -> {
        policy = randomPolicy(random);
        living.apply(new ClusterEvent.PolicyServed(policy));
      }
      default -> decide();
    }
  }

  private static CompiledPolicy randomPolicy(Random random) {
    return TestCluster.policy(
        TestCluster.POLICY,
        SchedulingPolicySpec.of(
            List.of(
                new PredicatePolicy("NodeVolumeLimits", random.nextInt(4) > 0, Map.of()),
                new PredicatePolicy("TaintToleration", random.nextInt(4) > 0, Map.of())),
            List.of(
                new PriorityPolicy("PodTopologySpread", random.nextInt(4), true, Map.of()),
                new PriorityPolicy("InterPodAffinity", random.nextInt(4), true, Map.of()))));
  }

  private void putBudget(Random random) {
    PodDisruptionBudget budget =
        new PodDisruptionBudgetBuilder()
            .withNewMetadata()
            .withName("budget-" + random.nextInt(3))
            .withNamespace("team")
            .endMetadata()
            .withNewSpec()
            .withNewSelector()
            .addToMatchLabels("app", APPS[random.nextInt(APPS.length)])
            .endSelector()
            .endSpec()
            .withNewStatus()
            .withDisruptionsAllowed(random.nextInt(3))
            .endStatus()
            .build();
    putOrRemove(random, budget);
  }

  private void putService(Random random) {
    Service service =
        new ServiceBuilder()
            .withNewMetadata()
            .withName("service-" + random.nextInt(3))
            .withNamespace("team")
            .endMetadata()
            .withNewSpec()
            .addToSelector("app", APPS[random.nextInt(APPS.length)])
            .endSpec()
            .build();
    putOrRemove(random, service);
  }

  private void putOrRemove(Random random, HasMetadata object) {
    String key = object.getKind() + "/" + object.getMetadata().getName();
    if (others.containsKey(key) && random.nextInt(3) == 0) {
      others.remove(key);
      living.remove(object);
    } else {
      others.put(key, object);
      living.upsert(object);
    }
  }

  private void putNode(Random random, String name) {
    NodeBuilder builder =
        new NodeBuilder(TestCluster.node(name, String.valueOf(2 + random.nextInt(6))))
            .editMetadata()
            .addToLabels(ZONE, ZONES[random.nextInt(ZONES.length)])
            .addToLabels("gen", String.valueOf(random.nextInt(3)))
            .endMetadata()
            .editSpec()
            .withUnschedulable(random.nextInt(10) == 0)
            .endSpec();
    if (random.nextInt(4) == 0) {
      builder.editSpec().addNewTaint("NoSchedule", "dedicated", "", "x").endSpec();
    }
    Node node = builder.build();
    nodes.put(name, node);
    living.upsert(node);
  }

  private void removeNode(Random random) {
    String name = anyNode(random);
    Node node = nodes.remove(name);
    if (node != null && nodes.size() > 2) {
      living.remove(node);
    } else if (node != null) {
      nodes.put(name, node);
    }
  }

  private String anyNode(Random random) {
    return "n" + random.nextInt(12);
  }

  private void removePod(Random random) {
    List<Pod> all = new ArrayList<>(placed.values());
    all.addAll(pending);
    if (all.isEmpty()) {
      return;
    }
    Pod pod = all.get(random.nextInt(all.size()));
    placed.remove(pod.getMetadata().getName());
    volumeSteps.remove(pod.getMetadata().getName());
    pending.remove(pod);
    assumed.remove(pod);
    living.remove(pod);
  }

  private void relabel(Random random) {
    List<Pod> bound = new ArrayList<>(placed.values());
    bound.removeAll(assumed);
    if (bound.isEmpty()) {
      return;
    }
    Pod pod =
        new PodBuilder(bound.get(random.nextInt(bound.size())))
            .editMetadata()
            .addToLabels("app", APPS[random.nextInt(APPS.length)])
            .endMetadata()
            .build();
    placed.put(pod.getMetadata().getName(), pod);
    living.upsert(pod);
  }

  private void endBinding(Random random) {
    if (assumed.isEmpty()) {
      return;
    }
    Pod pod = assumed.remove(random.nextInt(assumed.size()));
    PodRef ref = TestCluster.ref(pod);
    if (random.nextInt(3) == 0) {
      volumeSteps.remove(ref.name());
      placed.remove(ref.name());
      pending.add(new PodBuilder(pod).editSpec().withNodeName(null).endSpec().build());
      living.apply(new ClusterEvent.BindingFailed(ref, "timeout", true));
    } else {
      confirm(random, pod);
    }
  }

  private void confirm(Random random, Pod pod) {
    PodRef ref = TestCluster.ref(pod);
    List<VolumeStep> steps = volumeSteps.remove(ref.name());
    if (steps != null) {
      Node node = nodes.get(pod.getSpec().getNodeName());
      String zone = node == null ? "a" : node.getMetadata().getLabels().get(ZONE);
      storage.bind(steps, zone, random);
    }
    living.apply(new ClusterEvent.BindingConfirmed(ref));
    living.upsert(pod);
  }

  private Pod withClaim(Random random, Pod pod) {
    if (!storage.hasClaims() || random.nextInt(3) > 0) {
      return pod;
    }
    return new PodBuilder(pod)
        .editSpec()
        .addNewVolume()
        .withName("data")
        .withNewPersistentVolumeClaim(storage.anyClaimName(random), false)
        .endVolume()
        .endSpec()
        .build();
  }

  private void decide() {
    if (!(living.next() instanceof Decision decision)) {
      return;
    }
    Pod pod =
        pending.stream()
            .filter(candidate -> TestCluster.ref(candidate).equals(decision.pod()))
            .findFirst()
            .orElseThrow();
    switch (decision) {
      case Decision.Placed choice -> {
        Pod there = TestCluster.bound(pod, choice.nodeName());
        pending.remove(pod);
        placed.put(pod.getMetadata().getName(), there);
        assumed.add(there);
        if (!choice.preBind().isEmpty()) {
          claimsDecided++;
          volumeSteps.put(
              there.getMetadata().getName(),
              choice.preBind().stream().map(VolumeStep.class::cast).toList());
        }
        notOvercommitted(choice.nodeName());
      }
      case Decision.Nominated choice -> {
        for (PodRef victim : choice.victims()) {
          Pod gone = placed.remove(victim.name());
          volumeSteps.remove(victim.name());
          assumed.remove(gone);
          living.apply(new ClusterEvent.PodRemoved(victim));
        }
      }
      case Decision.Unschedulable ignored -> {
        // It is pending.
      }
      case Decision.Quarantined failed -> throw new AssertionError(failed.cause());
      case Decision.GivenBack ignored -> throw new AssertionError("there are no groups");
    }
  }

  private void notOvercommitted(String nodeName) {
    NodeTable table = living.engine.state().nodes();
    int slot = table.slotOf(nodeName);
    int cpu = living.engine.state().resources().idOf("cpu");
    assertThat(table.requested(cpu, slot)).isLessThanOrEqualTo(table.allocatable(cpu, slot));
    assertThat((long) table.podCount(slot)).isLessThanOrEqualTo(table.maxPods(slot));
  }

  private void lookAlike(Random random) {
    // Claims do not reflect decisions that are not carried out yet: carry them out first.
    for (Pod pod : List.copyOf(assumed)) {
      if (volumeSteps.containsKey(pod.getMetadata().getName())) {
        assumed.remove(pod);
        confirm(random, pod);
      }
    }
    assertThat(living.engine.state().storage().assumptions())
        .as("nothing is assumed about claims any more")
        .isZero();
    TestCluster fresh = new TestCluster();
    fresh.apply(new ClusterEvent.PolicyServed(policy));
    storage.objects().forEach(fresh::upsert);
    others.values().forEach(fresh::upsert);
    nodes.values().forEach(fresh::upsert);
    placed.values().forEach(fresh::upsert);
    for (int i = 0; i < 4; i++) {
      Pod probe = withClaim(random, randomPod(random, "probe" + names++, PROBE_PRIORITY));
      probe.getSpec().setPreemptionPolicy(i < 3 ? "Never" : null);
      assertThat(answer(living, probe)).isEqualTo(answer(fresh, probe));
    }
  }

  private static String answer(TestCluster cluster, Pod probe) {
    cluster.upsert(probe);
    Decision decision = cluster.decision();
    cluster.remove(probe);
    assertThat(decision.pod()).isEqualTo(TestCluster.ref(probe));
    DecisionRecord record = decision.record();
    return (decision instanceof Decision.Placed placed ? placed.nodeName() : record.message())
        + "\n"
        + record.verdicts()
        + "\n"
        + record.preemptionCandidates().stream()
            .sorted((a, b) -> a.node().compareTo(b.node()))
            .toList()
        + "\n"
        + record.bestNodes().stream()
            .sorted((a, b) -> a.node().compareTo(b.node()))
            .map(node -> "\n" + node)
            .toList();
  }

  /**
   * Checks that no counts remain after everything was deleted, and that only cached plans hold
   * specs.
   */
  private void columnsEndEmpty() {
    new ArrayList<>(placed.values()).forEach(living::remove);
    pending.forEach(living::remove);
    nodes.values().forEach(living::remove);

    assertThat(living.engine.state().pods().size()).isZero();
    assertThat(living.engine.state().specs()).isLessThanOrEqualTo(living.engine.plans().size());
    assertThat(living.engine.state().nodes().size()).isZero();
    assertThat(living.engine.nominations().isEmpty()).isTrue();
    assertThat(living.next()).isInstanceOf(Idle.class);
  }

  private static Pod randomPod(Random random, String name, int priority) {
    String app = APPS[random.nextInt(APPS.length)];
    PodBuilder builder =
        new PodBuilder(TestCluster.pod(name, (1 + random.nextInt(15)) + "00m", priority))
            .editMetadata()
            .addToLabels("app", app)
            .endMetadata();
    if (random.nextInt(3) == 0) {
      builder
          .editSpec()
          .addToTolerations(new TolerationBuilder().withOperator("Exists").build())
          .endSpec();
    }
    if (random.nextInt(5) == 0) {
      builder.editSpec().addToNodeSelector("gen", String.valueOf(random.nextInt(3))).endSpec();
    }
    if (random.nextInt(3) == 0) {
      builder
          .editSpec()
          .addToTopologySpreadConstraints(
              new TopologySpreadConstraintBuilder()
                  .withMaxSkew(1 + random.nextInt(2))
                  .withTopologyKey(random.nextBoolean() ? ZONE : "kubernetes.io/hostname")
                  .withWhenUnsatisfiable(random.nextBoolean() ? "DoNotSchedule" : "ScheduleAnyway")
                  .withNewLabelSelector()
                  .addToMatchLabels("app", app)
                  .endLabelSelector()
                  .build())
          .endSpec();
    }
    if (random.nextInt(3) == 0) {
      builder.editSpec().withAffinity(randomAffinity(random)).endSpec();
    }
    if (random.nextInt(6) == 0) {
      builder
          .editSpec()
          .editFirstContainer()
          .addNewPort()
          .withContainerPort(80)
          .withHostPort(8000 + random.nextInt(2))
          .endPort()
          .endContainer()
          .endSpec();
    }
    if (random.nextInt(4) == 0) {
      builder
          .editSpec()
          .editFirstContainer()
          .editResources()
          .addToRequests("memory", new Quantity("1Gi"))
          .endResources()
          .endContainer()
          .endSpec();
    }
    return builder.build();
  }

  private static Affinity randomAffinity(Random random) {
    AffinityBuilder affinity = new AffinityBuilder();
    String other = APPS[random.nextInt(APPS.length)];
    String key = random.nextBoolean() ? ZONE : "kubernetes.io/hostname";
    switch (random.nextInt(4)) {
      case 0 ->
          affinity
              .withNewPodAffinity()
              .addNewRequiredDuringSchedulingIgnoredDuringExecution()
              .withTopologyKey(key)
              .withNewLabelSelector()
              .addToMatchLabels("app", other)
              .endLabelSelector()
              .endRequiredDuringSchedulingIgnoredDuringExecution()
              .endPodAffinity();
      case 1 ->
          affinity
              .withNewPodAntiAffinity()
              .addNewRequiredDuringSchedulingIgnoredDuringExecution()
              .withTopologyKey(key)
              .withNewLabelSelector()
              .addToMatchLabels("app", other)
              .endLabelSelector()
              .endRequiredDuringSchedulingIgnoredDuringExecution()
              .endPodAntiAffinity();
      case 2 ->
          affinity
              .withNewPodAffinity()
              .addNewPreferredDuringSchedulingIgnoredDuringExecution()
              .withWeight(1 + random.nextInt(100))
              .withNewPodAffinityTerm()
              .withTopologyKey(key)
              .withNewLabelSelector()
              .addToMatchLabels("app", other)
              .endLabelSelector()
              .endPodAffinityTerm()
              .endPreferredDuringSchedulingIgnoredDuringExecution()
              .endPodAffinity();
      default ->
          affinity
              .withNewPodAntiAffinity()
              .addNewPreferredDuringSchedulingIgnoredDuringExecution()
              .withWeight(1 + random.nextInt(100))
              .withNewPodAffinityTerm()
              .withTopologyKey(key)
              .withNewLabelSelector()
              .addToMatchLabels("app", other)
              .endLabelSelector()
              .endPodAffinityTerm()
              .endPreferredDuringSchedulingIgnoredDuringExecution()
              .endPodAntiAffinity();
    }
    return affinity.build();
  }
}
