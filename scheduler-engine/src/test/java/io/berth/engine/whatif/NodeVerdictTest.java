package io.berth.engine.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.decision.NodeJudgement;
import io.berth.engine.decision.NodeJudgement.FilterVerdict;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.TaintEffect;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Verdicts about the nodes of a pool: n1 is used by half, n2 is empty, and n3 is tainted. */
class NodeVerdictTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final Mirror mirror = new Mirror(EngineOptions.defaults());

  @BeforeEach
  void fill() {
    PolicyCompilation compiled =
        new PolicyCompiler().compile("test", "1", SchedulingPolicySpec.defaults());
    apply(new ClusterEvent.PolicyServed(((PolicyCompilation.Compiled) compiled).policy()));
    apply(new ClusterEvent.DefaultPolicyChanged("test"));
    apply(new ClusterEvent.NodeUpserted(node("n1").build()));
    apply(new ClusterEvent.NodeUpserted(node("n2").build()));
    apply(
        new ClusterEvent.NodeUpserted(
            node("n3").taint("dedicated", "db", TaintEffect.NO_SCHEDULE).build()));
    add(Pods.pod("old").milliCpu(2_000).memoryBytes(1L << 30).on("n1"));
  }

  private static Nodes node(String name) {
    return Nodes.node(name).milliCpu(4_000).memoryBytes(8L << 30);
  }

  private void apply(ClusterEvent event) {
    mirror.apply(event, NOW);
  }

  private void add(Pods pod) {
    apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private Optional<NodeVerdict> of(String pod, String node) {
    return NodeVerdict.of(
        mirror, mirror.pod("default", pod).orElseThrow(), mirror.node(node).orElseThrow(), NOW);
  }

  private static List<String> rejecting(NodeJudgement judgement) {
    return judgement.filters().stream()
        .filter(filter -> filter.rejection().isPresent())
        .map(FilterVerdict::plugin)
        .toList();
  }

  @Test
  void nodeThatFits_isComparedWithTheWinner_pluginByPlugin() {
    add(Pods.pod("new").milliCpu(1_000));

    NodeJudgement judgement = of("new", "n1").orElseThrow().judgement();

    assertThat(judgement.fits()).isTrue();
    assertThat(judgement.filters()).hasSizeGreaterThan(2);
    assertThat(judgement.feasibleNodes()).isEqualTo(2);
    assertThat(judgement.winner()).isEqualTo("n2");
    assertThat(judgement.score().orElseThrow().total())
        .isLessThan(judgement.winnerScore().orElseThrow().total());
    assertThat(judgement.score().orElseThrow().plugins())
        .hasSameSizeAs(judgement.winnerScore().orElseThrow().plugins());
  }

  @Test
  void winner_isComparedWithItself() {
    add(Pods.pod("new").milliCpu(1_000));

    NodeJudgement judgement = of("new", "n2").orElseThrow().judgement();

    assertThat(judgement.score()).isEqualTo(judgement.winnerScore());
  }

  @Test
  void everyFilterThatRejects_isNamed_notOnlyTheFirst() {
    add(Pods.pod("big").milliCpu(5_000));

    NodeVerdict verdict = of("big", "n3").orElseThrow();

    assertThat(rejecting(verdict.judgement()))
        .containsExactlyInAnyOrder("TaintToleration", "NodeResourcesFit");
    assertThat(verdict.judgement().winner()).isEmpty();
    assertThat(verdict.judgement().score()).isEmpty();
  }

  @Test
  void figures_areThoseOfTheOtherPods() {
    add(Pods.pod("new").milliCpu(3_000));

    assertThat(of("new", "n1").orElseThrow().resources())
        .contains(new NodeVerdict.Room("cpu", 3_000, 2_000, 4_000));
    assertThat(of("old", "n1").orElseThrow().resources())
        .as("without the pod itself")
        .contains(new NodeVerdict.Room("cpu", 2_000, 4_000, 4_000));
  }

  @Test
  void roomOfANominatedPod_isNamedAsTheReason() {
    add(Pods.pod("waits").milliCpu(4_000).priority(10).nominatedNode("n2"));
    add(Pods.pod("new").milliCpu(1_000));

    NodeJudgement judgement = of("new", "n2").orElseThrow().judgement();

    assertThat(judgement.filters())
        .filteredOn(FilterVerdict::besideNominated)
        .extracting(FilterVerdict::plugin)
        .containsExactly("NodeResourcesFit");
    assertThat(judgement.fits()).isFalse();
  }

  @Test
  void podWhosePolicyDoesNotExist_hasNoVerdict_andTheMirrorStaysAsItWas() {
    add(Pods.pod("lost").policy("nowhere"));

    assertThat(of("lost", "n1")).isEmpty();
    assertThat(of("old", "n2")).isPresent();
    assertThat(mirror.pod("default", "old").orElseThrow().nodeName()).isEqualTo("n1");
  }
}
