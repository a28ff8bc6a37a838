package io.berth.engine.kube;

import io.berth.engine.quantity.ExactQuantity;
import io.berth.engine.quantity.QuantityFormatException;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Parses resource lists of Kubernetes objects into exact amounts. */
final class Quantities {
  private Quantities() {}

  /**
   * Returns the amounts of a resource list.
   *
   * @param where the path in the object, for messages
   * @throws RefusedException with the first entry that is not a quantity, or is negative
   */
  static Map<String, ExactQuantity> read(@Nullable Map<String, Quantity> list, String where) {
    if (list == null || list.isEmpty()) {
      return Map.of();
    }
    Map<String, ExactQuantity> result = HashMap.newHashMap(list.size());
    for (Map.Entry<String, Quantity> entry : list.entrySet()) {
      result.put(entry.getKey(), read(entry.getValue(), where + "." + entry.getKey()));
    }
    return result;
  }

  static ExactQuantity read(@Nullable Quantity quantity, String where) {
    if (quantity == null || quantity.getAmount() == null) {
      throw new RefusedException(where + " has no amount");
    }
    String format = quantity.getFormat();
    return read(format == null ? quantity.getAmount() : quantity.getAmount() + format, where);
  }

  static ExactQuantity read(String text, String where) {
    try {
      return ExactQuantity.parse(text);
    } catch (QuantityFormatException e) {
      throw new RefusedException(where + ": " + e.getMessage(), e);
    }
  }
}
