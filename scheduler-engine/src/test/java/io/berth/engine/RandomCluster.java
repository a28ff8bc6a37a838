package io.berth.engine;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.HostPort;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeImage;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodRequests;
import io.berth.engine.model.PodSpec;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.Taint;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.model.Toleration;
import io.berth.engine.model.WeightedAffinityTerm;
import io.berth.engine.model.WeightedNodeTerm;
import io.berth.rules.label.LabelOperator;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** A seeded generator of nodes and pods with many interdependencies. */
final class RandomCluster {
  private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
  private static final List<String> KEYS =
      List.of("kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack");

  private final Random random;
  private int pods;

  RandomCluster(Random random) {
    this.random = random;
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private <T> T one(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  NodeModel node(int number) {
    String name = "n" + number;
    Map<String, String> labels = new HashMap<>(Map.of("kubernetes.io/hostname", name));
    if (chance(85)) {
      labels.put("topology.kubernetes.io/zone", "z" + random.nextInt(3));
    }
    if (chance(50)) {
      labels.put("rack", "r" + random.nextInt(2));
    }
    if (chance(50)) {
      labels.put("gen", String.valueOf(random.nextInt(9)));
    }
    List<Taint> taints = new ArrayList<>();
    if (chance(20)) {
      taints.add(new Taint("dedicated", one(List.of("db", "ml")), TaintEffect.NO_SCHEDULE));
    }
    if (chance(20)) {
      taints.add(new Taint("old", "", TaintEffect.PREFER_NO_SCHEDULE));
    }
    Map<String, Long> allocatable =
        new HashMap<>(
            Map.of(
                "cpu", 2_000L + random.nextInt(6) * 1_000L,
                "memory", (2L + random.nextInt(8)) << 30,
                "pods", 3L + random.nextInt(8)));
    if (chance(30)) {
      allocatable.put("nvidia.com/gpu", 1L + random.nextInt(4));
    }
    List<NodeImage> images =
        chance(40)
            ? List.of(new NodeImage(List.of("app:" + random.nextInt(3)), 500L << 20))
            : List.of();
    return Nodes.bare(name)
        .labels(labels)
        .taints(taints)
        .unschedulable(chance(8))
        .allocatable(ResourceAmounts.of(allocatable))
        .images(images)
        .cards(chance(50) ? cards() : List.of())
        .build();
  }

  private List<Card> cards() {
    List<Card> cards = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      String group = chance(50) ? "link" + i / 2 : "";
      cards.add(
          new Card(one(List.of("T4", "V100")), chance(80) ? 16_384 : 0, group, i / 2, chance(90)));
    }
    return cards;
  }

  private PodCards demand() {
    CardRequest request =
        chance(50)
            ? CardRequest.whole("c", 1 + random.nextInt(2))
            : CardRequest.share("c", 200 + 100 * random.nextInt(7), chance(50) ? 4_096 : 0);
    PodCards demand =
        chance(30) ? PodCards.of(request, CardRequest.share("d", 300, 0)) : PodCards.of(request);
    return chance(30) ? demand.of(Set.of("T4")) : demand;
  }

  /** Returns a pending pod. */
  PodModel pod() {
    String name = "p" + pods++;
    Map<String, String> labels = labels();
    return Pods.pod(name)
        .namespace(one(List.of("a", "b")))
        .policy("test")
        .labels(labels)
        .spec(spec(labels))
        .createdAt(CREATED.plusSeconds(pods))
        .startedAt(Optional.of(CREATED.plusSeconds(pods)))
        .build();
  }

  Map<String, String> labels() {
    Map<String, String> labels = new HashMap<>(Map.of("app", "app" + random.nextInt(3)));
    if (chance(50)) {
      labels.put("tier", one(List.of("front", "back")));
    }
    return labels;
  }

  private PodSpec spec(Map<String, String> labels) {
    return Pods.pod("p")
        .priority(random.nextInt(3) * 10)
        .neverPreempts(chance(10))
        .requests(requests())
        .nodes(nodes())
        .tolerations(
            chance(30)
                ? List.of(new Toleration("dedicated", true, "", Optional.empty()))
                : List.of())
        .affinity(affinity(labels))
        .spread(spread(labels))
        .ports(chance(10) ? List.of(new HostPort(HostPort.ANY_IP, "TCP", 80)) : List.of())
        .images("app:" + random.nextInt(3))
        .cards(chance(30) ? demand() : PodCards.none())
        .spec();
  }

  PodRequests requests() {
    long milliCpu = random.nextInt(4) * 400L;
    long memory = random.nextInt(4) * (300L << 20);
    Map<String, Long> asked = new HashMap<>();
    if (milliCpu > 0) {
      asked.put("cpu", milliCpu);
    }
    if (memory > 0) {
      asked.put("memory", memory);
    }
    if (chance(10)) {
      asked.put("nvidia.com/gpu", 1L);
    }
    return PodRequests.of(
        ResourceAmounts.of(asked),
        milliCpu == 0 ? 100 : milliCpu,
        memory == 0 ? 200L << 20 : memory);
  }

  private NodeSelection nodes() {
    Optional<List<NodeTerm>> required =
        chance(20) ? Optional.of(List.of(nodeTerm())) : Optional.empty();
    List<WeightedNodeTerm> preferred =
        chance(30) ? List.of(new WeightedNodeTerm(1 + random.nextInt(100), nodeTerm())) : List.of();
    return new NodeSelection(Map.of(), required, preferred);
  }

  private NodeTerm nodeTerm() {
    Requirement requirement =
        switch (random.nextInt(4)) {
          case 0 -> new Requirement("rack", LabelOperator.EXISTS, List.of());
          case 1 -> new Requirement("gen", LabelOperator.GREATER_THAN, List.of("3"));
          case 2 -> new Requirement("rack", LabelOperator.NOT_IN, List.of("r1"));
          default ->
              new Requirement("topology.kubernetes.io/zone", LabelOperator.IN, List.of("z0", "z1"));
        };
    return new NodeTerm(List.of(requirement), List.of(), false);
  }

  private PodAffinity affinity(Map<String, String> own) {
    if (chance(40)) {
      return PodAffinity.none();
    }
    return new PodAffinity(
        chance(15) ? List.of(term(own)) : List.of(),
        chance(25) ? List.of(term(own)) : List.of(),
        chance(30)
            ? List.of(new WeightedAffinityTerm(random.nextInt(99) + 1, term(own)))
            : List.of(),
        chance(30)
            ? List.of(new WeightedAffinityTerm(random.nextInt(99) + 1, term(own)))
            : List.of());
  }

  private AffinityTerm term(Map<String, String> own) {
    LabelSelector selector =
        LabelSelector.ofPairs(
            chance(60)
                ? Map.of("app", own.get("app"))
                : Map.of("tier", one(List.of("front", "back"))));
    LabelSelector namespaces =
        chance(20) ? LabelSelector.ofPairs(Map.of("env", "prod")) : LabelSelector.nothing();
    return new AffinityTerm(Set.of(one(List.of("a", "b"))), namespaces, selector, one(KEYS));
  }

  private List<SpreadConstraint> spread(Map<String, String> own) {
    List<SpreadConstraint> constraints = new ArrayList<>();
    for (String key : KEYS) {
      if (chance(20)) {
        constraints.add(
            new SpreadConstraint(
                1 + random.nextInt(3),
                key,
                chance(50),
                LabelSelector.ofPairs(Map.of("app", own.get("app"))),
                chance(20) ? 3 : 1,
                chance(70),
                chance(30)));
      }
    }
    return constraints;
  }

  /** Returns requests for this much CPU and memory. */
  static PodRequests requests(long milliCpu, long memoryBytes) {
    return PodRequests.of(
        ResourceAmounts.of(Map.of("cpu", milliCpu, "memory", memoryBytes)), milliCpu, memoryBytes);
  }

  /** Returns the same pod under another name. */
  static PodModel named(PodModel pod, PodRef ref) {
    return Pods.from(pod).ref(ref).build();
  }

  /** Returns the same pod with other content. */
  static PodModel with(
      PodModel pod,
      Map<String, String> labels,
      PodSpec spec,
      String nodeName,
      boolean terminating) {
    return Pods.from(pod).labels(labels).spec(spec).on(nodeName).terminating(terminating).build();
  }

  /** Returns the same spec with other requests. */
  static PodSpec with(PodSpec spec, PodRequests requests) {
    return Pods.from(spec).requests(requests).spec();
  }
}
