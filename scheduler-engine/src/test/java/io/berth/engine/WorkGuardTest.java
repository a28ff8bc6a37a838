package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.QueueCounts;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.Requirement;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.rules.label.LabelOperator;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Counts of work instead of time: results are not computed twice. */
class WorkGuardTest {
  private static final int NODES = 300;

  /** The maximum number of filters and scorers of the default policy. */
  private static final int PLUGINS = 20;

  private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final RandomCluster objects = new RandomCluster(new Random(7));

  private Engine engineWithNodes(EngineOptions options) {
    Engine engine = new Engine(options);
    PolicyCompilation compiled =
        new PolicyCompiler().compile("test", "1", SchedulingPolicySpec.defaults());
    engine.apply(
        new ClusterEvent.PolicyServed(((PolicyCompilation.Compiled) compiled).policy()), now);
    for (int i = 0; i < NODES; i++) {
      engine.apply(new ClusterEvent.NodeUpserted(roomy(i)), now);
    }
    return engine;
  }

  private static NodeModel roomy(int number) {
    String name = "n" + number;
    return Nodes.node(name)
        .label("topology.kubernetes.io/zone", "z" + number % 3)
        .milliCpu(64_000)
        .memoryBytes(256L << 30)
        .build();
  }

  private void place(Engine engine, PodModel pod) {
    engine.apply(new ClusterEvent.PodUpserted(pod), now);
    assertThat(engine.next(now)).isInstanceOf(Decision.class);
    engine.apply(new ClusterEvent.BindingConfirmed(pod.ref()), now);
  }

  private PodModel replica(PodModel pod, int number) {
    PodRef ref = new PodRef(pod.ref().namespace(), "r" + number, "uid-r" + number);
    return Pods.from(pod).ref(ref).labels(Map.of("app", "web", "unique", "u" + number)).build();
  }

  private PodModel plainPod() {
    PodModel pod = objects.pod();
    return Pods.from(pod)
        .spec(Pods.pod("plain").requests(pod.spec().requests()).images(pod.spec().images()).spec())
        .build();
  }

  @Test
  void furtherReplicas_areSummedUpOnTheNodesThatChanged() {
    Engine engine = engineWithNodes(EngineOptions.defaults());
    PodModel pod = plainPod();
    place(engine, replica(pod, 1));
    place(engine, replica(pod, 2));
    long before = engine.plans().looks();
    for (int i = 3; i < 53; i++) {
      place(engine, replica(pod, i));
    }

    assertThat(engine.plans().looks() - before).isLessThanOrEqualTo(50 * PLUGINS);
  }

  @Test
  void groupsThatWait_areCountedOnTheNodesThatChanged() {
    Engine engine = engineWithNodes(EngineOptions.defaults());
    // Only one node has room for a member: pods that leave it may help the groups, but do not.
    for (int i = 1; i < NODES; i++) {
      PodModel taken = Pods.pod("taken-" + i).milliCpu(10_000).on("n" + i).build();
      engine.apply(new ClusterEvent.PodUpserted(taken), now);
    }
    int groups = 50;
    for (int i = 0; i < groups; i++) {
      GroupModel group =
          GroupModel.of(new GroupRef(GroupDialect.BERTH, "default", "group-" + i), 2);
      for (int member = 0; member < 2; member++) {
        PodModel pod =
            Pods.pod("member-" + i + "-" + member)
                .policy("test")
                .milliCpu(60_000)
                .memberOf(group)
                .build();
        engine.apply(new ClusterEvent.PodUpserted(pod), now);
      }
    }
    PodModel pod = plainPod();
    int rounds = 10;
    long before = 0;
    long arrivedBefore = 0;
    for (int round = 0; round <= rounds; round++) {
      Instant then = now.plusSeconds(20L * round);
      while (!(engine.next(then) instanceof Idle idle && !idle.until().isReached(then))) {
        // Try everything that can be tried now.
      }
      if (round == 0) {
        before = engine.plans().looks();
        arrivedBefore = attemptsThatFailed(engine);
      }
      PodModel passing = replica(pod, round);
      engine.apply(new ClusterEvent.PodUpserted(passing), then);
      assertThat(engine.next(then)).isInstanceOf(Decision.Placed.class);
      engine.apply(new ClusterEvent.BindingConfirmed(passing.ref()), then);
      engine.apply(new ClusterEvent.PodRemoved(passing.ref()), then);
    }

    assertThat(attemptsThatFailed(engine) - arrivedBefore).isEqualTo((long) rounds * groups);
    assertThat(engine.plans().looks() - before).isLessThanOrEqualTo(rounds * 4L * PLUGINS);
  }

