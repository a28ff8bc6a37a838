package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.CardChoice;
import io.berth.crds.policy.GpuPlacement;
import io.berth.crds.policy.GpuWorkloadShape;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.engine.api.Advice;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.QueueState;
import io.berth.engine.cards.CardTable;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.Consultation;
import io.berth.engine.framework.Verdict;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.QueueRef;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.WorkloadSelector;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.state.NodeTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Equivalence of an engine with any history and a new engine with the same cluster: every verdict,
 * every score, and every candidate of preemption are equal. All placed pods fit.
 */
class EngineEqualsRebuiltTest {
  private static final int STEPS = 120;
  private static final List<CardChoice> CHOICES = List.of(CardChoice.values());

  /** The behavior of an advisor. */
  private enum Mode {
    UNADVISED,
    /** Allows every node, and the eviction of every victim. */
    ALLOWING,
    /** Refuses some nodes, scores the others, and spares some victims. */
    PICKY
  }

  private final Map<String, NodeModel> nodes = new TreeMap<>();
  private final Map<String, PodModel> bound = new TreeMap<>();
  private final Map<String, Map<String, String>> namespaces = new TreeMap<>();
  private final Map<String, WorkloadSelector> services = new TreeMap<>();
  private final Map<String, QueueModel> queues = new TreeMap<>();
  private final Set<QueueDialect> served = EnumSet.noneOf(QueueDialect.class);
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private CompiledPolicy policy = policy(1);
  private Engine living = engine();
  private Mode mode = Mode.UNADVISED;
  private boolean hasQueues;
  private boolean hasOthers;
  private int evictions;
  private int inOthers;
  private int consults;
  private int victimsAskedAbout;

  private static Engine engine() {
    return new Engine(
        EngineOptions.defaults()
            .withTieOrder(EngineOptions.TieOrder.BY_NAME)
            .recordingEverything());
  }

