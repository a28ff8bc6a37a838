package io.berth.operator.query;

import io.berth.engine.model.ResourceAmounts;

/** Amounts of the engine as quantities of Kubernetes. */
final class Quantities {
  private static final String[] UNITS = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  private static final int KIBI = 1024;
  private static final int MILLI = 1000;

  private Quantities() {}

  /** Returns an amount, in the base unit of the resource, as a quantity without loss. */
  static String text(String resource, long amount) {
    if (resource.equals(ResourceAmounts.CPU)) {
      return amount % MILLI == 0 ? String.valueOf(amount / MILLI) : amount + "m";
    }
    if (!resource.equals(ResourceAmounts.MEMORY)
        && !resource.equals(ResourceAmounts.EPHEMERAL_STORAGE)
        && !resource.startsWith("hugepages-")) {
      return String.valueOf(amount);
    }
    int unit = 0;
    long rest = amount;
    while (rest != 0 && rest % KIBI == 0 && unit < UNITS.length - 1) {
      rest /= KIBI;
      unit++;
    }
    return rest + UNITS[unit];
  }
}
