package io.berth.operator.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.engine.api.EngineDump;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.api.QueueCounts;
import io.berth.engine.api.WaitingUnit;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodRef;
import io.berth.engine.state.Gauge;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EnginePageTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final GroupRef GROUP = new GroupRef(GroupDialect.BERTH, "team-a", "train");
  private static final EngineDump DUMP =
      new EngineDump(
          NOW,
          new QueueCounts(1, 0, 2, 0, List.of()),
          3,
          List.of(
              new WaitingUnit(
                  "team-a/web",
                  List.of(new PodRef("team-a", "web", "u1")),
                  WaitingUnit.Place.ACTIVE,
                  Due.AT_ONCE,
                  5,
                  0,
                  Set.of()),
              new WaitingUnit(
                  GROUP.toString(),
                  List.of(new PodRef("team-a", "t1", "u2"), new PodRef("team-a", "t2", "u3")),
                  WaitingUnit.Place.UNSCHEDULABLE,
                  Due.at(NOW.plusSeconds(300)),
                  0,
                  4,
                  Set.of("NodeResourcesFit", "GpuCards"))),
          List.of(new EngineDump.Nomination("team-a/urgent", "n1")),
          Optional.of(new EngineDump.Reservation(GROUP, 3, NOW, Due.at(NOW.plusSeconds(60)))),
          List.of(
              new GaugeReading("pack", "WaterLevel", new Gauge.Reading("cluster", "Pack", 0.75))),
          new EngineDump.Cache(7, 9, 20, 2, 3L << 20, 5L << 20, 1L << 20, 15L << 20, 64L << 20));

  @Test
  void text_hasALineForEachUnit_andSaysHowManyAreLeftOut() {
    assertThat(EnginePage.text(DUMP))
        .contains("Queue        1 active, 0 in backoff, 2 unschedulable, 0 gated\n")
        .contains("Cache        7 plans (9 made): 3 MiB, 20 shared answers: 5 MiB, 2 kinds of")
        .contains("preemptors: 1 MiB\n")
        .contains(" 9 MiB in this engine; 15 of 64 MiB in all engines of the process\n")
        .contains("with priority 3, from 2026-01-01T00:00:00Z on, until 2026-01-01T00:01:00Z\n")
        .contains("  team-a/urgent for n1\n")
        .contains("  WaterLevel of policy pack, cluster: Pack at 0.750\n")
        .containsPattern("Active +at once +5 +0 +team-a/web\n")
        .containsPattern(
            "Unschedulable +2026-01-01T00:05:00Z +0 +4 +.*\\(2 pods\\), rejected by GpuCards,"
                + " NodeResourcesFit\n")
        .endsWith("  and 1 more\n");
  }

  @Test
  void json_hasTheSameContent() {
    JsonNode json = EnginePage.json(DUMP);

    assertThat(json.at("/queue/unschedulable").asInt()).isEqualTo(2);
    assertThat(json.at("/cache/planBytes").asLong()).isEqualTo(3L << 20);
    assertThat(json.at("/cache/answerBytes").asLong()).isEqualTo(5L << 20);
    assertThat(json.at("/cache/dryRunBytes").asLong()).isEqualTo(1L << 20);
    assertThat(json.at("/cache/bytes").asLong()).isEqualTo(9L << 20);
    assertThat(json.at("/cache/engineBytes").asLong()).isEqualTo(15L << 20);
    assertThat(json.at("/cache/limitBytes").asLong()).isEqualTo(64L << 20);
    assertThat(json.at("/reservation/until").asText()).isEqualTo("2026-01-01T00:01:00Z");
    assertThat(json.at("/nominations/0/node").asText()).isEqualTo("n1");
    assertThat(json.at("/gauges/0/level").asDouble()).isEqualTo(0.75);
    assertThat(json.at("/waiting").asInt()).isEqualTo(3);
    assertThat(json.at("/units/0/due").asText()).isEqualTo("at once");
    assertThat(json.at("/units/1/pods").asInt()).isEqualTo(2);
    assertThat(json.at("/units/1/rejectedBy/0").asText()).isEqualTo("GpuCards");
  }
}
