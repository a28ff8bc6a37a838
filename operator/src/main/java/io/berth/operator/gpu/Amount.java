package io.berth.operator.gpu;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts quantities to whole numbers, without exceptions for invalid ones. */
final class Amount {
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE >> 1);

  private Amount() {}

  /** Returns the amount, rounded up; the maximum if the quantity is invalid. */
  static long of(Quantity quantity) {
    try {
      BigDecimal amount = quantity.getNumericalAmount();
      return amount.setScale(0, RoundingMode.CEILING).min(MOST).max(BigDecimal.ZERO).longValue();
    } catch (IllegalArgumentException | ArithmeticException | NullPointerException e) {
      return MOST.longValue(); // the engine's compiler rejects the object with a reason
    }
  }

  /** Returns the amount of one resource in a list; 0 if the list does not contain it. */
  static long in(@Nullable Map<String, Quantity> list, String resource) {
    Quantity quantity = list == null ? null : list.get(resource);
    return quantity == null ? 0 : of(quantity);
  }
}