  private static CompiledPolicy policy(int weight) {
    GpuWorkloadShape half = new GpuWorkloadShape(1, 400L, null, 1, 500, List.of());
    GpuWorkloadShape whole = new GpuWorkloadShape(weight, 800L, null, 2, 1_000, List.of("T4"));
    SchedulingPolicySpec spec =
        SchedulingPolicySpec.of(
                List.of(), List.of(new PriorityPolicy("ImageLocality", weight, true, Map.of())))
            .withGpu(
                new GpuPlacement(
                    CHOICES.get(weight % CHOICES.size()),
                    weight % 3 == 0 ? List.of(half, whole) : List.of()));
    PolicyCompilation compiled = new PolicyCompiler().compile("test", String.valueOf(weight), spec);
    return ((PolicyCompilation.Compiled) compiled).policy();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void anySequenceOfEvents_leavesAnEngineThatAnswersAsOneRebuilt(int seed) {
    run(seed);
  }

  /** Advice that allows every node has no effect, regardless of events before it arrives. */
  @ParameterizedTest
  @ValueSource(ints = {21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32})
  void adviceThatAllowsEveryNode_leavesTheAnswersAsTheyAreWithoutIt(int seed) {
    mode = Mode.ALLOWING;
    run(seed);
    assertThat(consults).as("questions that were asked").isPositive();
  }

  /** An advisor's refusals and scores have the same effect in a new engine. */
  @ParameterizedTest
  @ValueSource(ints = {41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52})
  void adviceThatRefusesAndScores_countsAsInAnEngineThatIsRebuilt(int seed) {
    mode = Mode.PICKY;
    run(seed);
    assertThat(consults).as("questions that were asked").isPositive();
    assertThat(victimsAskedAbout).as("questions about victims").isPositive();
  }

  /** The use of queues, and what follows from it, is the same in a new engine. */
  @ParameterizedTest
  @ValueSource(ints = {61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72})
  void queues_countTheSameInAnEngineThatIsRebuilt(int seed) {
    hasQueues = true;
    run(seed);
    assertThat(evictions).as("evictions").isPositive();
  }

  /** Queues of another project, and pods that name them, are no exception. */
  @ParameterizedTest
  @ValueSource(ints = {81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92})
  void queuesOfOthers_countTheSameInAnEngineThatIsRebuilt(int seed) {
    hasQueues = true;
    hasOthers = true;
    run(seed);
    assertThat(inOthers).as("pods in queues of others, over all steps").isPositive();
  }

  private void run(int seed) {
    Random random = new Random(seed);
    RandomCluster objects = new RandomCluster(random);
    serve();
    for (int i = 0; i < 6; i++) {
      put(objects.node(i));
    }
    for (int step = 0; step < STEPS; step++) {
      change(random, objects);
      decide(random, objects, "seed " + seed + ", step " + step);
    }
    bound.keySet().forEach(uid -> remove(bound.get(uid)));
    List.copyOf(nodes.keySet()).forEach(name -> apply(new ClusterEvent.NodeRemoved(name)));
    apply(new ClusterEvent.PolicyRemoved("test"));
    List.copyOf(queues.keySet()).forEach(name -> apply(new ClusterEvent.QueueRemoved(name)));
    assertThat(living.state().specs()).as("specs that are left").isZero();
    assertThat(living.state().matchers().size()).as("matchers that are left").isZero();
    assertThat(living.state().answers().size()).as("answers that are left").isZero();
    assertThat(living.nominations().isEmpty()).as("no promise is left").isTrue();
  }

  private void serve() {
    apply(new ClusterEvent.PolicyServed(served(mode)));
  }

  private CompiledPolicy served(Mode with) {
    return switch (with) {
      case UNADVISED -> policy;
      case ALLOWING -> policy.withConsultation(Advisor.forAll());
      case PICKY ->
          policy.withConsultation(Advisor.in(Consultation.Topic.NODES, Consultation.Topic.VICTIMS));
    };
  }

  /** Returns the advice of a picky advisor, which depends only on the question. */
  private Advice picky(AdviceRequest adviceRequest) {
    return switch (adviceRequest.question()) {
      case AdviceRequest.OfNodes(List<String> names) -> {
        Map<String, Advice.Refused> refused = new HashMap<>();
        Map<String, Integer> scores = new HashMap<>();
        for (String name : names) {
          switch (Math.floorMod(name.hashCode() + adviceRequest.pod().uid().hashCode(), 4)) {
            case 0 -> refused.put(name, new Advice.Refused("picky", Verdict.unschedulable("no")));
            case 1 -> refused.put(name, new Advice.Refused("picky", Verdict.unresolvable("never")));
            case 2 -> scores.put(name, 70);
            default -> scores.put(name, 30);
          }
        }
        Set<String> allowed = new HashSet<>(names);
        allowed.removeAll(refused.keySet());
        yield new Advice.Nodes(
            Optional.of(allowed),
            refused,
            List.of(new Advice.Scores("picky", 3, scores)),
            List.of());
      }
      case AdviceRequest.OfVictims(List<PreemptionCandidate> candidates) -> {
        victimsAskedAbout++;
        yield new Advice.Victims(
            candidates.stream()
                .filter(candidate -> candidate.node().hashCode() % 3 != 0)
                .map(
                    candidate ->
                        new PreemptionCandidate(
                            candidate.node(),
                            candidate.victims().subList(0, 1),
                            candidate.budgetViolations()))
                .toList(),
            List.of());
      }
    };
  }

  private void apply(ClusterEvent event) {
    now = now.plusMillis(10);
    assertThat(living.apply(event, now)).isEmpty();
  }

  private void put(NodeModel node) {
    nodes.put(node.name(), node);
    apply(new ClusterEvent.NodeUpserted(node));
  }

  private void remove(PodModel pod) {
    apply(new ClusterEvent.PodRemoved(pod.ref()));
  }

  private void changeQueue(Random random) {
    QueueDialect dialect =
        hasOthers && random.nextInt(4) == 0 ? QueueDialect.KAI : QueueDialect.BERTH;
    String name = new QueueRef(dialect, "q" + random.nextInt(4)).key();
    if (dialect == QueueDialect.KAI && served.add(dialect)) {
      apply(new ClusterEvent.QueueDialectServed(dialect));
    }
    if (random.nextInt(4) == 0) {
      queues.remove(name);
      apply(new ClusterEvent.QueueRemoved(name));
      return;
    }
    QueueModel queue =
        new QueueModel(
            dialect,
            name,
            random.nextInt(3) == 0 ? new QueueRef(dialect, "q" + random.nextInt(4)).key() : "",
            amounts(random, 4_000),
            random.nextInt(4) == 0 ? amounts(random, 20_000) : ResourceAmounts.none(),
            1 + random.nextInt(3),
            random.nextInt(2),
            Duration.ZERO,
            random.nextBoolean() ? Set.of(random.nextBoolean() ? "a" : "b") : Set.of(),
            LabelSelector.ofPairs(Map.of("env", random.nextBoolean() ? "prod" : "dev")),
            !hasOthers || random.nextInt(12) > 0,
            !hasOthers || random.nextInt(8) > 0);
    apply(new ClusterEvent.QueueUpserted(queue));
    QueueModel withPast = queue.withPastShare(0.1 * queue.priority());
    queues.put(name, withPast);
    apply(new ClusterEvent.QueueUpserted(withPast));
  }

  private static QueueRef[] anyQueue(Random random) {
    return random.nextInt(5) > 0
        ? new QueueRef[0]
        : new QueueRef[] {new QueueRef(QueueDialect.KAI, "q" + random.nextInt(5))};
  }

  private static ResourceAmounts amounts(Random random, long most) {
    return ResourceAmounts.of(
        Map.of("cpu", random.nextLong(most), "memory", random.nextLong(most) << 20));
  }

  private void change(Random random, RandomCluster objects) {
    if (hasQueues && random.nextInt(6) == 0) {
      changeQueue(random);
      return;
    }
    List<PodModel> pods = new ArrayList<>(bound.values());
    PodModel pod = pods.isEmpty() ? null : pods.get(random.nextInt(pods.size()));
    switch (random.nextInt(12)) {
      case 0, 1 -> put(objects.node(random.nextInt(10)));
      case 2 -> {
        String name = "n" + random.nextInt(10);
        if (nodes.remove(name) != null) {
          apply(new ClusterEvent.NodeRemoved(name));
        }
      }
      case 3, 4 -> {
        if (pod != null) {
          bound.remove(pod.ref().uid());
          remove(pod);
        }
      }
      case 5 -> {
        if (pod != null) {
          PodModel changed =
              RandomCluster.with(
                  pod, objects.labels(), pod.spec(), pod.nodeName(), pod.terminating());
          upsert(hasOthers ? Pods.from(changed).inQueues(anyQueue(random)).build() : changed);
        }
      }
      case 6 -> {
        if (pod != null) {
          upsert(RandomCluster.with(pod, pod.labels(), pod.spec(), pod.nodeName(), true));
        }
      }
      case 7 -> {
        if (pod != null) {
          upsert(
              RandomCluster.with(
                  pod,
                  pod.labels(),
                  RandomCluster.with(pod.spec(), objects.requests()),
                  pod.nodeName(),
                  pod.terminating()));
        }
      }
      case 8 -> {
        String name = random.nextBoolean() ? "a" : "b";
        Map<String, String> labels = Map.of("env", random.nextBoolean() ? "prod" : "dev");
        namespaces.put(name, labels);
        apply(new ClusterEvent.NamespaceUpserted(name, labels));
      }
      case 9 -> {
        WorkloadSelector service =
            new WorkloadSelector(
                WorkloadSelector.Kind.SERVICE,
                random.nextBoolean() ? "a" : "b",
                "s" + random.nextInt(2),
                LabelSelector.ofPairs(Map.of("app", "app" + random.nextInt(3))));
        services.put(service.namespace() + "/" + service.name(), service);
        apply(new ClusterEvent.WorkloadSelectorUpserted(service));
      }
      case 10 -> {
        policy = policy(1 + random.nextInt(5));
        serve();
      }
      default -> {
        // An event that repeats known state changes nothing.
        if (pod != null) {
          apply(new ClusterEvent.PodUpserted(pod));
        }
      }
    }
  }

  private void upsert(PodModel pod) {
    bound.put(pod.ref().uid(), pod);
    apply(new ClusterEvent.PodUpserted(pod));
  }

  private void decide(Random random, RandomCluster objects, String when) {
    PodModel pod =
        hasOthers ? Pods.from(objects.pod()).inQueues(anyQueue(random)).build() : objects.pod();
    apply(new ClusterEvent.PodUpserted(pod));
    Outcome outcome = living.next(now);
    for (; outcome instanceof AdviceRequest adviceRequest; outcome = living.next(now)) {
      consults++;
      assertThat(adviceRequest.pod()).isEqualTo(pod.ref());
      if (mode == Mode.PICKY) {
        apply(new ClusterEvent.Advised(pod.ref(), adviceRequest.token(), picky(adviceRequest)));
        continue;
      }
      for (int i = random.nextInt(4); i > 0; i--) {
        change(random, objects);
      }
      if (random.nextInt(10) == 0) {
        pod = RandomCluster.with(pod, objects.labels(), pod.spec(), "", false);
        apply(new ClusterEvent.PodUpserted(pod));
      }
      apply(new ClusterEvent.Advised(pod.ref(), adviceRequest.token(), Advice.Nodes.all()));
    }
    assertThat(outcome).as(when).isInstanceOf(Decision.class);
    check(random, pod, (Decision) outcome, when);
  }

  private void check(Random random, PodModel pod, Decision actual, String when) {
    Engine rebuilt = engine();
    Mode expectedMode = mode == Mode.ALLOWING ? Mode.UNADVISED : mode;
    rebuilt.apply(new ClusterEvent.PolicyServed(served(expectedMode)), now);
    namespaces.forEach(
        (name, labels) -> rebuilt.apply(new ClusterEvent.NamespaceUpserted(name, labels), now));
    services
        .values()
        .forEach(service -> rebuilt.apply(new ClusterEvent.WorkloadSelectorUpserted(service), now));
    served.forEach(dialect -> rebuilt.apply(new ClusterEvent.QueueDialectServed(dialect), now));
    queues.values().forEach(queue -> rebuilt.apply(new ClusterEvent.QueueUpserted(queue), now));
    bound.values().forEach(other -> rebuilt.apply(new ClusterEvent.PodUpserted(other), now));
    nodes.values().forEach(node -> rebuilt.apply(new ClusterEvent.NodeUpserted(node), now));

    Decision expected = decision(rebuilt, pod);
    assertThat(actual.pod()).isEqualTo(pod.ref());
    assertThat(describe(actual)).as(when).isEqualTo(describe(expected));
    assertColumnsAreSums(when);
    assertThat(cardColumns(living)).as(when).isEqualTo(cardColumns(rebuilt));
    assertThat(living.queues()).as(when).isEqualTo(rebuilt.queues());
    inOthers +=
        living.queues().stream()
            .filter(queue -> queue.name().contains("/"))
            .mapToInt(QueueState::pods)
            .sum();

    if (actual instanceof Decision.Placed placed) {
      assertFits(placed.nodeName(), when);
      switch (random.nextInt(4)) {
        case 0 -> {
          apply(new ClusterEvent.BindingFailed(pod.ref(), "conflict", true));
          remove(pod);
        }
        case 1 -> remove(pod);
        default -> {
          apply(new ClusterEvent.BindingConfirmed(pod.ref()));
          upsert(
              Pods.from(pod)
                  .on(placed.nodeName())
                  .givenCards(placed.assignment(CardAssignment.class))
                  .build());
        }
      }
    } else {
      remove(pod);
    }
    if (hasQueues && actual instanceof Decision.Nominated nominated) {
      nominated.victims().stream().map(victim -> bound.get(victim.uid())).forEach(this::terminate);
    }
    assertThat(living.nominations().isEmpty()).as("no promise outlives its pod: " + when).isTrue();
  }

  private void terminate(PodModel victim) {
    evictions++;
    upsert(RandomCluster.with(victim, victim.labels(), victim.spec(), victim.nodeName(), true));
  }

  /** Returns, by node, whether it is closed, and the usage of each card. */
  private static Map<String, String> cardColumns(Engine engine) {
    Map<String, String> columns = new TreeMap<>();
    NodeTable table = engine.state().nodes();
    CardTable cards = engine.state().cards().table();
    table
        .alive()
        .forEach(
            slot -> {
              StringBuilder text = new StringBuilder(cards.isClosed(slot) ? "closed" : "open");
              for (int card = 0; card < cards.count(slot); card++) {
                text.append(' ').append(cards.usedMilliCores(slot, card));
                text.append('/').append(cards.usedMemory(slot, card));
              }
              columns.put(table.name(slot), text.toString());
            });
    return columns;
  }

  private Decision decision(Engine engine, PodModel pod) {
    engine.apply(new ClusterEvent.PodUpserted(pod), now);
    Outcome outcome = engine.next(now);
    for (; outcome instanceof AdviceRequest adviceRequest; outcome = engine.next(now)) {
      engine.apply(
          new ClusterEvent.Advised(
              adviceRequest.pod(), adviceRequest.token(), picky(adviceRequest)),
          now);
    }
    assertThat(outcome).isInstanceOf(Decision.class);
    assertThat(((Decision) outcome).pod()).isEqualTo(pod.ref());
    return (Decision) outcome;
  }

  private static Map<String, Object> describe(Decision decision) {
    DecisionRecord record = decision.record();
    Map<String, Object> all = new HashMap<>();
    all.put("message", record.message());
    all.put("verdicts", record.verdicts());
    Map<String, NodeScore> scores = new TreeMap<>();
    record.bestNodes().forEach(node -> scores.put(node.node(), node));
    all.put("scores", scores);
    Map<String, Object> candidates = new TreeMap<>();
    record.preemptionCandidates().forEach(candidate -> candidates.put(candidate.node(), candidate));
    all.put("candidates", candidates);
    return all;
  }

  private void assertFits(String nodeName, String when) {
    NodeTable table = living.state().nodes();
    int slot = table.slotOf(nodeName);
    for (int column = 0; column < 3; column++) {
      if (table.requested(column, slot) > table.allocatable(column, slot)) {
        // A node may have shrunk, or a pod may have grown; but then no pod that requests the
        // resource is placed there.
        PodModel last = table.pod(slot, table.podCount(slot) - 1).model();
        assertThat(
                last.spec().requests().asked().amountOf(living.state().resources().nameOf(column)))
            .as("overcommitted: " + when)
            .isZero();
      }
    }
    assertThat((long) table.podCount(slot)).as(when).isLessThanOrEqualTo(table.maxPods(slot));
  }

  private void assertColumnsAreSums(String when) {
    NodeTable table = living.state().nodes();
    table
        .alive()
        .forEach(
            slot -> {
              long milliCpu = 0;
              long memory = 0;
              long scored = 0;
              for (int i = 0; i < table.podCount(slot); i++) {
                PodModel pod = table.pod(slot, i).model();
                milliCpu += pod.spec().requests().held().amountOf("cpu");
                memory += pod.spec().requests().held().amountOf("memory");
                scored += pod.spec().requests().heldScoredMilliCpu();
              }
              assertThat(table.requested(0, slot)).as(when).isEqualTo(milliCpu);
              assertThat(table.requested(1, slot)).as(when).isEqualTo(memory);
              assertThat(table.scoredMilliCpu()[slot]).as(when).isEqualTo(scored);
            });
  }
}
