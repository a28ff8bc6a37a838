package io.berth.operator.record;

import io.berth.engine.api.GaugeReading;
import java.util.List;
import java.util.Optional;

/** The fraction of nodes with measured usage for a policy's MostAvailable score. */
public final class MeasuredLoad {
  /** The name of the score. */
  public static final String PLUGIN = "MostAvailable";

  private MeasuredLoad() {}

  /** Returns the fraction, from 0 to 1; empty if the policy does not use this score. */
  public static Optional<Double> of(String policy, List<GaugeReading> readings) {
    return readings.stream()
        .filter(gauge -> gauge.policy().equals(policy) && gauge.plugin().equals(PLUGIN))
        .map(gauge -> gauge.reading().level())
        .findFirst();
  }
}
