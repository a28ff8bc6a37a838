package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.whatif.Hypothesis;
import io.berth.engine.whatif.Mirror;
import io.berth.engine.whatif.PlacementAnswer;
import io.berth.engine.whatif.PlacementQuestion;
import io.berth.engine.whatif.WhatIf;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On random clusters, the answer to a question about several pods, groups, drained nodes, and
 * policies is what an engine decides that really gets these changes: the same nodes, scores,
 * rejections, and victims of each pod. One mirror answers all questions of a run.
 */
class WhatIfOfManyEqualsEngineTest {
  private static final int STEPS = 100;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
  private static final String PACKS =
      """
      {"priorities": [
         {"name": "NodeResourcesFit", "weight": 5,
          "args": {"scoringStrategy": {"type": "MostAllocated"}}}]}
      """;

  /** A mirror has no pauses before retries, and neither have the engines. */
  private static final EngineOptions OPTIONS = options();

  private final Map<String, NodeModel> nodes = new TreeMap<>();
  private final Map<String, PodModel> bound = new TreeMap<>();
  private final Map<String, PodModel> pending = new TreeMap<>();
  private final Mirror mirror = new Mirror(OPTIONS);
  private final Map<String, Integer> seen = new HashMap<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private int groups;
  private int kept;

  private static EngineOptions options() {
    EngineOptions defaults =
        EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME).recordingEverything();
    return new EngineOptions(
        defaults.schedulerNames(),
        defaults.tieOrder(),
        defaults.recordedNodes(),
        defaults.recordVerdicts(),
        Duration.ZERO,
        Duration.ZERO,
        defaults.unschedulableTimeout(),
        defaults.cacheLimit());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void answer_isWhatTheEngineThenDecides(int seed) {
    Random random = new Random(seed);
    RandomCluster objects = new RandomCluster(random);
    mirror.apply(new ClusterEvent.PolicyServed(TestCluster.policy("test", "{}")), now);
    mirror.apply(new ClusterEvent.PolicyServed(TestCluster.policy("packs", PACKS)), now);
    int size = 3 + random.nextInt(6);
    for (int i = 0; i < size; i++) {
      put(objects.node(i));
    }
    for (int step = 0; step < STEPS; step++) {
      now = now.plusSeconds(1);
      change(random, objects);
      PlacementQuestion question = question(random, objects);
      PlacementAnswer answer = WhatIf.answer(mirror, question, now, () -> false);
      String when = "seed %d, step %d, %s".formatted(seed, step, question.hypothesis());
      assertThat(asked(answer)).as(when).isEqualTo(decided(question));
      count(question, answer);
      keep(question, answer, random);
    }
    assertThat(seen)
        .as("what was compared")
        .containsKeys("placed", "not placed", "victims", "displaced", "group", "policy", "max");
  }

  // ------------------------------------------------------------------------------- the questions

  private void change(Random random, RandomCluster objects) {
    switch (random.nextInt(8)) {
      case 0 -> put(objects.node(random.nextInt(nodes.size())));
      case 1 -> {
        if (!bound.isEmpty()) {
          remove(one(List.copyOf(bound.values()), random));
        }
      }
      case 2 -> {
        String node = one(List.copyOf(nodes.keySet()), random);
        wait(Pods.from(objects.pod()).nominatedNode(node).build());
      }
      case 3 -> wait(objects.pod());
      case 4 -> {
        if (!pending.isEmpty()) {
          PodModel gone = one(List.copyOf(pending.values()), random);
          pending.remove(gone.ref().uid());
          mirror.apply(new ClusterEvent.PodRemoved(gone.ref()), now);
        }
      }
      default -> {
        // the pods that are placed change enough
      }
    }
  }

  private static <T> T one(List<T> choices, Random random) {
    return choices.get(random.nextInt(choices.size()));
  }

