package io.berth.engine.quantity;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Kubernetes quantities as exact decimal numbers of any sign, such as the capacities of devices.
 * Equal amounts are equal numbers. Fractions below 10⁻⁹ are rounded away from zero.
 */
public final class SignedQuantity {
  private static final Pattern FORMAT =
      Pattern.compile(
          "([+-]?)([0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)"
              + "(?:(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)|[eE]([+-]?[0-9]{1,4}))?");
  private static final int DECIMALS = 9;
  private static final int LONGEST = 100;
  private static final Map<String, Integer> DECIMAL =
      Map.of("n", -9, "u", -6, "m", -3, "k", 3, "M", 6, "G", 9, "T", 12, "P", 15, "E", 18);
  private static final String BINARY = "KMGTPE";

  private SignedQuantity() {}

  /** Parses a quantity; empty if the text is not one. */
  public static Optional<BigDecimal> read(String text) {
    Matcher matcher = FORMAT.matcher(text);
    if (text.length() > LONGEST || !matcher.matches()) {
      return Optional.empty();
    }
    BigDecimal number = new BigDecimal(digits(matcher.group(2)));
    String suffix = matcher.group(3);
    if (matcher.group(4) != null) {
      number = number.scaleByPowerOfTen(Integer.parseInt(matcher.group(4)));
    } else if (suffix != null && suffix.endsWith("i")) {
      int power = BINARY.indexOf(suffix.charAt(0)) + 1;
      number = number.multiply(new BigDecimal(BigInteger.ONE.shiftLeft(10 * power)));
    } else if (suffix != null) {
      number = number.scaleByPowerOfTen(DECIMAL.get(suffix));
    }
    BigDecimal rounded = number.setScale(DECIMALS, RoundingMode.UP);
    return Optional.of(normal(matcher.group(1).equals("-") ? rounded.negate() : rounded));
  }

  private static String digits(String text) {
    String digits = text.startsWith(".") ? "0" + text : text;
    return digits.endsWith(".") ? digits.substring(0, digits.length() - 1) : digits;
  }

  /** Returns the same amount in the form in which equal amounts are equal numbers. */
  public static BigDecimal normal(BigDecimal amount) {
    return amount.signum() == 0 ? BigDecimal.ZERO : amount.stripTrailingZeros();
  }

  /** Returns the amount as whole units, rounded away from zero, and limited to 64 bits. */
  public static long units(BigDecimal amount) {
    BigInteger units = amount.setScale(0, RoundingMode.UP).toBigInteger();
    if (units.bitLength() > 63) {
      return units.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return units.longValue();
  }

  /** Returns a text that {@link #read} parses: a binary suffix where the amount is a multiple. */
  public static String text(BigDecimal amount) {
    BigDecimal normal = normal(amount);
    if (normal.scale() > 0) {
      int decimals = (normal.scale() + 2) / 3;
      return normal.scaleByPowerOfTen(3 * decimals).toBigInteger()
          + "mun".substring(decimals - 1, decimals);
    }
    BigInteger units = normal.toBigIntegerExact();
    int power = 0;
    while (units.signum() != 0 && power < BINARY.length() && units.getLowestSetBit() >= 10) {
      units = units.shiftRight(10);
      power++;
    }
    return power == 0 ? units.toString() : units + BINARY.substring(power - 1, power) + "i";
  }
}
