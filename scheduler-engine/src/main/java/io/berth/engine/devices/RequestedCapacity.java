package io.berth.engine.devices;

import io.berth.engine.quantity.SignedQuantity;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The amounts that a request takes of the capacities of one device, by the device's rules for
 * requests.
 */
final class RequestedCapacity {
  private RequestedCapacity() {}

  /**
   * Returns whether a device has enough left of each capacity.
   *
   * @param consumed what claims have of it
   * @param chosen what the search has chosen of it so far
   */
  static boolean fits(
      Device device,
      Map<String, BigDecimal> requested,
      Map<String, BigDecimal> consumed,
      Map<String, BigDecimal> chosen) {
    if (!device.capacity().keySet().containsAll(requested.keySet())) {
      return false;
    }
    for (Map.Entry<String, DeviceCapacity> entry : device.capacity().entrySet()) {
      String name = entry.getKey();
      DeviceCapacity capacity = entry.getValue();
      BigDecimal wanted = amount(capacity, Optional.ofNullable(requested.get(name)));
      if (capacity.policy().isPresent() && violates(wanted, capacity.policy().get())) {
        return false;
      }
      BigDecimal sum = wanted;
      if (consumed.containsKey(name)) {
        sum = sum.add(consumed.get(name));
      }
      if (chosen.containsKey(name)) {
        sum = sum.add(chosen.get(name));
      }
      if (sum.compareTo(capacity.value()) > 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns what a request takes of each capacity of a shared device. */
  static Map<String, BigDecimal> of(Device device, Map<String, BigDecimal> requested) {
    Map<String, BigDecimal> amounts = new HashMap<>();
    device
        .capacity()
        .forEach(
            (name, capacity) ->
                amounts.put(name, amount(capacity, Optional.ofNullable(requested.get(name)))));
    return amounts;
  }

  private static BigDecimal amount(DeviceCapacity capacity, Optional<BigDecimal> requested) {
    if (requested.isEmpty()) {
      return capacity
          .policy()
          .flatMap(DeviceCapacity.RequestPolicy::byDefault)
          .orElse(capacity.value());
    }
    BigDecimal wanted = requested.get();
    if (capacity.policy().isEmpty()) {
      return wanted;
    }
    DeviceCapacity.RequestPolicy policy = capacity.policy().get();
    if (policy.range().isPresent() && policy.range().get().min().isPresent()) {
      return roundedUp(wanted, policy.range().get());
    }
    for (BigDecimal value : policy.values()) {
      if (wanted.compareTo(value) <= 0) {
        return value;
      }
    }
    return wanted;
  }

  private static BigDecimal roundedUp(BigDecimal wanted, DeviceCapacity.Range range) {
    BigDecimal min = range.min().orElseThrow();
    if (wanted.compareTo(min) < 0) {
      return min;
    }
    long step = stepOf(range);
    if (step == 0) {
      return wanted;
    }
    long from = SignedQuantity.units(min);
    long added = SignedQuantity.units(wanted) - from;
    long steps = added / step + (added % step == 0 ? 0 : 1);
    return SignedQuantity.normal(BigDecimal.valueOf(from + step * steps));
  }

  /** Returns the step in whole units; 0 if there is none. */
  private static long stepOf(DeviceCapacity.Range range) {
    return range.step().map(step -> Math.max(0, SignedQuantity.units(step))).orElse(0L);
  }

  private static boolean violates(BigDecimal wanted, DeviceCapacity.RequestPolicy policy) {
    if (policy.byDefault().isPresent() && policy.byDefault().get().compareTo(wanted) == 0) {
      return false;
    }
    if (policy.range().isPresent()) {
      DeviceCapacity.Range range = policy.range().get();
      if (range.max().isPresent() && wanted.compareTo(range.max().get()) > 0) {
        return true;
      }
      long step = stepOf(range);
      long from = range.min().map(SignedQuantity::units).orElse(0L);
      return step > 0 && (SignedQuantity.units(wanted) - from) % step != 0;
    }
    return !policy.values().isEmpty()
        && policy.values().stream().noneMatch(value -> value.compareTo(wanted) == 0);
  }
}