  private PlacementQuestion question(Random random, RandomCluster objects) {
    Pods pod = Pods.from(objects.pod()).policy(random.nextBoolean() ? "test" : "packs");
    int replicas = 1 + random.nextInt(5);
    boolean max = random.nextInt(4) == 0;
    if (!max && random.nextInt(4) == 0) {
      groups++;
      GroupRef ref = new GroupRef(GroupDialect.BERTH, pod.build().ref().namespace(), "g" + groups);
      pod.memberOf(GroupModel.of(ref, Math.max(1, replicas - 1 + random.nextInt(3))));
    }
    Optional<CompiledPolicy> policy = Optional.empty();
    if (random.nextInt(4) == 0) {
      policy = Optional.of(TestCluster.policy("reviewed", PACKS));
      pod.policy("reviewed");
    }
    return new PlacementQuestion(pod.build(), replicas, max, hypothesis(random, policy));
  }

  private Hypothesis hypothesis(Random random, Optional<CompiledPolicy> policy) {
    Set<String> removed = new HashSet<>();
    Set<String> drained = new HashSet<>();
    List<PodRef> pods = new ArrayList<>();
    List<NodeModel> added = new ArrayList<>();
    List<String> names = List.copyOf(nodes.keySet());
    if (random.nextInt(5) == 0) {
      removed.add(one(names, random));
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      drained.add(one(names, random));
    }
    drained.removeAll(removed);
    if (random.nextInt(4) == 0) {
      added.add(Hypothesis.nodeLike(nodes.get(one(names, random)), "added"));
    }
    if (random.nextInt(4) == 0) {
      bound.values().stream().limit(2).map(PodModel::ref).forEach(pods::add);
    }
    return new Hypothesis(added, removed, drained, pods, policy);
  }

  private void count(PlacementQuestion question, PlacementAnswer answer) {
    Map<String, Boolean> facts = new HashMap<>();
    facts.put("placed", answer.placements().size() > 1);
    facts.put("not placed", answer.notPlaced().isPresent());
    facts.put("victims", answer.placements().stream().anyMatch(it -> !it.victims().isEmpty()));
    facts.put("displaced", answer.displaced().placed() > 0);
    facts.put("group", question.pod().group().isPresent() && !answer.placements().isEmpty());
    facts.put("policy", question.hypothesis().policy().isPresent());
    facts.put("max", question.whileTheyFit() && answer.placements().size() > 1);
    facts.forEach(
        (fact, holds) -> {
          if (holds) {
            seen.merge(fact, 1, Integer::sum);
          }
        });
  }

  /** Lets some answers about the cluster as it is come true. */
  private void keep(PlacementQuestion question, PlacementAnswer answer, Random random) {
    boolean asksForCards = !question.pod().spec().cards().requests().isEmpty();
    if (question.hypothesis().policy().isPresent() || asksForCards || random.nextInt(3) == 0) {
      return; // the answer does not say which cards a pod would get
    }
    for (PlacementAnswer.Placement placed : answer.placements()) {
      if (!nodes.containsKey(placed.node())) {
        continue;
      }
      placed.victims().stream()
          .map(victim -> bound.get(victim.uid()))
          .filter(victim -> victim != null)
          .forEach(this::remove);
      kept++;
      PodRef ref = new PodRef(question.pod().ref().namespace(), "kept-" + kept, "uid-kept-" + kept);
      Instant start = now.plusMillis(kept); // equal victims would be chosen by their order
      PodModel pod =
          Pods.from(question.pod())
              .ref(ref)
              .createdAt(start)
              .startedAt(Optional.of(start))
              .on(placed.node())
              .build();
      bound.put(pod.ref().uid(), pod);
      mirror.apply(new ClusterEvent.PodUpserted(pod), now);
    }
  }

  private void put(NodeModel node) {
    nodes.put(node.name(), node);
    mirror.apply(new ClusterEvent.NodeUpserted(node), now);
  }

  private void wait(PodModel pod) {
    pending.put(pod.ref().uid(), pod);
    mirror.apply(new ClusterEvent.PodUpserted(pod), now);
  }

  private void remove(PodModel pod) {
    bound.remove(pod.ref().uid());
    mirror.apply(new ClusterEvent.PodRemoved(pod.ref()), now);
  }

