package io.berth.operator.record;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.policy.WaterLevelMode;
import io.berth.crds.policy.WaterLevelStatus;
import io.berth.engine.api.ClusterEvent.GaugeSeeded;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.state.Gauge.Reading;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The levels and modes of WaterLevel scores, stored in a policy's status for the next leader. */
public final class WaterLevels {
  /** The maximum number of scopes in a status. */
  public static final int MOST_SCOPES = 100;

  private static final String PLUGIN = "WaterLevel";
  private static final String PACK = "Pack";

  private WaterLevels() {}

  /**
   * Returns the readings of a policy's WaterLevel, by scope. If there are more than {@link
   * #MOST_SCOPES}, those in mode Pack come first, because a new engine starts in mode Spread
   * anyway.
   */
  public static List<Reading> of(String policy, List<GaugeReading> readings) {
    Stream<Reading> ofPolicy =
        readings.stream()
            .filter(gauge -> gauge.policy().equals(policy) && gauge.plugin().equals(PLUGIN))
            .map(GaugeReading::reading);
    return ofPolicy
        .sorted(
            Comparator.comparing((Reading reading) -> !isPacking(reading))
                .thenComparing(Reading::scope))
        .limit(MOST_SCOPES)
        .sorted(Comparator.comparing(Reading::scope))
        .toList();
  }

  /** Returns whether the scope is in mode Pack. */
  public static boolean isPacking(Reading reading) {
    return reading.mode().equals(PACK);
  }

  /**
   * Returns the entries of a policy's status. A level that has changed by less than one percentage
   * point since it was written is kept, so that the status is not rewritten for every pod.
   *
   * @param before the current entries
   */
  public static List<WaterLevelStatus> status(
      String policy, List<GaugeReading> readings, List<WaterLevelStatus> before) {
    Map<String, WaterLevelStatus> written = new HashMap<>();
    before.forEach(entry -> written.put(entry.scope(), entry));
    return of(policy, readings).stream()
        .map(reading -> entry(reading, written.get(reading.scope())))
        .toList();
  }

  private static WaterLevelStatus entry(Reading reading, @Nullable WaterLevelStatus before) {
    double percent = 100 * reading.level();
    @Nullable Integer written = before == null ? null : before.levelPercent();
    boolean stays = written != null && Math.abs(percent - written) < 1;
    return new WaterLevelStatus(
        reading.scope(),
        isPacking(reading) ? WaterLevelMode.PACK : WaterLevelMode.SPREAD,
        stays ? written : (Integer) (int) Math.round(percent));
  }

  /** Returns the events that restore the modes in a policy's status in an engine. */
  public static List<GaugeSeeded> seeds(SchedulingPolicy policy) {
    if (policy.getStatus() == null) {
      return List.of();
    }
    String name = policy.getMetadata().getName();
    return policy.getStatus().waterLevels().stream()
        .map(
            entry ->
                new GaugeSeeded(
                    name,
                    PLUGIN,
                    entry.scope(),
                    entry.mode() == WaterLevelMode.PACK ? PACK : "Spread"))
        .toList();
  }
}
