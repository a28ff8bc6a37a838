package io.berth.engine.devices;

import io.berth.engine.quantity.SignedQuantity;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

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
    int decimals = decimalsOf(range);
    long step = stepOf(range, decimals);
    if (step == 0) {
      return wanted;
    }
    long from = units(min, decimals);
    long added = units(wanted, decimals) - from;
    long steps = added / step + (added % step == 0 ? 0 : 1);
    return SignedQuantity.normal(BigDecimal.valueOf(from + step * steps, decimals));
  }

  /**
   * Returns the decimals of a range's amounts: three if one of them is no integer, as in Kubernetes
   * 1.37, or else none.
   */
  private static int decimalsOf(DeviceCapacity.Range range) {
    return Stream.of(range.min(), range.max(), range.step())
            .flatMap(Optional::stream)
            .allMatch(amount -> amount.stripTrailingZeros().scale() <= 0)
        ? 0
        : 3;
  }

  private static long units(BigDecimal amount, int decimals) {
    return SignedQuantity.units(amount.movePointRight(decimals));
  }

  /** Returns the step in units of the last decimal; 0 if there is none. */
  private static long stepOf(DeviceCapacity.Range range, int decimals) {
    return range.step().map(step -> Math.max(0, units(step, decimals))).orElse(0L);
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
      int decimals = decimalsOf(range);
      long step = stepOf(range, decimals);
      long from = range.min().map(min -> units(min, decimals)).orElse(0L);
      return step > 0 && (units(wanted, decimals) - from) % step != 0;
    }
    return !policy.values().isEmpty()
        && policy.values().stream().noneMatch(value -> value.compareTo(wanted) == 0);
  }
}
