package io.berth.operator.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.engine.Engine;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.QueueCounts;
import io.berth.engine.api.QueueState;
import io.berth.engine.api.Refusal;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowState;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.GaugedScore;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.framework.Verdict;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.PodRef;
import io.berth.engine.plugins.NodeResourcesFit;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.Gauge;
import io.berth.operator.MovedClock;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An engine that fails on an object is replaced by one that is rebuilt without it. */
class EngineReplacementTest {
  private static final String POISON = "poison";

  private final KubeEvents events = new KubeEvents();
  private final Map<String, HasMetadata> caches = new ConcurrentHashMap<>();
  private final Heard heard = new Heard();
  private final MovedClock clock = new MovedClock();
  private final EngineFeed feed = new EngineFeed(engine -> () -> {}, this::replay);
  private SchedulingLoop loop;
  private volatile boolean cachesFail;

  private final class Heard implements Decisions {
    final List<String> placed = new CopyOnWriteArrayList<>();
    final List<String> waiting = new CopyOnWriteArrayList<>();
    final List<Refusal> refusals = new CopyOnWriteArrayList<>();
    final List<String> replaced = new CopyOnWriteArrayList<>();
    final List<Throwable> failures = new CopyOnWriteArrayList<>();
    final List<String> attempts = new CopyOnWriteArrayList<>();
    volatile String failsOn = "";
    volatile boolean countingFails;

    @Override
    public void consulted(AdviceRequest adviceRequest) {
      throw new AssertionError("asks for advice: " + adviceRequest);
    }

    @Override
    public void decided(Decision decision, long tookNanos) {
      if (decision.pod().name().equals(failsOn)) {
        attempts.add(decision.pod().name());
        feed.publish(new ClusterEvent.BindingFailed(decision.pod(), "a bug", true));
        throw new IllegalStateException("cannot process the decision on " + failsOn);
      }
      switch (decision) {
        case Decision.Placed choice -> placed.add(choice.pod().name() + " on " + choice.nodeName());
        case Decision.Unschedulable unschedulable -> waiting.add(unschedulable.pod().name());
        case Decision.Nominated nominated -> waiting.add(nominated.pod().name());
        case Decision.Quarantined quarantined -> failures.add(quarantined.cause());
        case Decision.GivenBack givenBack -> waiting.add(givenBack.pod().name());
      }
    }

    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public void refused(Refusal refusal) {
      refusals.add(refusal);
    }

    @Override
    public void counted(QueueCounts now) {
      if (countingFails) {
        throw new IllegalStateException("cannot count");
      }
    }

    @Override
    public void gauged(List<GaugeReading> readings) {}

    @Override
    public void grouped(List<GroupState> reports) {}

    @Override
    public void queues(List<QueueState> states) {}

    @Override
    public void shadowed(ShadowDecision decision) {}

    @Override
    public void shadows(List<ShadowState> states) {}

    @Override
    public void replaced(String doing, Throwable failure) {
      replaced.add(doing);
    }

    @Override
    public void unheard(String doing, Throwable failure) {
      failures.add(failure);
    }

    @Override
    public void failed(String doing, Throwable failure) {
      failures.add(failure);
    }
  }

  /** A filter with a bug: it accepts only nodes with a label, and fails on nodes of one name. */
  private record Fragile() implements FilterPlugin {
    private record Question() {}

    @Override
    public String name() {
      return "Fragile";
    }

    @Override
    public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
      return Optional.of(
          state
              .answers()
              .acquire(
                  new Question(),
                  () ->
                      new NodeFilter(new Question(), state, state.nodes().labelLog()) {
                        private final int refused = idOf(Verdict.unresolvable("not good"));

                        @Override
                        protected int check(int slot) {
                          return nodes.model(slot).labels().containsKey("good") ? PASSES : refused;
                        }
                      }));
    }

