package io.berth.operator.record;

import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowState;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The metrics of the shadows of policies: some rows for each. */
final class BerthMetricsOfShadows {
  private static final double PERCENT = 100;

  private final MultiGauge pods;
  private final MultiGauge work;

  /**
   * @param rows registers a metric whose rows change
   */
  BerthMetricsOfShadows(Function<Metric, MultiGauge> rows) {
    this.pods = rows.apply(Metric.SHADOW_PODS);
    this.work = rows.apply(Metric.SHADOW_WORK);
  }

  /** Replaces all rows. */
  void set(List<ShadowState> states) {
    List<Row<?>> ofPods = new ArrayList<>();
    List<Row<?>> ofWork = new ArrayList<>();
    for (ShadowState state : states) {
      for (ShadowDecision.Result result : ShadowDecision.Result.values()) {
        ofPods.add(row(state, result.name().toLowerCase(Locale.ROOT), state.pods(result)));
      }
      ofPods.add(row(state, "skipped", state.skipped()));
      ofWork.add(
          Row.of(
              BerthMetrics.tags(Metric.SHADOW_WORK, state.policy(), state.shadow()),
              state.workPercent() / PERCENT));
    }
    pods.register(ofPods, true);
    work.register(ofWork, true);
  }

  private static Row<?> row(ShadowState state, String result, long pods) {
    return Row.of(
        BerthMetrics.tags(Metric.SHADOW_PODS, state.policy(), state.shadow(), result), pods);
  }
}
