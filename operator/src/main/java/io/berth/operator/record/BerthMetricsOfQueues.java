package io.berth.operator.record;

import io.berth.engine.api.QueueState;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The metrics of the queues of tenants: some rows for each. */
final class BerthMetricsOfQueues {
  private final MultiGauge pods;
  private final MultiGauge shares;
  private final MultiGauge guarantees;
  private final MultiGauge use;

  /**
   * @param rows registers a metric whose rows change
   */
  BerthMetricsOfQueues(Function<Metric, MultiGauge> rows) {
    this.pods = rows.apply(Metric.TENANT_QUEUE_PODS);
    this.shares = rows.apply(Metric.TENANT_QUEUE_SHARE);
    this.guarantees = rows.apply(Metric.TENANT_QUEUE_GUARANTEE_MET);
    this.use = rows.apply(Metric.TENANT_QUEUE_USE);
  }

  /** Replaces all rows. */
  void set(List<QueueState> states) {
    List<Row<?>> ofPods = new ArrayList<>();
    List<Row<?>> ofShares = new ArrayList<>();
    List<Row<?>> ofGuarantees = new ArrayList<>();
    List<Row<?>> ofUse = new ArrayList<>();
    for (QueueState state : states) {
      String name = state.name();
      ofPods.add(
          Row.of(BerthMetrics.tags(Metric.TENANT_QUEUE_PODS, name, "running"), state.pods()));
      ofPods.add(
          Row.of(
              BerthMetrics.tags(Metric.TENANT_QUEUE_PODS, name, "pending"),
              state.pending().pods()));
      ofShares.add(Row.of(BerthMetrics.tags(Metric.TENANT_QUEUE_SHARE, name), state.share()));
      ofGuarantees.add(
          Row.of(
              BerthMetrics.tags(Metric.TENANT_QUEUE_GUARANTEE_MET, name),
              state.guaranteeMet() ? 1 : 0));
      for (int i = 0; i < state.used().size(); i++) {
        ofUse.add(
            Row.of(
                BerthMetrics.tags(Metric.TENANT_QUEUE_USE, name, state.used().name(i)),
                state.used().amount(i)));
      }
    }
    pods.register(ofPods, true);
    shares.register(ofShares, true);
    guarantees.register(ofGuarantees, true);
    use.register(ofUse, true);
  }
}
