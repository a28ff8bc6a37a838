package io.berth.demo.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.policy.WaterLevelMode;
import io.berth.crds.policy.WaterLevelStatus;
import io.berth.demo.ground.BerthGround;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The mode of a WaterLevel score across a restart of Berth. */
class WaterLevelRestartTest {
  private static BerthGround ground;

  @BeforeAll
  static void start() throws Exception {
    ground = BerthGround.start();
  }

  @AfterAll
  static void stop() {
    ground.close();
  }

  private static void createPod(String name) {
    ground.createPod("default", name, "annotations: {sched.cloud.ctrip.com/policy: level}");
    ground.awaitNode("default", name);
  }

  private static void awaitLevel(WaterLevelMode mode, int percent) {
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(ground.policy("level").waterLevels())
                    .isEqualTo(List.of(new WaterLevelStatus("cluster", mode, percent))));
  }

  private static String metrics() throws IOException {
    try (InputStream page = ground.berth().httpUrl().resolve("/metrics").toURL().openStream()) {
      return new String(page.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aPoolThatPacksBetweenTheMarks_goesOnPackingAfterARestart() throws Exception {
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: level}
        spec:
          priorities:
          - {name: NodeResourcesFit, weight: 0}
          - name: WaterLevel
            weight: 1
            args: {packAbove: 0.5, spreadBelow: 0.1, resources: [{name: cpu}]}
        """);
    ground.awaitPolicy("level", "Serving");
    for (int i = 0; i < 18; i++) {
      createPod("pod-" + i);
    }
    awaitLevel(WaterLevelMode.PACK, 50);
    for (int i = 0; i < 9; i++) {
      ground.admin().pods().inNamespace("default").withName("pod-" + i).withGracePeriod(0).delete();
    }
    awaitLevel(WaterLevelMode.PACK, 25);

    ground.stopBerth();
    ground.startBerth();

    createPod("first");
    createPod("second");
    assertThat(ground.awaitNode("default", "second"))
        .as("the fullest node")
        .isEqualTo(ground.awaitNode("default", "first"));
    awaitLevel(WaterLevelMode.PACK, 31);
    assertThat(metrics())
        .contains("berth_water_level_packing{policy=\"level\",scope=\"cluster\"} 1.0");
  }
}
