package io.berth.engine.model;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Immutable amounts of resources. CPU is in thousandths of a core, other resources are in their own
 * units: bytes, devices, pods. An absent resource has the amount 0.
 */
public final class ResourceAmounts {
  public static final String CPU = "cpu";
  public static final String MEMORY = "memory";
  public static final String EPHEMERAL_STORAGE = "ephemeral-storage";
  public static final String PODS = "pods";

  private static final String[] BINARY_UNITS = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  private static final ResourceAmounts NONE = new ResourceAmounts(new String[0], new long[0]);

  private final String[] names;
  private final long[] amounts;
  private final int hash;

  private ResourceAmounts(String[] names, long[] amounts) {
    this.names = names;
    this.amounts = amounts;
    this.hash = 31 * Arrays.hashCode(names) + Arrays.hashCode(amounts);
  }

  /**
   * Returns these amounts by resource name. Zeros are kept, since a node may offer none of a
   * resource.
   */
  public static ResourceAmounts of(Map<String, Long> amountsByName) {
    if (amountsByName.isEmpty()) {
      return NONE;
    }
    TreeMap<String, Long> sorted = new TreeMap<>(amountsByName);
    String[] names = sorted.keySet().toArray(String[]::new);
    long[] amounts = new long[names.length];
    for (int i = 0; i < names.length; i++) {
      amounts[i] = sorted.get(names[i]);
    }
    return new ResourceAmounts(names, amounts);
  }

  public static ResourceAmounts none() {
    return NONE;
  }

  /** Returns an amount of this resource for users: cores, or bytes with a binary unit. */
  public static String text(String name, long amount) {
    if (name.equals(CPU)) {
      return BigDecimal.valueOf(amount, 3).stripTrailingZeros().toPlainString();
    }
    if (!isInBytes(name)) {
      return String.valueOf(amount);
    }
    int unit = 0;
    long rest = amount;
    while (rest != 0 && rest % 1024 == 0 && unit + 1 < BINARY_UNITS.length) {
      rest /= 1024;
      unit++;
    }
    return rest + BINARY_UNITS[unit];
  }

  private static boolean isInBytes(String name) {
    return name.equals(MEMORY) || name.equals(EPHEMERAL_STORAGE) || name.startsWith("hugepages-");
  }

  /** Returns the number of named resources. */
  public int size() {
    return names.length;
  }

  /** Returns the name of the i-th resource, in ascending order of names. */
  public String name(int i) {
    return names[i];
  }

  /** Returns the amount of the i-th resource. */
  public long amount(int i) {
    return amounts[i];
  }

  /** Returns the amount of this resource; 0 if it is not named. */
  public long amountOf(String name) {
    int i = Arrays.binarySearch(names, name);
    return i < 0 ? 0 : amounts[i];
  }

  /** Returns whether the resource is named, even with the amount 0. */
  public boolean names(String name) {
    return Arrays.binarySearch(names, name) >= 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ResourceAmounts that
        && hash == that.hash
        && Arrays.equals(names, that.names)
        && Arrays.equals(amounts, that.amounts);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    for (int i = 0; i < names.length; i++) {
      text.append(i == 0 ? "" : ", ").append(names[i]).append('=').append(amounts[i]);
    }
    return text.append('}').toString();
  }
}
