package io.berth.engine.quantity;

/**
 * A non-negative amount of a resource, exact to 10⁻⁹ units.
 *
 * <p>Kubernetes sums quantities exactly and rounds up once at the end, so four containers that
 * request "0.3m" each request 2m, not 4m. Fractions below 10⁻⁹ are rounded up when a quantity is
 * parsed. Amounts above {@link Long#MAX_VALUE} are clamped to it.
 *
 * @param whole whole units: cores, bytes, devices
 * @param nanos 10⁻⁹ units, from 0 to 999,999,999
 */
public record ExactQuantity(long whole, int nanos) implements Comparable<ExactQuantity> {

  /** Zero. */
  public static final ExactQuantity ZERO = new ExactQuantity(0, 0);

  /** The maximum amount. */
  public static final ExactQuantity MAX = new ExactQuantity(Long.MAX_VALUE, 0);

  static final int NANOS_PER_UNIT = 1_000_000_000;
  private static final int NANOS_PER_MILLI = 1_000_000;

  /** Rejects amounts that are negative or not normalized. */
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

  /** Returns this number of whole units; zero if it is negative. */
  public static ExactQuantity ofUnits(long units) {
    return units <= 0 ? ZERO : new ExactQuantity(units, 0);
  }

  /** Returns this number of thousandths of a unit; zero if it is negative. */
  public static ExactQuantity ofMillis(long millis) {
    return millis <= 0
        ? ZERO
        : new ExactQuantity(millis / 1000, (int) (millis % 1000) * NANOS_PER_MILLI);
  }

  /**
   * Parses a Kubernetes quantity: a decimal number and one of the suffixes n, u, m, k, M, G, T, P,
   * E, Ki, Mi, Gi, Ti, Pi, Ei or a decimal exponent.
   *
   * @throws QuantityFormatException if the text is not a quantity, or is negative; the message has
   *     the reason
   */
  public static ExactQuantity parse(String text) {
    return new QuantityReader(text).read();
  }

  /** Returns the sum, clamped to {@link #MAX}. */
  public ExactQuantity plus(ExactQuantity other) {
    int sumOfNanos = nanos + other.nanos;
    int carry = sumOfNanos >= NANOS_PER_UNIT ? 1 : 0;
    long sum = whole + other.whole + carry;
    return sum < 0 ? MAX : new ExactQuantity(sum, sumOfNanos - carry * NANOS_PER_UNIT);
  }

  /** Returns the larger of the two amounts. */
  public ExactQuantity max(ExactQuantity other) {
    return compareTo(other) >= 0 ? this : other;
  }

  /** Returns the amount in units, rounded up. */
  public long units() {
    return nanos == 0 || whole == Long.MAX_VALUE ? whole : whole + 1;
  }

  /** Returns the amount in thousandths of a unit, rounded up. */
  public long millis() {
    if (whole > Long.MAX_VALUE / 1000 - 1) {
      return Long.MAX_VALUE;
    }
    return whole * 1000 + (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
  }

  /** Returns whether the amount is zero. */
  public boolean isZero() {
    return whole == 0 && nanos == 0;
  }

  @Override
  public int compareTo(ExactQuantity other) {
    int byWhole = Long.compare(whole, other.whole);
    return byWhole != 0 ? byWhole : Integer.compare(nanos, other.nanos);
  }
}