  // --------------------------------------------------------------------------------- the answers

  private static Map<String, Object> asked(PlacementAnswer answer) {
    assertThat(answer.truncated()).isFalse();
    Map<String, Object> described = new TreeMap<>();
    for (PlacementAnswer.Placement placed : answer.placements()) {
      described.put(
          placed.pod().name(), described(placed.node(), placed.victims(), placed.record()));
    }
    described.put("displaced", answer.displaced().placed());
    answer
        .notPlaced()
        .ifPresent(not -> described.put("not placed", not.pod().name() + reasons(not.record())));
    return described;
  }

  private static String described(String node, List<PodRef> victims, DecisionRecord record) {
    return "%s, evicting %s, best %s%s"
        .formatted(
            node,
            victims.stream().map(PodRef::name).toList(),
            record.bestNodes().stream().map(Object::toString).sorted().toList(),
            reasons(record));
  }

  private static String reasons(DecisionRecord record) {
    return ", %d feasible, %s, rejected %s, verdicts %s"
        .formatted(
            record.feasibleNodes(),
            record.message(),
            record.rejections().stream().map(Object::toString).sorted().toList(),
            new TreeMap<>(record.verdicts()));
  }

  private Map<String, Object> decided(PlacementQuestion question) {
    return new RealChange(question).make();
  }

  /** An engine that gets the changes which a question supposes, and the pods that it asks about. */
  private final class RealChange {
    private final PlacementQuestion question;
    private final Engine engine = new Engine(OPTIONS);
    private final Map<String, PodModel> placed = new HashMap<>();
    private final List<PodRef> displaced = new ArrayList<>();
    private final List<PodRef> copies = new ArrayList<>();
    private final Map<PodRef, Decision> decisions = new HashMap<>();
    private final Map<PodRef, List<PodRef>> victims = new HashMap<>();
    private final Set<PodRef> evicted = new HashSet<>();
    private Instant time = now;

    RealChange(PlacementQuestion question) {
      this.question = question;
      apply(new ClusterEvent.PolicyServed(TestCluster.policy("test", "{}")));
      apply(new ClusterEvent.PolicyServed(TestCluster.policy("packs", PACKS)));
      nodes.values().forEach(node -> apply(new ClusterEvent.NodeUpserted(node)));
      bound.values().forEach(pod -> apply(new ClusterEvent.PodUpserted(pod)));
      pending.values().forEach(pod -> apply(new ClusterEvent.PodUpserted(held(pod))));
      placed.putAll(bound);
    }

    private void apply(ClusterEvent event) {
      engine.apply(event, time);
    }

    /** Holds a pod that waits: a review answers what happens if its own pods are next. */
    private PodModel held(PodModel pod) {
      return Pods.from(pod).gates("held").build();
    }

    Map<String, Object> make() {
      Hypothesis hypothesis = question.hypothesis();
      hypothesis.policy().ifPresent(policy -> apply(new ClusterEvent.PolicyServed(policy)));
      hypothesis.addedNodes().forEach(node -> apply(new ClusterEvent.NodeUpserted(node)));
      hypothesis.removedPods().forEach(this::remove);
      for (String drained : hypothesis.drainedNodes()) {
        apply(
            new ClusterEvent.NodeUpserted(
                Nodes.from(nodes.get(drained)).unschedulable(true).build()));
      }
      drain();
      hypothesis.removedNodes().forEach(name -> apply(new ClusterEvent.NodeRemoved(name)));
      if (question.whileTheyFit()) {
        do {
          copy();
          run(() -> isDecided(copies.getLast()));
        } while (nodeOf(copies.getLast()).isPresent() && copies.size() < question.replicas());
      } else {
        for (int i = 0; i < question.replicas(); i++) {
          copy();
        }
      }
      run(this::isDone);
      return result();
    }

    private void remove(PodRef pod) {
      placed.remove(pod.uid());
      apply(new ClusterEvent.PodRemoved(pod));
    }

