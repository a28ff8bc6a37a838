package io.berth.operator.gpu;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whole amounts of resources; nothing is thrown, whatever a quantity holds. */
final class Amount {
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE >> 1);

  private Amount() {}

  /** The amount, rounded up; the greatest there is where it cannot be read. */
  static long of(Quantity quantity) {
    try {
      BigDecimal amount = quantity.getNumericalAmount();
      return amount.setScale(0, RoundingMode.CEILING).min(MOST).max(BigDecimal.ZERO).longValue();
    } catch (IllegalArgumentException | ArithmeticException | NullPointerException e) {
      return MOST.longValue(); // the engine's own reading of the object refuses it with a reason
    }
  }

  /** The amount of one resource of a list; 0 where it is not in there. */
  static long in(@Nullable Map<String, Quantity> list, String resource) {
    Quantity quantity = list == null ? null : list.get(resource);
    return quantity == null ? 0 : of(quantity);
  }
}
