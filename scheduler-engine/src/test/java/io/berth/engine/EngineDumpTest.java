package io.berth.engine;

import static io.berth.engine.fixtures.Pods.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineDump;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.WaitingUnit;
import io.berth.engine.api.WaitingUnit.Place;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The inside of an engine with one node of two CPUs, as operators see it. */
class EngineDumpTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static final long CACHE = 64L << 20;

  private final EngineOptions options = EngineOptions.defaults().withCacheBytes(CACHE);
  private final Engine engine = new Engine(options);

  @BeforeEach
  void fill() {
    PolicyCompilation compiled =
        new PolicyCompiler().compile("test", "1", SchedulingPolicySpec.defaults());
    apply(new ClusterEvent.PolicyServed(((PolicyCompilation.Compiled) compiled).policy()));
    apply(new ClusterEvent.DefaultPolicyChanged("test"));
    apply(new ClusterEvent.NodeUpserted(Nodes.node("n").milliCpu(2_000).build()));
  }

  private void apply(ClusterEvent event) {
    engine.apply(event, NOW);
  }

  private void put(Pods pod) {
    apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private static List<String> names(EngineDump dump) {
    return dump.units().stream().map(WaitingUnit::name).toList();
  }

  @Test
  void units_areInTheOrderInWhichTheyAreTried() {
    put(pod("too-big").milliCpu(9_000));
    assertThat(engine.next(NOW)).isInstanceOf(Decision.Unschedulable.class);
    put(pod("gated").gates("wait"));
    put(pod("low").milliCpu(100));
    put(pod("urgent").milliCpu(100).priority(5));
    put(pod("later").milliCpu(100));

    EngineDump dump = engine.dump(100, NOW);

    assertThat(names(dump))
        .containsExactly(
            "default/urgent", "default/low", "default/later", "default/too-big", "default/gated");
    assertThat(dump.units())
        .extracting(WaitingUnit::place)
        .containsExactly(
            Place.ACTIVE, Place.ACTIVE, Place.ACTIVE, Place.UNSCHEDULABLE, Place.GATED);
    assertThat(dump.units().get(3).rejectedBy()).containsExactly("NodeResourcesFit");
    assertThat(dump.units().get(3).attempts()).isEqualTo(1);
    assertThat(dump.counts().active()).isEqualTo(3);
  }

  @Test
  void moreUnitsThanAskedFor_areCounted() {
    put(pod("low").milliCpu(100));
    put(pod("urgent").milliCpu(100).priority(5));

    EngineDump dump = engine.dump(1, NOW);

    assertThat(names(dump)).containsExactly("default/urgent");
    assertThat(dump.unitCount()).isEqualTo(2);
  }

  @Test
  void preemptor_isNominated_andItsDryRunsAndPlanAreCached() {
    put(pod("victim").milliCpu(2_000).on("n"));
    put(pod("preemptor").milliCpu(2_000).priority(10));
    assertThat(engine.next(NOW)).isInstanceOf(Decision.Nominated.class);

    EngineDump dump = engine.dump(100, NOW);

    assertThat(dump.nominations())
        .containsExactly(new EngineDump.Nomination("default/preemptor", "n"));
    assertThat(dump.reservation()).isEmpty();
    assertThat(dump.cache().plans()).isEqualTo(1);
    assertThat(dump.cache().plansMade()).isEqualTo(1);
    assertThat(dump.cache().preemptors()).isEqualTo(1);
    assertThat(dump.cache().planBytes()).isPositive();
    assertThat(dump.cache().answerBytes()).isPositive();
    assertThat(dump.cache().dryRunBytes()).isPositive();
    assertThat(dump.cache().engineBytes()).isEqualTo(dump.cache().bytes());
    assertThat(dump.cache().limitBytes()).isEqualTo(CACHE);
  }

  @Test
  void enginesWithOneLimit_areAddedUp() {
    Engine other = new Engine(options);
    put(pod("one").milliCpu(100));
    engine.next(NOW);

    long mine = engine.dump(1, NOW).cache().bytes();
    EngineDump.Cache ofOther = other.dump(1, NOW).cache();

    assertThat(mine).isPositive();
    assertThat(ofOther.engineBytes()).isEqualTo(ofOther.bytes() + mine);
  }

  @Test
  void dump_changesNothing() {
    put(pod("one").milliCpu(100));
    EngineDump before = engine.dump(100, NOW);

    assertThat(engine.dump(100, NOW)).isEqualTo(before);
    assertThat(engine.next(NOW)).isInstanceOf(Decision.Placed.class);
    assertThat(engine.dump(100, NOW).units())
        .extracting(WaitingUnit::place)
        .containsExactly(Place.IN_FLIGHT);
  }
}