    /** Deletes the pods of the nodes, and lets their controllers create them again. */
    private void drain() {
      Set<String> left = new HashSet<>(question.hypothesis().drainedNodes());
      left.addAll(question.hypothesis().removedNodes());
      List<PodModel> leaving =
          placed.values().stream()
              .filter(pod -> left.contains(pod.nodeName()))
              .sorted(
                  Comparator.comparing(PodModel::createdAt)
                      .thenComparing(pod -> pod.ref().namespace())
                      .thenComparing(pod -> pod.ref().name()))
              .toList();
      leaving.forEach(pod -> remove(pod.ref()));
      for (PodModel pod : leaving) {
        displaced.add(pod.ref());
        PodModel again = Pods.from(pod).on("").startedAt(Optional.empty()).build();
        apply(new ClusterEvent.PodUpserted(again));
      }
    }

    private void copy() {
      String name = question.pod().ref().name() + " (" + copies.size() + ")";
      PodRef ref = new PodRef(question.pod().ref().namespace(), name, "uid-" + name);
      copies.add(ref);
      apply(
          new ClusterEvent.PodUpserted(
              Pods.from(question.pod()).ref(ref).startedAt(Optional.empty()).build()));
    }

    private boolean isDecided(PodRef pod) {
      return decisions.containsKey(pod) || evicted.contains(pod);
    }

    private Optional<String> nodeOf(PodRef pod) {
      return switch (decisions.get(pod)) {
        case Decision.Placed placement -> Optional.of(placement.nodeName());
        case Decision.Nominated nomination -> Optional.of(nomination.nodeName());
        case Decision.Unschedulable _, Decision.Quarantined _, Decision.GivenBack _ ->
            Optional.empty();
        case null -> Optional.empty();
      };
    }

    /** Returns whether one copy does not fit, or all are decided, and all pods of drained nodes. */
    private boolean isDone() {
      if (!displaced.stream().allMatch(this::isDecided)) {
        return false;
      }
      boolean alone = question.pod().group().isEmpty();
      for (PodRef copy : copies) {
        if (!isDecided(copy)) {
          return false;
        }
        if (alone && nodeOf(copy).isEmpty()) {
          return true;
        }
      }
      return true;
    }

    private void run(BooleanSupplier done) {
      Instant end = now.plus(LONGEST_WAIT);
      while (!done.getAsBoolean()) {
        switch (engine.next(time)) {
          case Idle idle -> {
            time = time.plus(idle.until().pause(time, LONGEST_WAIT));
            if (time.compareTo(end) >= 0) {
              return;
            }
          }
          case Decision.Nominated nominated -> {
            for (PodRef victim : nominated.victims()) {
              victims.computeIfAbsent(nominated.pod(), pod -> new ArrayList<>()).add(victim);
              evicted.add(victim);
              decisions.remove(victim);
              apply(new ClusterEvent.PodRemoved(victim));
            }
            if (nominated.victims().isEmpty()) {
              decisions.put(nominated.pod(), nominated);
            }
          }
          case Decision decision -> decisions.put(decision.pod(), decision);
          case AdviceRequest _ -> throw new IllegalStateException("no extender is asked");
        }
      }
    }

    private Map<String, Object> result() {
      Map<String, Object> described = new TreeMap<>();
      Optional<PodRef> notPlaced = Optional.empty();
      for (PodRef copy : copies) {
        Optional<String> node = nodeOf(copy);
        if (node.isPresent()) {
          described.put(
              copy.name(),
              described(
                  node.get(), victims.getOrDefault(copy, List.of()), decisions.get(copy).record()));
        } else if (notPlaced.isEmpty() && decisions.containsKey(copy)) {
          notPlaced = Optional.of(copy);
        }
      }
      described.put(
          "displaced", (int) displaced.stream().filter(pod -> nodeOf(pod).isPresent()).count());
      if (!question.whileTheyFit() || nodeOf(copies.getFirst()).isEmpty()) {
        notPlaced.ifPresent(
            copy ->
                described.put("not placed", copy.name() + reasons(decisions.get(copy).record())));
      }
      return described;
    }
  }
}