  private static long attemptsThatFailed(Engine engine) {
    return engine.queueCounts().incoming().stream()
        .filter(incoming -> incoming.event().equals("ScheduleAttemptFailure"))
        .mapToLong(QueueCounts.Incoming::pods)
        .sum();
  }

  @Test
  void aReaderThatFellBehind_searchesTheNodesAgainWithoutSortingThem() {
    Engine engine = engineWithNodes(EngineOptions.defaults());
    PodModel pod = plainPod();
    place(engine, replica(pod, 1));
    PodModel other = Pods.from(pod).milliCpu(8_000).build();
    for (int i = 1000; i < 1000 + NODES; i++) {
      place(engine, replica(other, i));
    }
    long looks = engine.plans().looks();
    long reads = engine.plans().reads();

    place(engine, replica(pod, 2));
    place(engine, replica(pod, 3));

    assertThat(engine.plans().looks() - looks).isLessThanOrEqualTo(2L * PLUGINS);
    assertThat(engine.plans().reads() - reads).isBetween(1L, 2L * NODES);
  }

  @Test
  void roomOfANominatedPod_isTriedOnceForAllReplicas() {
    Engine engine = engineWithNodes(EngineOptions.defaults());
    for (int i = 0; i < 20; i++) {
      engine.apply(
          new ClusterEvent.PodUpserted(
              Pods.pod("promised-" + i)
                  .policy("test")
                  .priority(100)
                  .milliCpu(60_000)
                  .nominatedNode("n" + i)
                  .gates("wait")
                  .build()),
          now);
    }
    PodModel pod = Pods.pod("pod").policy("test").milliCpu(8_000).build();
    for (int i = 0; i < 100; i++) {
      place(engine, replica(pod, i));
    }

    assertThat(engine.plans().nominatedTrials()).as("one for each node").isEqualTo(20);
  }

  private static PodModel daemon(int node) {
    Requirement name = new Requirement("metadata.name", LabelOperator.IN, List.of("n" + node));
    return Pods.pod("daemon-" + node)
        .policy("test")
        .milliCpu(100)
        .nodes(
            new NodeSelection(
                Map.of(),
                Optional.of(List.of(new NodeTerm(List.of(), List.of(name), false))),
                List.of()))
        .build();
  }

  @Test
  void aPodOfADaemonSet_costsItsOwnNodeAlone() {
    Engine engine = engineWithNodes(EngineOptions.defaults());
    place(engine, daemon(0));
    long evaluations = engine.plans().evaluations();
    long looks = engine.plans().looks();
    for (int i = 1; i < 101; i++) {
      PodModel pod = daemon(i);
      engine.apply(new ClusterEvent.PodUpserted(pod), now);
      Outcome outcome = engine.next(now);
      assertThat(outcome).isInstanceOf(Decision.Placed.class);
      assertThat(((Decision.Placed) outcome).nodeName()).isEqualTo("n" + i);
      engine.apply(new ClusterEvent.BindingConfirmed(pod.ref()), now);
    }

    assertThat(engine.plans().size()).isEqualTo(1);
    assertThat(engine.plans().evaluations() - evaluations).isLessThanOrEqualTo(100 * PLUGINS);
    assertThat(engine.plans().looks()).isEqualTo(looks);
  }

  @Test
  void secondReplica_evaluatesOnlyTheNodeThatChanged() {
    Engine engine = engineWithNodes(EngineOptions.defaults());
    PodModel pod = plainPod();
    place(engine, replica(pod, 1));
    long afterFirst = engine.plans().evaluations();
    place(engine, replica(pod, 2));
    long afterSecond = engine.plans().evaluations();

    assertThat(afterFirst).isGreaterThanOrEqualTo(NODES);
    assertThat(afterSecond - afterFirst).isPositive().isLessThanOrEqualTo(PLUGINS);
  }

  @Test
  void labelsThatNoSelectorReads_makeNoFurtherPlan() {
    Engine engine = engineWithNodes(EngineOptions.defaults());
    PodModel pod = plainPod();
    for (int i = 0; i < 20; i++) {
      place(engine, replica(pod, i));
    }
    assertThat(engine.plans().size()).isEqualTo(1);
    assertThat(engine.state().specs()).isEqualTo(1);
  }

  @Test
  void manyShapes_areForgottenAgain() {
    EngineOptions few = EngineOptions.defaults().withCacheBytes(200_000);
    Engine engine = engineWithNodes(few);
    for (int i = 0; i < 500; i++) {
      PodModel pod = objects.pod();
      engine.apply(new ClusterEvent.PodUpserted(pod), now);
      engine.next(now);
      engine.apply(new ClusterEvent.PodRemoved(pod.ref()), now);
    }
    assertThat(engine.plans().size()).isLessThan(100);
    assertThat(engine.state().specs()).isLessThan(100);
    assertThat(engine.state().matchers().size()).isLessThan(200);
  }
}
