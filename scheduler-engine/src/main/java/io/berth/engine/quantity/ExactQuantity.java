package io.berth.engine.quantity;

/**
 * An amount of a resource, not negative, exact to 10⁻⁹ of a unit.
 *
 * <p>Kubernetes adds quantities up exactly and rounds up once, at the end, so "0.3m" asked for by
 * four containers is 2m and not 4m. What is finer than 10⁻⁹ is rounded up when it is read. Amounts
 * beyond {@link Long#MAX_VALUE} are held at that.
 *
 * @param whole whole units: cores, bytes, devices
 * @param nanos 10⁻⁹ units, from 0 to 999,999,999
 */
public record ExactQuantity(long whole, int nanos) implements Comparable<ExactQuantity> {

  /** Nothing. */
  public static final ExactQuantity ZERO = new ExactQuantity(0, 0);

  /** The largest amount there is. */
  public static final ExactQuantity MAX = new ExactQuantity(Long.MAX_VALUE, 0);

  static final int NANOS_PER_UNIT = 1_000_000_000;
  private static final int NANOS_PER_MILLI = 1_000_000;

  /** Refuses what is negative or not normalized. */
  public ExactQuantity {
    if (whole < 0 || nanos < 0 || nanos >= NANOS_PER_UNIT) {
      throw new IllegalArgumentException(
          "a quantity is not negative and its nanos are below 10^9: "
              + whole
              + " + "
              + nanos
              + "n");
    }
  }

  /** So many whole units; held at zero below it. */
  public static ExactQuantity ofUnits(long units) {
    return units <= 0 ? ZERO : new ExactQuantity(units, 0);
  }

  /** So many thousandths of a unit; held at zero below it. */
  public static ExactQuantity ofMillis(long millis) {
    return millis <= 0
        ? ZERO
        : new ExactQuantity(millis / 1000, (int) (millis % 1000) * NANOS_PER_MILLI);
  }

  /**
   * Reads a quantity as Kubernetes writes it: a decimal number and one of the suffixes n, u, m, k,
   * M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei or a decimal exponent.
   *
   * @throws QuantityFormatException with the reason, if the text is no quantity or a negative one
   */
  public static ExactQuantity parse(String text) {
    return new QuantityReader(text).read();
  }

  /** The sum, held at {@link #MAX}. */
  public ExactQuantity plus(ExactQuantity other) {
    int sumOfNanos = nanos + other.nanos;
    int carry = sumOfNanos >= NANOS_PER_UNIT ? 1 : 0;
    long sum = whole + other.whole + carry;
    return sum < 0 ? MAX : new ExactQuantity(sum, sumOfNanos - carry * NANOS_PER_UNIT);
  }

  /** The larger of the two. */
  public ExactQuantity max(ExactQuantity other) {
    return compareTo(other) >= 0 ? this : other;
  }

  /** Units, rounded up. */
  public long units() {
    return nanos == 0 || whole == Long.MAX_VALUE ? whole : whole + 1;
  }

  /** Thousandths of a unit, rounded up. */
  public long millis() {
    if (whole > Long.MAX_VALUE / 1000 - 1) {
      return Long.MAX_VALUE;
    }
    return whole * 1000 + (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
  }

  /** Returns whether this is nothing. */
  public boolean isZero() {
    return whole == 0 && nanos == 0;
  }

  @Override
  public int compareTo(ExactQuantity other) {
    int byWhole = Long.compare(whole, other.whole);
    return byWhole != 0 ? byWhole : Integer.compare(nanos, other.nanos);
  }
}
