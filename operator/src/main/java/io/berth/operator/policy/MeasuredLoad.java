package io.berth.operator.policy;

import io.berth.engine.GaugeReading;
import java.util.List;
import java.util.Optional;

/** The share of nodes whose measured usage a policy's MostAvailable reads. */
public final class MeasuredLoad {
  /** The name of the score. */
  public static final String PLUGIN = "MostAvailable";

  private MeasuredLoad() {}

  /** Returns the share, from 0 to 1; empty where the policy has no such score. */
  public static Optional<Double> of(String policy, List<GaugeReading> readings) {
    return readings.stream()
        .filter(gauge -> gauge.policy().equals(policy) && gauge.plugin().equals(PLUGIN))
        .map(gauge -> gauge.reading().level())
        .findFirst();
  }
}
