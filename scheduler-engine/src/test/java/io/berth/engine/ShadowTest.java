package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowDecision.Result;
import io.berth.engine.api.ShadowState;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Shadow;
import io.berth.engine.framework.Verdict;
import io.berth.engine.state.ClusterState;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shadows: other policies that are tried beside the policy of a pod, without effect. */
class ShadowTest {
  private static final String TRIED = "tried";
  private static final String PACKS =
      """
      {"priorities": [
         {"name": "NodeResourcesFit", "weight": 100,
          "args": {"scoringStrategy": {"type": "MostAllocated"}}}]}
      """;

  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void twoNodes() {
    cluster.upsert(TestCluster.node("n1", "8"));
    cluster.upsert(TestCluster.node("n2", "8"));
    cluster.upsert(TestCluster.bound(TestCluster.pod("first", "4", 0), "n2"));
    shadow(new Shadow(TRIED, 100));
  }

  private void shadow(Shadow shadow) {
    shadow("{}", shadow);
  }

  private void shadow(String spec, Shadow shadow) {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, spec).withShadow(Optional.of(shadow))));
  }

  private void serve(String spec) {
    cluster.apply(new ClusterEvent.PolicyServed(TestCluster.policy(TRIED, spec)));
  }

  private ShadowDecision compared() {
    List<ShadowDecision> decisions = cluster.engine.takeShadowDecisions();
    assertThat(decisions).hasSize(1);
    return decisions.getFirst();
  }

  private ShadowState state() {
    List<ShadowState> states = cluster.engine.shadows(cluster.now());
    assertThat(states).hasSize(1);
    return states.getFirst();
  }

  @Test
  void aShadowThatPacks_saysThatThePodWouldGoElsewhere_andThePodGoesToItsNode() {
    serve(PACKS);
    cluster.upsert(TestCluster.pod("p", "1", 0));

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
    ShadowDecision decision = compared();
    assertThat(decision.result()).isEqualTo(Result.ELSEWHERE);
    assertThat(decision.nodeName()).isEqualTo("n2");
    assertThat(decision.pod().name()).isEqualTo("p");
    assertThat(decision.policy()).isEqualTo(TestCluster.POLICY);
    assertThat(decision.shadow()).isEqualTo(TRIED);
    assertThat(state().pods(Result.ELSEWHERE)).isEqualTo(1);
    assertThat(state().compared()).isEqualTo(1);
    assertThat(state().shadowRevision()).isEqualTo("1");
  }

  @Test
  void ofNodesWithEqualScores_theShadowPrefersTheOneOfThePod() {
    TestCluster taking = new TestCluster(EngineOptions.defaults());
    taking.apply(new ClusterEvent.PolicyServed(TestCluster.policy(TRIED, "{}")));
    taking.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, "{}")
                .withShadow(Optional.of(new Shadow(TRIED, 100)))));
    for (int i = 0; i < 10; i++) {
      taking.upsert(TestCluster.node("n" + i, "64"));
    }
    for (int i = 0; i < 20; i++) {
      taking.upsert(TestCluster.pod("p" + i, "1", 0));
      taking.placed();
    }

    assertThat(taking.engine.shadows(taking.now()).getFirst().pods(Result.SAME)).isEqualTo(20);
  }

  @Test
  void aPodThatFitsNowhereByTheShadow_isCounted_withTheReason() {
    serve("{\"allowedNamespaces\": {\"names\": [\"others\"]}}");
    cluster.upsert(TestCluster.pod("p", "1", 0));

    cluster.placed();
    ShadowDecision decision = compared();
    assertThat(decision.result()).isEqualTo(Result.FITS_NOWHERE);
    assertThat(decision.nodeName()).isEmpty();
    assertThat(decision.message()).contains("does not allow namespace \"team\"");
  }

  @Test
  void aPodThatFitsNowhereByItsPolicy_andByTheShadow_isCountedOnce() {
    serve("{}");
    cluster.upsert(TestCluster.pod("large", "64", 0));

    cluster.unschedulable();
    assertThat(compared().result()).isEqualTo(Result.SAME);
    cluster.later(Duration.ofMinutes(10));
    cluster.unschedulable();

    assertThat(cluster.engine.takeShadowDecisions()).isEmpty();
    assertThat(state().compared()).isEqualTo(1);
  }

  @Test
  void aPodThatOnlyTheShadowPlaces_isCounted() {
    serve("{\"predicates\": [{\"name\": \"TaintToleration\", \"enabled\": false}]}");
    cluster.upsert(tainted("n1"));
    cluster.upsert(tainted("n2"));
    cluster.upsert(TestCluster.pod("p", "1", 0));

    cluster.unschedulable();
    assertThat(compared().result()).isEqualTo(Result.FITS_INSTEAD);
  }

  private static Node tainted(String name) {
    return new NodeBuilder(TestCluster.node(name, "8"))
        .editSpec()
        .addNewTaint("NoSchedule", "dedicated", null, "gpu")
        .endSpec()
        .build();
  }

  @Test
  void aShadowThatWouldEvict_evictsNothing_andUsesUpNoLimit() {
    cluster.upsert(TestCluster.bound(TestCluster.pod("small", "5", 0), "n1"));
    cluster.apply(
        new ClusterEvent.PolicyServed(
            withFewNodes(
                TestCluster.policy(TRIED, "{\"preemption\": {\"maxEvictionsPerMinute\": 1}}"))));
    cluster.upsert(TestCluster.pod("p", "4", 100));

    assertThat(cluster.placed().nodeName()).isEqualTo("n2");
    ShadowDecision decision = compared();
    assertThat(decision.result()).isEqualTo(Result.EVICTING);
    assertThat(decision.nodeName()).isEqualTo("n1");
    assertThat(decision.message()).isEqualTo("team/small would be evicted");

    // The limit of one eviction a minute holds for all policies, and is not used up.
    cluster.upsert(TestCluster.pod("q", "4", 100));
    Decision.Nominated nominated = cluster.nominated();
    assertThat(nominated.victims()).hasSize(1);
  }

  /** Returns the policy with a filter that rejects n2 for good. */
  private static CompiledPolicy withFewNodes(CompiledPolicy policy) {
    List<FilterPlugin> filters = new ArrayList<>(policy.filters());
    filters.add(new OnlyFirst(false));
    return policy.withFilters(filters);
  }

  /** A filter that accepts the first node only, or has a bug. */
  private record OnlyFirst(boolean broken) implements FilterPlugin {
    private record Question(boolean broken) {}

    @Override
    public String name() {
      return "OnlyFirst";
    }

    @Override
    public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
      Question question = new Question(broken);
      return Optional.of(
          state
              .answers()
              .acquire(
                  question,
                  () ->
                      new NodeFilter(question, state, state.nodes().capacityLog()) {
                        @Override
                        protected int check(int slot) {
                          if (question.broken()) {
                            throw new IllegalStateException("cannot be checked");
                          }
                          return state.nodes().name(slot).equals("n1")
                              ? PASSES
                              : idOf(Verdict.unresolvable("not the first"));
                        }
                      }));
    }

    @Override
    public Cure cureBy(Change change) {
      return Cure.all();
    }
  }

  @Test
  void aShadowThatFails_doesNotAffectThePod() {
    CompiledPolicy whole = TestCluster.policy(TRIED, "{}");
    List<FilterPlugin> filters = new ArrayList<>(whole.filters());
    filters.add(new OnlyFirst(true));
    cluster.apply(new ClusterEvent.PolicyServed(whole.withFilters(filters)));
    cluster.upsert(TestCluster.pod("p", "1", 0));

    assertThat(cluster.placed().nodeName()).isEqualTo("n1");
    ShadowDecision decision = compared();
    assertThat(decision.result()).isEqualTo(Result.FAILED);
    assertThat(decision.message()).contains("cannot be checked");
    assertThat(state().pods(Result.FAILED)).isEqualTo(1);
  }

  @Test
  void aShadowThatIsNotServed_comparesNothing_andSaysSo() {
    cluster.upsert(TestCluster.pod("p", "1", 0));
    cluster.placed();

    assertThat(cluster.engine.takeShadowDecisions()).isEmpty();
    assertThat(state().shadowRevision()).isEmpty();
    assertThat(state().compared()).isZero();
  }

  @Test
  void aChangeOfEitherPolicy_beginsToCountAgain() {
    serve(PACKS);
    cluster.upsert(TestCluster.pod("p", "1", 0));
    cluster.placed();
    assertThat(state().compared()).isEqualTo(1);

    cluster.later(Duration.ofMinutes(1));
    serve("{}");
    assertThat(state().compared()).isZero();
    assertThat(state().since()).isEqualTo(cluster.now());

    shadow(new Shadow(TRIED, 50));
    assertThat(state().compared()).isZero();

    cluster.apply(new ClusterEvent.PolicyServed(TestCluster.policy(TestCluster.POLICY, "{}")));
    assertThat(cluster.engine.shadows(cluster.now())).isEmpty();
  }

  @Test
  void aPercentage_choosesAboutAsManyPods() {
    serve("{}");
    shadow(new Shadow(TRIED, 10));
    int compared = 0;
    for (int i = 0; i < 1_000; i++) {
      placeAndRemove("p" + i);
      compared += cluster.engine.takeShadowDecisions().size();
    }

    assertThat(compared).isBetween(70, 130);
    assertThat(state().compared() + state().skipped()).isBetween(70L, 130L);
    assertThat(state().workPercent()).isLessThanOrEqualTo(20);
  }

  @Test
  void aShadowThatTakesMoreWork_isTriedForFewerPods() {
    CompiledPolicy whole = TestCluster.policy(TRIED, "{}");
    List<FilterPlugin> filters = new ArrayList<>(whole.filters());
    filters.add(new Laborious());
    cluster.apply(new ClusterEvent.PolicyServed(whole.withFilters(filters)));
    shadow(new Shadow(TRIED, 10));
    for (int i = 0; i < 1_000; i++) {
      placeAndRemove("p" + i);
    }

    assertThat(state().skipped()).isGreaterThan(state().compared());
    // One attempt may exceed the limit.
    assertThat(state().workPercent()).isLessThanOrEqualTo(20 + 4);
  }

  private void placeAndRemove(String name) {
    Pod pod = TestCluster.pod(name, "1", 0);
    cluster.upsert(pod);
    cluster.placed();
    cluster.remove(pod);
  }

  /** A filter that takes a lot of work for each pod. */
  private record Laborious() implements FilterPlugin {
    @Override
    public String name() {
      return "Laborious";
    }

    @Override
    public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
      return Optional.of(
          state
              .answers()
              .acquire(
                  this,
                  () ->
                      new NodeFilter(this, state, state.nodes().capacityLog()) {
                        @Override
                        protected int check(int slot) {
                          state.work().spend(50_000);
                          return PASSES;
                        }
                      }));
    }

    @Override
    public Cure cureBy(Change change) {
      return Cure.all();
    }
  }
}
