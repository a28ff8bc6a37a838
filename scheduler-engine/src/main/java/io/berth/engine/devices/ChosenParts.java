package io.berth.engine.devices;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The amounts that a search has chosen of the devices of a node, beyond those of claims. */
final class ChosenParts {
  /** The chosen amounts by device; empty for a device of which no amounts are counted. */
  private final Map<Integer, Map<String, BigDecimal>> byDevice = new HashMap<>();

  /** Returns the choices of a search. */
  static ChosenParts of(List<List<ChosenDevice>> chosen) {
    ChosenParts parts = new ChosenParts();
    for (List<ChosenDevice> ofClaim : chosen) {
      for (ChosenDevice device : ofClaim) {
        if (!device.asks().ask().adminAccess()) {
          parts.add(device.device(), device.consumed());
        }
      }
    }
    return parts;
  }

  /** Returns what is chosen together with one more device. */
  ChosenParts with(int device, Map<String, BigDecimal> consumed) {
    ChosenParts parts = new ChosenParts();
    parts.byDevice.putAll(byDevice);
    parts.add(device, consumed);
    return parts;
  }

  void add(int device, Map<String, BigDecimal> consumed) {
    byDevice.merge(device, consumed, ChosenParts::sum);
  }

  private static Map<String, BigDecimal> sum(
      Map<String, BigDecimal> one, Map<String, BigDecimal> other) {
    Map<String, BigDecimal> sums = new HashMap<>(one);
    other.forEach((name, amount) -> sums.merge(name, amount, BigDecimal::add));
    return sums;
  }

  boolean has(int device) {
    return byDevice.containsKey(device);
  }

  /** Returns the chosen amounts of a shared device's capacities. */
  Map<String, BigDecimal> of(int device) {
    return byDevice.getOrDefault(device, Map.of());
  }
}
