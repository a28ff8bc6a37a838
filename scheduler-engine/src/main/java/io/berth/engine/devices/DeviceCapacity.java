package io.berth.engine.devices;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/**
 * A capacity of a device.
 *
 * @param value the whole capacity
 * @param policy the rules for requests of a part of it; absent if there are none
 */
public record DeviceCapacity(BigDecimal value, Optional<RequestPolicy> policy) {

  /**
   * The rules for requests of a part of a capacity.
   *
   * @param byDefault the amount of a request that names none
   * @param range the permitted range; absent if there is none
   * @param values the permitted values, in ascending order; empty if there is no such list
   */
  public record RequestPolicy(
      Optional<BigDecimal> byDefault, Optional<Range> range, List<BigDecimal> values) {
    public RequestPolicy {
      values = List.copyOf(values);
    }
  }

  /** A range of amounts: from a minimum, up to a maximum, in steps from the minimum. */
  public record Range(
      Optional<BigDecimal> min, Optional<BigDecimal> max, Optional<BigDecimal> step) {}
}
