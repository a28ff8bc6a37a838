package io.berth.sandbox.quantity;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Kubernetes quantity: an exact number and the notation in which it is printed. Sums keep the
 * notation of the first operand, as in {@code resource.Quantity}.
 *
 * @param value the number; {@code 1Ki} is 1024 and {@code 100m} is 0.1
 * @param notation the notation in which it is printed
 */
public record Amount(BigDecimal value, Notation notation) implements Comparable<Amount> {
  /** Zero, in decimal notation. */
  public static final Amount ZERO = new Amount(BigDecimal.ZERO, Notation.DECIMAL);

  private static final Pattern SYNTAX =
      Pattern.compile("([+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+))([A-Za-z]*|[eE][+-]?[0-9]+)");
  private static final List<String> BINARY = List.of("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei");
  private static final List<String> DECIMAL =
      List.of("n", "u", "m", "", "k", "M", "G", "T", "P", "E");
  private static final Map<String, Integer> POWERS_OF_TEN =
      Map.of("n", -9, "u", -6, "m", -3, "", 0, "k", 3, "M", 6, "G", 9, "T", 12, "P", 15, "E", 18);
  private static final BigDecimal KIBI = BigDecimal.valueOf(1024);
  private static final BigInteger THOUSAND = BigInteger.valueOf(1000);
  private static final int SMALLEST = -9;

  /** The notations of quantities. */
  public enum Notation {
    /** {@code 100m}, {@code 5}, {@code 2G}. */
    DECIMAL,
    /** {@code 5e3}. */
    EXPONENT,
    /** {@code 512Mi}. */
    BINARY
  }

  /** Parses a quantity that is a string or a number; empty if it is invalid. */
  public static Optional<Amount> read(JsonNode quantity) {
    return quantity.isValueNode() ? read(quantity.asText().strip()) : Optional.empty();
  }

  /** Parses a quantity; empty if it is invalid. */
  public static Optional<Amount> read(String text) {
    Matcher matcher = SYNTAX.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    BigDecimal number = new BigDecimal(matcher.group(1));
    String suffix = matcher.group(2);
    int binary = BINARY.indexOf(suffix);
    if (binary > 0) {
      return Optional.of(new Amount(number.multiply(KIBI.pow(binary)), Notation.BINARY));
    }
    Integer power = POWERS_OF_TEN.get(suffix);
    if (power != null) {
      return Optional.of(new Amount(roundedUp(number.scaleByPowerOfTen(power)), Notation.DECIMAL));
    }
    return suffix.matches("[eE][+-]?[0-9]{1,3}")
        ? Optional.of(
            new Amount(
                roundedUp(number.scaleByPowerOfTen(Integer.parseInt(suffix.substring(1)))),
                Notation.EXPONENT))
        : Optional.empty();
  }

  private static BigDecimal roundedUp(BigDecimal exact) {
    return exact.scale() > -SMALLEST ? exact.setScale(-SMALLEST, RoundingMode.UP) : exact;
  }

  /** Returns a count in decimal notation. */
  public static Amount of(long count) {
    return new Amount(BigDecimal.valueOf(count), Notation.DECIMAL);
  }

  /** Returns the sum, in the notation of this amount, or of the other amount if this is zero. */
  public Amount plus(Amount other) {
    return new Amount(value.add(other.value), value.signum() == 0 ? other.notation : notation);
  }

  /** Returns the difference, in the notation of this amount. */
  public Amount minus(Amount other) {
    return new Amount(value.subtract(other.value), notation);
  }

  /** Returns the larger of the two amounts; this amount if they are equal. */
  public Amount max(Amount other) {
    return compareTo(other) >= 0 ? this : other;
  }

  /** Returns whether the amount is zero. */
  public boolean isZero() {
    return value.signum() == 0;
  }

  @Override
  public int compareTo(Amount other) {
    return value.compareTo(other.value);
  }

  /** Compares the numbers only, regardless of notation and scale. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Amount amount && value.compareTo(amount.value) == 0;
  }

  @Override
  public int hashCode() {
    return value.stripTrailingZeros().hashCode();
  }

  /** Returns the canonical form, with the largest suffix that needs no fraction. */
  @Override
  public String toString() {
    boolean binary =
        notation == Notation.BINARY
            && value.abs().compareTo(KIBI) >= 0
            && value.stripTrailingZeros().scale() <= 0;
    return binary ? binaryText(value.toBigIntegerExact()) : decimalText();
  }

  private static String binaryText(BigInteger number) {
    int suffix = 0;
    BigInteger kibi = KIBI.toBigInteger();
    while (suffix < BINARY.size() - 1 && number.mod(kibi).signum() == 0) {
      number = number.divide(kibi);
      suffix++;
    }
    return number + BINARY.get(suffix);
  }

  private String decimalText() {
    if (value.signum() == 0) {
      return "0";
    }
    BigInteger number = value.setScale(-SMALLEST, RoundingMode.UP).unscaledValue();
    int suffix = 0;
    while (suffix < DECIMAL.size() - 1 && number.mod(THOUSAND).signum() == 0) {
      number = number.divide(THOUSAND);
      suffix++;
    }
    if (notation == Notation.EXPONENT) {
      int exponent = SMALLEST + 3 * suffix;
      return exponent == 0 ? number.toString() : number + "e" + exponent;
    }
    return number + DECIMAL.get(suffix);
  }
}