    @Override
    public Cure cureBy(Change change) {
      if (change instanceof Change.NodeChanged node && node.after().labels().containsKey(POISON)) {
        throw new IllegalStateException("cannot read node " + node.after().name());
      }
      if (change instanceof Change.PodChanged pod && pod.after().labels().containsKey(POISON)) {
        throw new IllegalStateException("cannot read pod " + pod.after().ref().name());
      }
      return Cure.all();
    }
  }

  @BeforeEach
  void start() {
    loop =
        new SchedulingLoop(
            () -> new Engine(EngineOptions.defaults()),
            feed::replay,
            heard,
            EngineObserver.NONE,
            clock,
            System::nanoTime);
    loop.start();
    var _ = feed.subscribe(loop);
    feed.publish(
        new ClusterEvent.PolicyServed(
            policy("p", List.of(new Fragile(), new NodeResourcesFit()), List.of())));
    feed.publish(new ClusterEvent.DefaultPolicyChanged("p"));
    loop.begin();
  }

  private static CompiledPolicy policy(
      String name, List<FilterPlugin> filters, List<CompiledPolicy.WeightedScore> scores) {
    CompiledPolicy usual = LoopObjects.policy(name);
    return new CompiledPolicy(
        name,
        "1",
        filters,
        scores,
        PreemptionRules.off(),
        100,
        false,
        usual.namespaces(),
        Optional.empty(),
        usual.cards(),
        Optional.empty(),
        Optional.empty());
  }

  @AfterEach
  void stop() {
    loop.close();
  }

  private void replay(Consumer<ClusterEvent> engine) {
    if (cachesFail) {
      throw new IllegalStateException("the caches cannot be read");
    }
    caches.values().forEach(object -> engine.accept(events.upserted(object)));
  }

  private void upsert(HasMetadata object) {
    caches.put(object.getKind() + object.getMetadata().getName(), object);
    loop.post(events.upserted(object));
  }

  private static Node node(String name, String... labels) {
    return LoopObjects.node(
        name, Stream.of(labels).collect(Collectors.toMap(label -> label, label -> "yes")));
  }

  private static Pod pod(String name) {
    return LoopObjects.pod(name, "3");
  }

  private void poisonTheEngine() {
    upsert(node("plain"));
    upsert(pod("waiting"));
    await().until(() -> heard.waiting.contains("waiting"));
    upsert(node("bad", POISON));
    await().until(() -> heard.replaced.size() == 1);
  }

  @Test
  void anEngineThatFailsOnANode_isReplaced_andGoesOnWithoutThatNode() {
    poisonTheEngine();

    await().until(() -> heard.refusals.size() == 1);
    assertThat(heard.replaced).containsExactly("processing NodeUpserted");
    assertThat(heard.refusals.getFirst().name()).isEqualTo("bad");
    assertThat(heard.refusals.getFirst().reason())
        .startsWith("the engine failed on it, so it is excluded for a while")
        .endsWith("cannot read node bad");
    clock.move(Duration.ofSeconds(2));
    upsert(node("fine", "good"));
    await().until(() -> heard.placed.contains("waiting on fine"));
    assertThat(loop.problem()).isEmpty();
    assertThat(heard.failures).isEmpty();
  }

  @Test
  void theNode_isTakenAgain_onceItHasChangedAndItsPauseIsOver() {
    poisonTheEngine();
    upsert(node("bad", "good"));
    upsert(pod("other"));
    await().until(() -> heard.waiting.contains("other"));
    assertThat(heard.placed).isEmpty();

    clock.move(Duration.ofSeconds(2));
    loop.wake();

    await().until(() -> heard.placed.size() == 1);
    assertThat(heard.placed.getFirst()).endsWith("on bad");
    assertThat(heard.replaced).hasSize(1);
  }

  /** Lets the first pod be placed on the only suitable node, and the second one wait for it. */
  private void placeOneOfTwo() {
    upsert(node("plain"));
    upsert(node("fine", "good"));
    upsert(pod("first"));
    await().until(() -> heard.placed.contains("first on fine"));
    upsert(pod("waiting"));
    await().until(() -> heard.waiting.contains("waiting"));
  }

  @Test
  void podsWhoseBindingsAreUnderWay_keepTheirRoom() {
    placeOneOfTwo();
    upsert(node("bad", POISON));
    await().until(() -> heard.replaced.size() == 1);

    await().until(() -> heard.waiting.stream().filter("waiting"::equals).count() == 2);
    assertThat(heard.placed).containsExactly("first on fine");
    loop.post(
        new ClusterEvent.BindingFailed(new PodRef("team", "first", "uid-first"), "refused", false));
    clock.move(Duration.ofSeconds(20));
    loop.wake();
    await().until(() -> heard.placed.contains("waiting on fine"));
  }

  private void excludePodInFlight() {
    placeOneOfTwo();
    upsert(
        new PodBuilder(pod("first")).editMetadata().addToLabels(POISON, "").endMetadata().build());
    await().until(() -> heard.replaced.size() == 1);
    await().until(() -> heard.waiting.stream().filter("waiting"::equals).count() == 2);
  }

  @Test
  void anExcludedPodWhoseBindingIsUnderWay_closesItsNode() {
    excludePodInFlight();

    assertThat(heard.refusals).extracting(Refusal::name).containsExactly("team/first");
    assertThat(heard.placed).containsExactly("first on fine");
    upsert(node("second", "good"));
    await().until(() -> heard.placed.contains("waiting on second"));
    assertThat(heard.placed).containsExactly("first on fine", "waiting on second");
  }

  @Test
  void anExcludedPodWhoseBindingIsUnderWay_isPlacedOnItsNode_whenItIsTriedAgain() {
    excludePodInFlight();
    clock.move(Duration.ofSeconds(2));
    upsert(pod("first"));
    upsert(LoopObjects.pod("small", "1"));

    await().until(() -> heard.placed.contains("small on fine"));
    assertThat(heard.placed).containsExactly("first on fine", "small on fine");
  }

  @Test
  void theNodeOfAnExcludedPod_isOpen_onceItsBindingHasFailed_andThePodIsTriedAgain() {
    excludePodInFlight();
    feed.publish(
        new ClusterEvent.BindingFailed(new PodRef("team", "first", "uid-first"), "refused", true));
    await().until(() -> heard.placed.contains("waiting on fine"));

    upsert(node("second", "good"));
    clock.move(Duration.ofSeconds(2));
    loop.wake();

    await().until(() -> heard.placed.contains("first on second"));
    assertThat(heard.replaced).hasSize(1);
  }

  @Test
  void anEngineThatCannotBeBuilt_endsTheLoop() {
    upsert(node("plain"));
    upsert(pod("waiting"));
    await().until(() -> heard.waiting.contains("waiting"));
    cachesFail = true;
    upsert(node("bad", POISON));

    await().until(() -> loop.problem().isPresent());
    assertThat(loop.problem().orElseThrow())
        .startsWith("failed while rebuilding the engine and has stopped scheduling");
    await().until(() -> heard.failures.size() == 1);
  }

  @Test
  void aDecisionThatCannotBeProcessed_delaysOnlyItsPod() {
    heard.failsOn = "cursed";
    upsert(node("fine", "good"));
    upsert(pod("cursed"));
    await().until(() -> heard.replaced.size() == 1);
    assertThat(heard.replaced.getFirst())
        .startsWith("passing on the decision on ")
        .contains("cursed");

    upsert(pod("other"));

    await().until(() -> heard.placed.contains("other on fine"));
    assertThat(heard.attempts).as("attempts before the pause is over").hasSize(1);
    heard.failsOn = "";
    upsert(node("second", "good"));
    clock.move(Duration.ofSeconds(2));
    loop.wake();
    await().until(() -> heard.placed.contains("cursed on second"));
    assertThat(loop.problem()).isEmpty();
  }

  @Test
  void thePausesOfAPodThatFailsAgain_grow() {
    heard.failsOn = "cursed";
    upsert(node("fine", "good"));
    upsert(pod("cursed"));
    await().until(() -> heard.attempts.size() == 1);
    clock.move(Duration.ofSeconds(1));
    loop.wake();
    await().until(() -> heard.attempts.size() == 2);

    clock.move(Duration.ofSeconds(1));
    upsert(node("second", "good"));
    upsert(pod("other"));

    await().until(() -> heard.placed.size() == 1);
    assertThat(heard.attempts).as("attempts one second after the second").hasSize(2);
    clock.move(Duration.ofSeconds(1));
    loop.wake();
    await().until(() -> heard.attempts.size() == 3);
  }

  @Test
  void aListenerThatFails_doesNotStopTheLoop() {
    heard.countingFails = true;
    upsert(node("fine", "good"));
    upsert(pod("web"));

    await().until(() -> heard.placed.contains("web on fine"));
    await().until(() -> !heard.failures.isEmpty());
    assertThat(heard.replaced).isEmpty();
    assertThat(loop.problem()).isEmpty();
  }

  /** A score whose gauge cannot be created while this is set. */
  private final AtomicBoolean gaugesFail = new AtomicBoolean();

  private record BrokenScore(int number, AtomicBoolean fails) implements GaugedScore {
    @Override
    public String name() {
      return "Broken" + number;
    }

    @Override
    public Gauge newGauge(ClusterState state) {
      if (fails.get()) {
        throw new IllegalStateException("gauge " + number);
      }
      return new Gauge() {
        @Override
        public void advance() {}

        @Override
        public List<Gauge.Reading> readings() {
          return List.of();
        }

        @Override
        public void seed(String scope, String mode) {}
      };
    }

    @Override
    public Optional<NodeScorer> scorerFor(PodShape shape, ClusterState state) {
      return Optional.empty();
    }
  }

  @Test
  void moreThanFiftyObjectsThatFail_areAllExcluded() {
    int broken = 60;
    for (int i = 0; i < broken; i++) {
      CompiledPolicy policy =
          policy(
              "broken-" + i,
              List.of(),
              List.of(new CompiledPolicy.WeightedScore(new BrokenScore(i, gaugesFail), 1)));
      feed.publish(new ClusterEvent.PolicyServed(policy));
    }
    AtomicBoolean served = new AtomicBoolean();
    feed.publish(new ClusterEvent.DefaultPolicyChanged("p"), receipt -> served.set(true));
    await().untilTrue(served);
    gaugesFail.set(true);
    poisonTheEngine();

    await().until(() -> heard.refusals.size() == broken + 1);
    upsert(node("fine", "good"));
    await().until(() -> heard.placed.contains("waiting on fine"));
    assertThat(loop.problem()).isEmpty();
  }

  @Test
  void anErrorOfTheVirtualMachine_endsTheLoop_andIsReported() {
    loop.post(
        events.upserted(node("plain")),
        receipt -> {
          throw new OutOfMemoryError("made up");
        });

    await().until(() -> loop.problem().isPresent());
    assertThat(loop.problem().orElseThrow()).endsWith("OutOfMemoryError: made up");
    await().until(() -> heard.failures.size() == 1);
  }
}
