package io.berth.engine.devices;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;

/** The allocated parts of one device. */
final class DeviceUse {
  private int whole;
  private int parts;
  private int measured;
  private Map<String, BigDecimal> consumed = Map.of();

  /** Counts an allocation of the device ({@code sign} 1), or counts it no more (-1). */
  void count(DeviceAllocation.Result result, int sign) {
    if (result.shareId().isEmpty()) {
      whole += sign;
      return;
    }
    parts += sign;
    if (result.consumed().isEmpty()) {
      return;
    }
    measured += sign;
    if (measured == 0) {
      consumed = Map.of();
      return;
    }
    Map<String, BigDecimal> sums = new HashMap<>(consumed);
    result
        .consumed()
        .forEach(
            (name, amount) ->
                sums.merge(name, sign > 0 ? amount : amount.negate(), BigDecimal::add));
    consumed = sums;
  }

  /** Returns whether a claim has the whole device. */
  boolean isTaken() {
    return whole > 0;
  }

  /** Returns whether a claim has the device or a part of it. */
  boolean isAllocated() {
    return whole > 0 || parts > 0;
  }

  /** Returns whether claims have measured parts of the device. */
  boolean isConsumed() {
    return measured > 0;
  }

  /** Returns the amounts of its capacities that claims have. */
  Map<String, BigDecimal> consumed() {
    return consumed;
  }
}
