package io.berth.engine.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.journal.Journal;
import io.berth.engine.model.PodModel;
import io.berth.engine.state.CacheLimit;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import org.junit.jupiter.api.Test;

/** The cost of a gauge depends on the number of changes; it only advances between attempts. */
class WaterLevelGaugeTest {
  private final ClusterState state = new ClusterState(new CacheLimit(1 << 20));
  private final WaterLevel plugin = new WaterLevel();

  @Test
  void aPodThatIsPlaced_costsALookAtOneNode() {
    for (int i = 0; i < 200; i++) {
      state.putNode(Nodes.node("n" + i).milliCpu(4000).build());
    }
    WaterLevelGauge gauge = (WaterLevelGauge) plugin.newGauge(state);
    gauge.advance();
    long before = gauge.visits();
    PodEntry pod = state.addPod(pod());

    state.place(pod, "n7");
    gauge.advance();
    gauge.advance();

    assertThat(gauge.visits() - before).isEqualTo(1);
  }

  @Test
  void insideASavepoint_gaugesDoNotMove() {
    state.gauges().acquire(plugin, () -> plugin.newGauge(state));
    Journal.Savepoint point = state.journal().savepoint();

    assertThatIllegalStateException().isThrownBy(() -> state.gauges().advance());

    state.journal().rollback(point);
    state.gauges().advance();
  }

  private static PodModel pod() {
    return Pods.pod("pod").milliCpu(1000).build();
  }
}
