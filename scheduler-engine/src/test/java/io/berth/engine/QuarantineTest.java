package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Idle;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.state.ClusterState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Quarantine: a pod whose attempt fails is set aside, and everything else continues. */
class QuarantineTest {
  private static final int POISON = 13;

  private final TestCluster cluster = new TestCluster();

  /** A filter with a bug: it throws on pods of one priority. */
  private record Fragile(boolean whenMade) implements FilterPlugin {
    private record Question(int priority) {}

    @Override
    public String name() {
      return "Fragile";
    }

    @Override
    public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
      int priority = shape.spec().priority();
      if (whenMade && priority == POISON) {
        throw new IllegalStateException("cannot be made");
      }
      Question question = new Question(priority);
      return Optional.of(
          state
              .answers()
              .acquire(
                  question,
                  () ->
                      new NodeFilter(question, state, state.nodes().capacityLog()) {
                        @Override
                        protected int check(int slot) {
                          if (question.priority() == POISON) {
                            throw new IllegalStateException("cannot be checked");
                          }
                          return PASSES;
                        }
                      }));
    }

    @Override
    public Cure cureBy(Change change) {
      return Cure.all();
    }
  }

  @BeforeEach
  void twoNodes() {
    cluster.upsert(TestCluster.node("n1", "4"));
    cluster.upsert(TestCluster.node("n2", "4"));
  }

  private void serve(Fragile fragile) {
    CompiledPolicy whole = TestCluster.policy(TestCluster.POLICY, SchedulingPolicySpec.defaults());
    List<FilterPlugin> filters = new ArrayList<>(whole.filters());
    filters.add(fragile);
    cluster.apply(new ClusterEvent.PolicyServed(whole.withFilters(filters)));
  }

  private Decision.Quarantined quarantined() {
    Decision decision = cluster.decision();
    assertThat(decision).isInstanceOf(Decision.Quarantined.class);
    return (Decision.Quarantined) decision;
  }

  @Test
  void aPodOnWhichAPluginThrows_isSetAside_andTheOthersArePlaced() {
    serve(new Fragile(false));
    cluster.upsert(TestCluster.pod("before", "1", 0));
    cluster.placed();
    cluster.upsert(TestCluster.pod("poison", "1", POISON));
    cluster.upsert(TestCluster.pod("after", "1", 0));

    Decision.Quarantined decision = quarantined();

    assertThat(decision.pod().name()).isEqualTo("poison");
    assertThat(decision.message())
        .startsWith("the attempt failed and was undone; the pod is tried again after 2026-01-01T")
        .endsWith("cannot be checked");
    assertThat(cluster.placed().pod().name()).isEqualTo("after");
    assertThat(cluster.next()).isInstanceOf(Idle.class);
  }

  @Test
  void aPluginThatThrowsWhenItIsAsked_leavesNothingBehind() {
    serve(new Fragile(true));
    cluster.upsert(TestCluster.pod("poison", "1", POISON));
    quarantined();
    cluster.remove(TestCluster.pod("poison", "1", POISON));

    assertThat(cluster.engine.state().answers().size()).isZero();
    assertThat(cluster.engine.state().specs()).isZero();
    cluster.upsert(TestCluster.pod("after", "1", 0));
    cluster.placed();
  }

  @Test
  void thePauseDoubles_whateverHappensMeanwhile() {
    serve(new Fragile(false));
    cluster.upsert(TestCluster.pod("poison", "1", POISON));
    quarantined();
    Duration pause = Duration.ofSeconds(1);
    for (int i = 0; i < 5; i++) {
      cluster.upsert(TestCluster.node("n" + (i + 3), "4"));
      cluster.later(pause.minusMillis(1));
      assertThat(cluster.next()).isInstanceOf(Idle.class);
      cluster.later(Duration.ofMillis(1));
      quarantined();
      pause = pause.multipliedBy(2);
    }
  }

  @Test
  void aPodThatTakesMoreStepsThanAnAttemptMay_isSetAside_andPlacedOnceItTakesFewer() {
    cluster.engine.state().work().limitTo(10, 0);
    cluster.upsert(TestCluster.pod("dear", "1", 0));

    assertThat(quarantined().message()).contains("exceeded 10 steps");

    cluster.engine.state().work().limitTo(1_000, 0);
    cluster.later(Duration.ofSeconds(1));
    assertThat(cluster.placed().pod().name()).isEqualTo("dear");
  }

  @Test
  void anAttemptThatBreaksOff_isUndoneAsAWhole_whereverItWas() {
    for (int i = 0; i < 8; i++) {
      cluster.upsert(TestCluster.bound(TestCluster.pod("low-" + i, "1", 0), "n" + (1 + i % 2)));
    }
    cluster.upsert(TestCluster.pod("high", "2", 100));
    for (int limit = 0; limit < 1_000; limit++) {
      cluster.engine.state().work().limitTo(limit, 0);
      Decision decision = cluster.decision();
      assertThat(cluster.engine.state().nodes().podCount(0)).isEqualTo(4);
      assertThat(cluster.engine.state().nodes().podCount(1)).isEqualTo(4);
      assertThat(cluster.engine.state().nodes().requested(0, 0)).isEqualTo(4_000);
      assertThat(cluster.engine.state().nodes().requested(0, 1)).isEqualTo(4_000);
      if (decision instanceof Decision.Nominated nominated) {
        assertThat(limit).isGreaterThan(10);
        assertThat(nominated.victims()).hasSize(2);
        return;
      }
      assertThat(decision).isInstanceOf(Decision.Quarantined.class);
      cluster.later(Duration.ofMinutes(10));
    }
    throw new AssertionError("never tried to its end");
  }

  @Test
  void aPodWhoseBindingIsUnderWay_isTakenOverFromAnEngineThatWasReplaced() {
    cluster.upsert(TestCluster.pod("assumed", "3", 0));
    cluster.apply(
        new ClusterEvent.PodAssumed(
            TestCluster.ref(TestCluster.pod("assumed", "3", 0)), "n1", List.of(), List.of()));
    assertThat(cluster.next()).isInstanceOf(Idle.class);
    cluster.upsert(TestCluster.pod("other", "2", 0));
    assertThat(cluster.placed().nodeName()).isEqualTo("n2");

    cluster.apply(
        new ClusterEvent.BindingFailed(
            TestCluster.ref(TestCluster.pod("assumed", "3", 0)), "conflict", true));
    cluster.later(Duration.ofSeconds(2));

    assertThat(cluster.placed().pod().name()).isEqualTo("assumed");
  }
}
