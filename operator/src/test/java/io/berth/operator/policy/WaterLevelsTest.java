package io.berth.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicyStatus;
import io.berth.crds.policy.WaterLevelMode;
import io.berth.crds.policy.WaterLevelStatus;
import io.berth.engine.api.ClusterEvent.GaugeSeeded;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.state.Gauge.Reading;
import io.berth.operator.record.WaterLevels;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The modes of WaterLevel scores in a policy's status. */
class WaterLevelsTest {
  private static GaugeReading reading(String policy, String scope, String mode, double level) {
    return new GaugeReading(policy, "WaterLevel", new Reading(scope, mode, level));
  }

  @Test
  void statusListsThePolicysOwnScopes() {
    List<GaugeReading> readings =
        List.of(
            reading("online", "pool=b", "Pack", 0.914),
            reading("online", "pool=a", "Spread", 0.2),
            reading("batch", "cluster", "Pack", 1),
            new GaugeReading("online", "SomethingElse", new Reading("cluster", "Odd", 1)));

    assertThat(WaterLevels.status("online", readings, List.of()))
        .containsExactly(
            new WaterLevelStatus("pool=a", WaterLevelMode.SPREAD, 20),
            new WaterLevelStatus("pool=b", WaterLevelMode.PACK, 91));
  }

  @Test
  void aLevelThatHardlyMoved_isNotWrittenAgain_andAModeIs() {
    List<WaterLevelStatus> before =
        List.of(new WaterLevelStatus("cluster", WaterLevelMode.SPREAD, 84));

    assertThat(WaterLevels.status("p", List.of(reading("p", "cluster", "Spread", 0.8499)), before))
        .isEqualTo(before);
    assertThat(WaterLevels.status("p", List.of(reading("p", "cluster", "Pack", 0.8499)), before))
        .containsExactly(new WaterLevelStatus("cluster", WaterLevelMode.PACK, 84));
    assertThat(WaterLevels.status("p", List.of(reading("p", "cluster", "Spread", 0.8501)), before))
        .containsExactly(new WaterLevelStatus("cluster", WaterLevelMode.SPREAD, 85));
  }

  @Test
  void ofVeryManyScopes_thoseThatPackAreKept() {
    List<GaugeReading> readings = new ArrayList<>();
    for (int i = 0; i < 2 * WaterLevels.MOST_SCOPES; i++) {
      readings.add(reading("p", "node=%03d".formatted(i), "Spread", 0));
    }
    readings.add(reading("p", "node=full", "Pack", 0.9));

    assertThat(WaterLevels.status("p", readings, List.of()))
        .hasSize(WaterLevels.MOST_SCOPES)
        .contains(new WaterLevelStatus("node=full", WaterLevelMode.PACK, 90));
  }

  @Test
  void aNewEngine_receivesTheModesOfTheStatus() {
    SchedulingPolicy policy = new SchedulingPolicy();
    policy.setMetadata(new ObjectMetaBuilder().withName("online").build());
    assertThat(WaterLevels.seeds(policy)).isEmpty();

    policy.setStatus(
        new SchedulingPolicyStatus(
            null,
            null,
            null,
            null,
            null,
            null,
            List.of(
                new WaterLevelStatus("pool=a", WaterLevelMode.PACK, 83),
                new WaterLevelStatus("pool=b", WaterLevelMode.SPREAD, null)),
            null,
            null,
            null));

    assertThat(WaterLevels.seeds(policy))
        .containsExactly(
            new GaugeSeeded("online", "WaterLevel", "pool=a", "Pack"),
            new GaugeSeeded("online", "WaterLevel", "pool=b", "Spread"));
  }
}
