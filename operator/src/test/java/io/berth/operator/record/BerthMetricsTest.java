package io.berth.operator.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.GaugeReading;
import io.berth.engine.state.Gauge;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The page that Prometheus scrapes. */
class BerthMetricsTest {
  private static final int SCRAPES = 300;

  private static List<GaugeReading> readings(double level) {
    return List.of(
        new GaugeReading("level", "WaterLevel", new Gauge.Reading("cluster", "Pack", level)));
  }

  @Test
  void scrapes_whileReadingsChange_lackNoSeries() throws InterruptedException {
    try (BerthMetrics metrics = new BerthMetrics(List.of("berth"))) {
      metrics.gauges(readings(0));
      AtomicBoolean scraped = new AtomicBoolean();
      Thread engine =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; !scraped.get(); i++) {
                      metrics.gauges(readings(i % 100 / 100.0));
                    }
                  });
      Thread otherScraper =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!scraped.get()) {
                      metrics.page();
                    }
                  });
      try {
        for (int i = 0; i < SCRAPES; i++) {
          assertThat(metrics.page())
              .contains("berth_water_level_packing{policy=\"level\",scope=\"cluster\"} 1.0")
              .contains("berth_water_level{policy=\"level\",scope=\"cluster\"}");
        }
      } finally {
        scraped.set(true);
        engine.join();
        otherScraper.join();
      }
    }
  }

  @Test
  void countersThatAlertsWatch_existBeforeTheFirstFailure() {
    try (BerthMetrics metrics = new BerthMetrics(List.of("berth", "other"))) {
      metrics.startAtZero(Metric.REFUSED_OBJECTS, List.of("Pod"));

      assertThat(metrics.page().lines())
          .contains(
              "berth_engine_failures_total 0.0",
              "berth_quarantined_pods_total 0.0",
              "berth_shared_nodes_evictions_total 0.0",
              "berth_foreign_bindings_total{scheduler=\"other\"} 0.0",
              "berth_group_status_failures_total{dialect=\"volcano\"} 0.0",
              "berth_refused_objects_total{kind=\"Pod\"} 0.0");
    }
  }

  @Test
  void scopesThatEnded_haveNoSeries() {
    try (BerthMetrics metrics = new BerthMetrics(List.of("berth"))) {
      metrics.gauges(readings(0.5));
      assertThat(metrics.page()).contains("berth_water_level{");

      metrics.gauges(List.of());

      assertThat(metrics.page()).doesNotContain("berth_water_level{");
    }
  }
}
