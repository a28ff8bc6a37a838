package io.berth.operator.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.state.Gauge;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The inputs of an engine that replaces another one. */
class EngineInputsTest {
  @Test
  void theModesOfGauges_followThePoliciesThatTheyBelongTo() {
    EngineFeed feed = new EngineFeed(engine -> () -> {}, engine -> {});
    EngineInputs inputs = new EngineInputs(feed::replay);
    ClusterEvent.PolicyServed served = new ClusterEvent.PolicyServed(LoopObjects.policy("pool"));
    feed.publish(served);
    inputs.gauges(
        List.of(
            new GaugeReading("pool", "WaterLevel", new Gauge.Reading("cluster", "Pack", 0.83))));
    List<ClusterEvent> replayed = new ArrayList<>();

    inputs.replay(replayed::add);

    assertThat(replayed)
        .containsExactly(
            served, new ClusterEvent.GaugeSeeded("pool", "WaterLevel", "cluster", "Pack"));
  }

  @Test
  void modesThatTheFailedEngineWasSentAndNeverRead_areSentToTheNext() {
    EngineFeed feed = new EngineFeed(engine -> () -> {}, engine -> {});
    EngineInputs inputs = new EngineInputs(feed::replay);
    ClusterEvent.PolicyServed served = new ClusterEvent.PolicyServed(LoopObjects.policy("pool"));
    ClusterEvent.GaugeSeeded seeded =
        new ClusterEvent.GaugeSeeded("pool", "WaterLevel", "cluster", "Pack");
    feed.publish(served);
    feed.publish(seeded);
    inputs.gauges(List.of());
    List<ClusterEvent> replayed = new ArrayList<>();

    inputs.replay(replayed::add);

    assertThat(replayed).containsExactly(served, seeded);
    feed.publish(new ClusterEvent.PolicyRemoved("pool"));
    replayed.clear();
    inputs.replay(replayed::add);
    assertThat(replayed).isEmpty();
  }
}
